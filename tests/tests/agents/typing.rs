//! Types into an agent's terminal as a person does, and repeats a command that came too early.

use downbeat_tests::sandbox::{PATIENCE, Sandbox, until, within};
use serde_json::Value;
use std::time::Duration;

/// The words with which Codex refuses a command during a turn.
const REFUSED: &str = "is disabled while a task is in progress";

/// The pause before Enter: Codex takes Enter right after other keys for a part of pasted text.
const PAUSE: Duration = Duration::from_millis(300);

/// Types words and presses Enter.
pub async fn types(sandbox: &Sandbox, id: &str, words: &str) {
    // Agents start with tips, which may contain the same words.
    let before = screen(sandbox, id).await.matches(words).count();
    sandbox.press(id, words).await;
    until(words, async || {
        let now = screen(sandbox, id).await.matches(words).count();
        (now > before).then_some(())
    })
    .await;
    tokio::time::sleep(PAUSE).await;
    sandbox.press(id, "\r").await;
}

/// Types a command until `done` holds for the session and its screen. The command is typed again each time that the agent
/// refuses it: a hook reports the end of a turn a moment before Codex accepts commands again.
pub async fn commands(sandbox: &Sandbox, id: &str, command: &str, done: impl Fn(&Value, &str) -> bool) {
    let mut refused = screen(sandbox, id).await.matches(REFUSED).count();
    types(sandbox, id, command).await;
    let took = within(PATIENCE, async || {
        let text = screen(sandbox, id).await;
        let session = sandbox.get(&format!("/api/sessions/{id}")).await.ok()?;
        let refusals = text.matches(REFUSED).count();
        if refusals > refused {
            refused = refusals;
            types(sandbox, id, command).await;
            return None;
        }
        done(&session, &text).then_some(())
    });
    assert!(took.await.is_some(), "{command}: {}", sandbox.told(id).await);
}

async fn screen(sandbox: &Sandbox, id: &str) -> String {
    let output = sandbox.get(&format!("/api/sessions/{id}/output?lines=60")).await;
    output.map_or_else(
        |_| String::new(),
        |output| output["text"].as_str().unwrap().to_owned(),
    )
}
