//! The HTTP and WebSocket face of the engine. It holds no logic: it walks the table of
//! operations and carries the two streams; who a token stands for and what a caller may do is
//! the engine's to say, through [`Host`].
//!
//! Limits: it binds nothing itself (the caller passes a loopback listener) and speaks no TLS.
//!
//! The modules. Each imports only what this list names before it, which `scripts/checks/rooms.test.js` holds.
//!
//! * `port`: the listening port, accepted from and let go of
//! * `connections`: how many are let near
//! * `places`: what one session may have under way
//! * `face`: what every handler sees
//! * `refusal`: how an error travels
//! * `panicked`: turns a panic into an error with its place
//! * `guard`: refuses foreign `Host` and `Origin`, and sets the headers of answers
//! * `hello`: proves to a client that this is the engine
//! * `token`: finds the caller
//! * `schemas`: the types of the table as JSON schemas
//! * `arguments`: merged from path, query and body
//! * `ui`: the interface's files
//! * `operation`: matches the table
//! * `openapi`: describes it all
//! * `handover`: the engine goes to a newer one
//! * `socket`: a WebSocket, from its greeting to its end
//! * `events`: the stream of what changed
//! * `terminal`: the stream of one terminal
//! * `serve`: the routes
#![forbid(unsafe_code)]

mod arguments;
mod connections;
mod events;
mod face;
mod guard;
mod handover;
mod hello;
mod openapi;
mod operation;
mod panicked;
mod places;
mod port;
mod refusal;
mod schemas;
mod serve;
mod socket;
mod terminal;
mod token;
mod ui;

pub use openapi::document as openapi;
pub use serve::{Error, serve};
