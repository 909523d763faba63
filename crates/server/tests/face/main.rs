//! The server over real sockets, in front of a scripted host.

mod http;
mod rig;
mod scripted;
mod streams;
