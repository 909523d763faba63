//! Finds, starts and asks the engine. Where an engine goes away before it answered, the next one is asked again:
//! each request has one idempotency key for all its attempts, so that it happens once.
//!
//! * `request`: a request as it travels
//! * `link`: one engine, asked once
//! * `headless`: an engine without a window
//! * `engines`: one engine after the other, asked until there is an answer
//! * `visit`: an engine for one look

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
