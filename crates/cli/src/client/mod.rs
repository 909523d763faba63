//! Finds and starts the engine, and sends requests to it. If an engine goes away before it answers, the next
//! one gets the request: it has one idempotency key for all its attempts, so that it happens once.
//!
//! * `request`: a request as it is sent
//! * `link`: the connection to one engine, asked once
//! * `headless`: starts an engine without a window
//! * `engines`: asks one engine after the other until there is an answer
//! * `visit`: an engine for a single read

mod engines;
mod headless;
mod link;
mod request;
mod visit;

pub(crate) use engines::Client;
pub(crate) use headless::anything_left;
pub(crate) use link::{CallError, Link};
pub(crate) use request::new_key;
pub(crate) use visit::{look, visit};
