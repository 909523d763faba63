//! Tests of the server over real sockets, in front of a scripted host.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails by panicking"
)]

mod ambiguous;
mod http;
mod page;
mod rig;
mod scripted;
mod streams;
mod webhooks;
