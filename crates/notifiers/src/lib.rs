//! Notifiers: they carry notices to Slack, Discord, ntfy, Composio, OpenClaw and webhooks. Not which notices go where, nor
//! when: that is the model's ([`downbeat_model::delivery`]) and the engine's. The desktop has a crate of its own.
//!
//! * `secret`: values that are named in the configuration and kept elsewhere
//! * `address`: where a notifier sends to, and how that is shown without its secret
//! * `config`: what a person writes about a notifier, and what is wrong with it
//! * `message`: a notice as text, within limits
//! * `request`: a request, ready to be sent
//! * `target`: a notifier with its secrets, ready to be asked
//! * `kinds`: the request of each kind, within the limits of its receiver
//! * `answer`: what an answer means
//! * `retry`: what follows from an answer: another try, a wait, or the end
//! * `client`: sends a request and reads a bounded answer; the only file with I/O
//!
//! Each file imports only from those before it.
#![forbid(unsafe_code)]

pub mod address;
pub mod answer;
pub mod client;
pub mod config;
mod kinds;
pub mod message;
pub mod request;
pub mod retry;
pub mod secret;
pub mod target;

pub use answer::Answer;
pub use client::Client;
pub use config::{Kind, NotifierConfig};
pub use message::Message;
pub use request::{Reply, Request};
pub use retry::Outcome;
pub use secret::Sources;
pub use target::{Target, Unready};
