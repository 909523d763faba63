//! The whole program with the real Codex and OpenCode against a scripted model: what is known of a
//! session at each step of a day, and on what evidence.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails by panicking"
)]

mod codex;
mod opencode;

use downbeat_tests::model_server::ModelServer;
use serde_json::Value;

/// Whether the model was asked `now` with `before` in the same conversation.
fn remembers(model: &ModelServer, before: &str, now: &str) -> bool {
    let asked = model.requests().into_iter().map(|asked| asked.body.to_string());
    asked
        .into_iter()
        .any(|body| body.contains(before) && body.contains(now))
}

/// What a session's status rests on: source and detail.
fn evidence(session: &Value) -> (&str, &str) {
    let evidence = &session["statusEvidence"];
    (
        evidence["source"].as_str().unwrap(),
        evidence["detail"].as_str().unwrap(),
    )
}
