//! The whole program with the real Claude Code against a scripted model: a conductor with its
//! workers, and what hooks, title and screen say of a session that a person steers by keys.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails by panicking"
)]

mod fleet;
mod person;
