//! Tests of the whole program with real agents against a scripted model: conductors with their workers, and
//! the status of a Claude Code session that a person steers by keys, as hooks, title and screen report it.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails by panicking"
)]

mod approaches;
mod checks;
mod commits;
mod driven;
mod fixing;
mod fleet;
mod merge_requests;
mod mixed;
mod person;
mod plans;
mod pulls;
mod same_lines;
mod story;
mod three;

use serde_json::Value;

/// Returns the source and the detail of the evidence for a session's status.
fn evidence(session: &Value) -> (&str, &str) {
    let evidence = &session["statusEvidence"];
    (
        evidence["source"].as_str().unwrap(),
        evidence["detail"].as_str().unwrap(),
    )
}
