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
mod three;

use serde_json::Value;

/// What a session's status rests on: source and detail.
fn evidence(session: &Value) -> (&str, &str) {
    let evidence = &session["statusEvidence"];
    (
        evidence["source"].as_str().unwrap(),
        evidence["detail"].as_str().unwrap(),
    )
}
