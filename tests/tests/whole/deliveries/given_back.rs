//! Tests prompts that an agent returns to its input box when its turn is interrupted: each is delivered
//! again, once, before the message that interrupted it, even if the engine dies in between.

use crate::crashes::{doomed, held, reached, successor};
use crate::deliveries::{is_taken, taken, workspace};
use crate::queue::{becomes, idle, queue, send, uncertain_notices};
use downbeat_tests::sandbox::{Sandbox, until};
use serde_json::json;
use std::time::Duration;

/// A prompt longer than the part by which a prompt is recognised.
const FIRST: &str = "mull go\nsay first of the words that were to be heard";
const SECOND: &str = "say second";

/// A prompt of so many lines that the agent shows a placeholder instead.
const LINES: &str = "mull go\nsay first of the lines\nsay second of them\nsay last of them";

/// Returns a prompt of one line for which the agent shows a placeholder, too.
fn long() -> String {
    format!("mull go {}", "and so on ".repeat(90).trim_end())
}

fn both(first: &str) -> String {
    format!("{first}\n\n{SECOND}")
}

/// Starts a session that is thinking about the first message and has not answered yet.
async fn thinks(sandbox: &Sandbox, title: &str, first: &str) -> String {
    let id = idle(sandbox, title).await;
    send(sandbox, &id, first, json!({})).await;
    sandbox.shows(&id, "──────────").await;
    id
}

async fn now(sandbox: &Sandbox, id: &str) {
    let request = json!({ "content": SECOND, "when": "now", "waitSeconds": 0 });
    let _ = sandbox
        .post(&format!("/api/sessions/{id}/message"), request)
        .await;
}

/// Asserts that both messages are delivered together, once, and that the queue continues.
async fn are_heard(sandbox: &Sandbox, id: &str, first: &str) {
    becomes(sandbox, id, &both(first), "delivered").await;
    std::fs::write(workspace(sandbox, id).await.join("go"), "").unwrap();
    let came = becomes(sandbox, id, first, "delivered").await;
    let detail = came["detail"].as_str().unwrap();
    assert!(detail.starts_with("was sent again before message"), "{came}");
    send(sandbox, id, "say next", json!({})).await;
    becomes(sandbox, id, "say next", "delivered").await;
    is_taken(sandbox, "say next").await;
    assert_eq!((taken(sandbox, &both(first)), taken(sandbox, SECOND)), (1, 0));
    assert_eq!(uncertain_notices(sandbox).await, 0);
    sandbox.delete(&format!("/api/sessions/{id}")).await.unwrap();
}

/// The agent draws late, and exits at the key that empties its prompt if the prompt is already empty.
#[tokio::test]
async fn a_prompt_is_emptied_once_and_its_agent_lives_on() {
    for first in [FIRST, LINES, &long()] {
        let sandbox = Sandbox::started().await;
        let id = thinks(&sandbox, "Mulls", first).await;
        now(&sandbox, &id).await;
        are_heard(&sandbox, &id, first).await;
    }
}

#[tokio::test]
async fn an_engine_killed_after_its_esc_is_followed_by_one_that_requeues_the_message() {
    // Before its key is recorded, before its turn is known to be over, and after that.
    for (wait, first) in [(0, FIRST), (300, LINES), (2500, &long())] {
        let mut sandbox = Sandbox::started().await;
        let id = thinks(&sandbox, "Killed", first).await;
        let file = held(&mut sandbox, "message-interrupted").await;
        now(&sandbox, &id).await;
        reached(&file).await;
        tokio::time::sleep(Duration::from_millis(wait)).await;
        sandbox.kill_engine();
        sandbox.set_env("DOWNBEAT_PAUSE_AT", "");
        sandbox.start().await;
        are_heard(&sandbox, &id, first).await;
    }
}

#[tokio::test]
async fn an_engine_killed_before_it_empties_the_prompt_is_followed_by_one_that_does() {
    let mut sandbox = Sandbox::started().await;
    let id = thinks(&sandbox, "Noted", FIRST).await;
    doomed(&mut sandbox, "message-given-back").await;
    now(&sandbox, &id).await;
    successor(&mut sandbox, "message-given-back").await;
    are_heard(&sandbox, &id, FIRST).await;
}

