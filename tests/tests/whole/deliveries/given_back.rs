//! Prompts that an agent puts back into its box when its turn is interrupted: they come back before the
//! message that interrupted them, once, also where the engine dies in between.

use crate::crashes::{doomed, held, reached, successor};
use crate::deliveries::{is_taken, taken, workspace};
use crate::queue::{becomes, idle, send, uncertain_notices};
use downbeat_tests::sandbox::Sandbox;
use serde_json::json;
use std::time::Duration;

/// Longer than what a prompt is known again by.
const FIRST: &str = "mull go\nsay first of the words that were to be heard";
const SECOND: &str = "say second";

fn both() -> String {
    format!("{FIRST}\n\n{SECOND}")
}

/// A session that thinks about the first message and said nothing yet.
async fn thinks(sandbox: &Sandbox, title: &str) -> String {
    let id = idle(sandbox, title).await;
    send(sandbox, &id, FIRST, json!({})).await;
    sandbox.shows(&id, "──────────").await;
    id
}

async fn now(sandbox: &Sandbox, id: &str) {
    let request = json!({ "content": SECOND, "when": "now", "waitSeconds": 0 });
    let _ = sandbox
        .post(&format!("/api/sessions/{id}/message"), request)
        .await;
}

/// Both are heard together, once, and the queue goes on.
async fn are_heard(sandbox: &Sandbox, id: &str) {
    becomes(sandbox, id, &both(), "delivered").await;
    std::fs::write(workspace(sandbox, id).await.join("go"), "").unwrap();
    let first = becomes(sandbox, id, FIRST, "delivered").await;
    let detail = first["detail"].as_str().unwrap();
    assert!(detail.starts_with("came back before message"), "{first}");
    send(sandbox, id, "say next", json!({})).await;
    becomes(sandbox, id, "say next", "delivered").await;
    is_taken(sandbox, "say next").await;
    assert_eq!((taken(sandbox, &both()), taken(sandbox, SECOND)), (1, 0));
    assert_eq!(uncertain_notices(sandbox).await, 0);
    sandbox.delete(&format!("/api/sessions/{id}")).await.unwrap();
}

/// An agent ends at the key that empties its prompt where that is empty already, and draws late.
#[tokio::test]
async fn a_prompt_is_emptied_once_and_its_agent_lives_on() {
    let sandbox = Sandbox::started().await;
    let id = thinks(&sandbox, "Mulls").await;
    now(&sandbox, &id).await;
    are_heard(&sandbox, &id).await;
}

#[tokio::test]
async fn an_engine_killed_behind_its_esc_is_followed_by_one_that_brings_the_message_back() {
    // Before its key is written down, before its turn is known to be over, and behind that.
    for wait in [0, 300, 2500] {
        let mut sandbox = Sandbox::started().await;
        let id = thinks(&sandbox, "Killed").await;
        let file = held(&mut sandbox, "message-interrupted").await;
        now(&sandbox, &id).await;
        reached(&file).await;
        tokio::time::sleep(Duration::from_millis(wait)).await;
        sandbox.kill_engine();
        sandbox.set_env("DOWNBEAT_PAUSE_AT", "");
        sandbox.start().await;
        are_heard(&sandbox, &id).await;
    }
}

#[tokio::test]
async fn an_engine_killed_before_it_empties_the_prompt_is_followed_by_one_that_does() {
    let mut sandbox = Sandbox::started().await;
    let id = thinks(&sandbox, "Noted").await;
    doomed(&mut sandbox, "message-given-back").await;
    now(&sandbox, &id).await;
    successor(&mut sandbox, "message-given-back").await;
    are_heard(&sandbox, &id).await;
}

#[tokio::test]
async fn a_message_whose_turn_a_pause_cut_waits_again_after_a_crash() {
    let mut sandbox = Sandbox::started().await;
    let id = thinks(&sandbox, "Paused").await;
    let file = held(&mut sandbox, "message-interrupted").await;
    let pause = format!("/api/sessions/{id}/pause");
    sandbox.post(&pause, json!({})).await.unwrap();
    reached(&file).await;
    sandbox.kill_engine();
    sandbox.set_env("DOWNBEAT_PAUSE_AT", "");
    sandbox.start().await;
    becomes(&sandbox, &id, FIRST, "queued").await;
    std::fs::write(workspace(&sandbox, &id).await.join("go"), "").unwrap();
    let go_on = format!("/api/sessions/{id}/go-on");
    sandbox.post(&go_on, json!({})).await.unwrap();
    becomes(&sandbox, &id, FIRST, "delivered").await;
    sandbox.shows(&id, "first of the words").await;
    assert_eq!(taken(&sandbox, FIRST), 2, "once more");
}
