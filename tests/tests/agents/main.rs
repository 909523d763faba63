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
use downbeat_tests::sandbox::{Sandbox, within};
use serde_json::Value;
use std::time::Duration;

/// Whether the model was asked `now` with `before` in the same conversation.
fn remembers(model: &ModelServer, before: &str, now: &str) -> bool {
    let asked = model.requests().into_iter().map(|asked| asked.body.to_string());
    asked
        .into_iter()
        .any(|body| body.contains(before) && body.contains(now))
}

/// Presses a key until the session no longer has this status: agents ignore keys in the first
/// moment of a question.
async fn press_until_not(sandbox: &Sandbox, id: &str, key: &str, status: &str) {
    for _ in 0..10 {
        sandbox.press(id, key).await;
        let gone = async || {
            let session = sandbox.get(&format!("/api/sessions/{id}")).await.ok()?;
            (session["status"] != status).then_some(())
        };
        if within(Duration::from_secs(3), gone).await.is_some() {
            return;
        }
    }
    panic!("{id} is {status} for ever");
}

/// What a session's status rests on: source and detail.
fn evidence(session: &Value) -> (&str, &str) {
    let evidence = &session["statusEvidence"];
    (
        evidence["source"].as_str().unwrap(),
        evidence["detail"].as_str().unwrap(),
    )
}