#[tokio::test]
async fn a_message_whose_turn_a_pause_cut_waits_again_after_a_crash() {
    let mut sandbox = Sandbox::started().await;
    let id = thinks(&sandbox, "Paused", FIRST).await;
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

/// The typed text stays until the next engine knows that it was not sent. It is not a returned prompt,
/// although it begins with one. A table in `decide/delivery.rs` covers a prompt shown as a placeholder.
#[tokio::test]
async fn an_engine_killed_before_the_enter_of_both_is_followed_by_one_that_types_them_again() {
    let mut sandbox = Sandbox::started().await;
    let id = thinks(&sandbox, "Typed", FIRST).await;
    doomed(&mut sandbox, "message-typed").await;
    now(&sandbox, &id).await;
    successor(&mut sandbox, "message-typed").await;
    are_heard(&sandbox, &id, FIRST).await;
}

/// A returned message that was sent together with the next one is interrupted with that one.
#[tokio::test]
async fn messages_that_are_returned_twice_are_each_reported() {
    let mut sandbox = Sandbox::started().await;
    let id = thinks(&sandbox, "Twice", FIRST).await;
    now(&sandbox, &id).await;
    becomes(&sandbox, &id, &both(FIRST), "delivered").await;
    let file = held(&mut sandbox, "message-given-back").await;
    let request = json!({ "content": "say third", "when": "now", "waitSeconds": 0 });
    let message = format!("/api/sessions/{id}/message");
    sandbox.post(&message, request).await.unwrap();
    reached(&file).await;
    for text in [FIRST, &both(FIRST)] {
        becomes(&sandbox, &id, text, "interrupted").await;
    }
    std::fs::remove_file(&file).unwrap();
    let all = format!("{}\n\nsay third", both(FIRST));
    for text in [&all, FIRST, &both(FIRST)] {
        becomes(&sandbox, &id, text, "delivered").await;
    }
    std::fs::write(workspace(&sandbox, &id).await.join("go"), "").unwrap();
    sandbox.shows(&id, "third").await;
    assert_eq!(taken(&sandbox, &all), 1);
}

/// If a person adds to the prompt between the check and the key that would erase it, the prompt is left
/// to the person to send, and is sent once.
#[tokio::test]
async fn a_returned_prompt_that_a_person_extends_is_not_sent_with_the_next_message() {
    for more in [" and mine", ""] {
        let mut sandbox = Sandbox::started().await;
        let id = thinks(&sandbox, "Adds", FIRST).await;
        let file = held(&mut sandbox, "message-given-back").await;
        now(&sandbox, &id).await;
        reached(&file).await;
        sandbox.press(&id, &format!("{more} ")).await;
        tokio::time::sleep(Duration::from_millis(500)).await;
        std::fs::remove_file(&file).unwrap();
        becomes(&sandbox, &id, &both(FIRST), "queued").await;
        std::fs::write(workspace(&sandbox, &id).await.join("go"), "").unwrap();
        sandbox.press(&id, "\r").await;
        becomes(&sandbox, &id, FIRST, "delivered").await;
        becomes(&sandbox, &id, SECOND, "delivered").await;
        let sent = format!("{FIRST}{more}");
        until("it is taken", async || {
            (taken(&sandbox, &sent) == 1 + usize::from(more.is_empty())).then_some(())
        })
        .await;
        is_taken(&sandbox, SECOND).await;
        assert_eq!(taken(&sandbox, &both(FIRST)), 0, "{more:?}");
    }
}

/// A message that a pause took back continues its session: no other prompt is needed.
#[tokio::test]
async fn a_session_continues_with_the_prompt_that_its_pause_took_back() {
    let sandbox = Sandbox::started().await;
    let id = thinks(&sandbox, "Goes on", FIRST).await;
    let path = format!("/api/sessions/{id}");
    sandbox.post(&format!("{path}/pause"), json!({})).await.unwrap();
    becomes(&sandbox, &id, FIRST, "queued").await;
    std::fs::write(workspace(&sandbox, &id).await.join("go"), "").unwrap();
    sandbox.post(&format!("{path}/go-on"), json!({})).await.unwrap();
    becomes(&sandbox, &id, FIRST, "delivered").await;
    let all = queue(&sandbox, &id).await;
    assert!(all.iter().all(|message| message["from"] == "person"), "{all:#?}");
}

/// The first prompt of a session is returned to an engine that dies before it erases the prompt.
#[tokio::test]
async fn a_returned_task_is_queued_once() {
    let mut sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let ask = json!({ "projectId": project, "title": "Task", "prompt": FIRST });
    let id = sandbox.session(ask).await;
    sandbox.status(&id, &["running"]).await;
    sandbox.shows(&id, "──────────").await;
    doomed(&mut sandbox, "message-given-back").await;
    let path = format!("/api/sessions/{id}");
    let _ = sandbox.post(&format!("{path}/pause"), json!({})).await;
    successor(&mut sandbox, "message-given-back").await;
    becomes(&sandbox, &id, FIRST, "queued").await;
    // The engine checks once the screen rests, and again after the time that a screen may lag.
    tokio::time::sleep(Duration::from_secs(6)).await;
    let all = queue(&sandbox, &id).await;
    let waits = all.iter().filter(|message| message["state"] == "queued");
    assert_eq!(waits.count(), 1, "{all:#?}");
}
