//! The HTTP and WebSocket face of the engine. It contains no logic: it serves the table of operations and the
//! two streams. The engine decides, through [`Host`], who a token belongs to and what a caller may do.
//!
//! Limits: it does not bind (the caller passes a loopback listener) and does not support TLS.
//!
//! The modules. Each imports only modules that this list names before it; `scripts/checks/rooms.test.js`
//! checks that.
//!
//! * `port`: the listening port, and when it is free again
//! * `connections`: limits the number of connections
//! * `places`: limits the requests and streams of sessions
//! * `face`: the state that every handler sees
//! * `refusal`: an error as an HTTP response
//! * `body`: reads the body of a request within limits
//! * `panicked`: turns a panic into an error with its place
//! * `guard`: refuses foreign `Host` and `Origin`, and sets the headers of answers
//! * `hello`: proves to a client that this is the engine
//! * `token`: finds the caller
//! * `schemas`: the types of the table as JSON schemas
//! * `arguments`: merges the arguments of path, query and body
//! * `ui`: the files of the interface
//! * `operation`: serves the operations of the table
//! * `openapi`: describes the API
//! * `webhook`: takes webhooks of forges
//! * `handover`: hands over to another engine
//! * `socket`: opens and closes WebSockets
//! * `events`: the stream of changes
//! * `terminal`: the stream of one terminal
//! * `serve`: the routes
#![forbid(unsafe_code)]

mod arguments;
mod body;
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
mod webhook;

pub use openapi::document as openapi;
pub use serve::{Error, serve};
