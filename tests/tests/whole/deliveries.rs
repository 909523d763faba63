//! Tests deliveries that are interrupted: by a keeper that dies at any step, by an agent that misses the
//! Enter, or by an engine that hands over. Each message is delivered once or reported as uncertain, and
//! nothing that a person typed is sent.

mod given_back;

use crate::crashes::{held, reached};
use crate::processes::{keepers, kill};
use crate::queue::{becomes, idle, queue, send, times, uncertain_notices};
use downbeat_tests::sandbox::{PATIENCE, Sandbox, until, within};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Counts how often the agents of this sandbox accepted a prompt, by their transcripts.
pub fn taken(sandbox: &Sandbox, prompt: &str) -> usize {
    let all = prompts(sandbox);
    all.iter().filter(|taken| *taken == prompt).count()
}

/// Returns all prompts in the agents' transcripts.
fn prompts(sandbox: &Sandbox) -> Vec<Value> {
    let folder = sandbox.path().join("home/.claude/projects/fake");
    let files = std::fs::read_dir(folder).unwrap().flatten();
    let texts = files.map(|file| std::fs::read_to_string(file.path()).unwrap_or_default());
    let lines: Vec<Value> = texts
        .flat_map(|text| {
            text.lines()
                .map(|line| serde_json::from_str(line).unwrap_or_default())
                .collect::<Vec<_>>()
        })
        .collect();
    let user = lines.into_iter().filter(|line: &Value| line["type"] == "user");
    user.map(|line| line["message"]["content"].clone()).collect()
}

/// Waits until the agent's transcript contains a prompt, and asserts that it contains it once.
pub async fn is_taken(sandbox: &Sandbox, prompt: &str) {
    let found = within(PATIENCE, async || (taken(sandbox, prompt) > 0).then_some(())).await;
    assert!(
        found.is_some(),
        "{prompt:?} never came; the agents took {:#?}",
        prompts(sandbox)
    );
    assert_eq!(taken(sandbox, prompt), 1, "{prompt}");
}

pub async fn workspace(sandbox: &Sandbox, id: &str) -> PathBuf {
    let session = sandbox.get(&format!("/api/sessions/{id}")).await.unwrap();
    session["workspacePath"].as_str().unwrap().into()
}

#[tokio::test]
async fn a_keeper_killed_at_any_step_of_a_delivery_never_doubles_it() {
    let mut sandbox = Sandbox::started().await;
    for (point, states) in [
        ("message-queued", &["queued", "uncertain", "delivered"][..]),
        ("message-interrupted", &["queued"]),
        ("message-noted", &["uncertain"]),
        ("message-typed", &["uncertain"]),
        ("message-entered", &["uncertain", "delivered"]),
        ("message-delivered", &["delivered"]),
    ] {
        let id = idle(&sandbox, point).await;
        if point == "message-interrupted" {
            send(&sandbox, &id, "work never", json!({})).await;
            sandbox.shows(&id, "──────────").await;
        }
        let file = held(&mut sandbox, point).await;
        let before = uncertain_notices(&sandbox).await;
        let text = format!("say once-{point}");
        let request = json!({ "content": text, "when": "now", "waitSeconds": 0 });
        let message = format!("/api/sessions/{id}/message");
        let (sent, ()) = tokio::join!(sandbox.post(&message, request), async {
            reached(&file).await;
            if point == "message-delivered" {
                // The agent writes its transcript after its hook.
                until("the transcript", async || {
                    (taken(&sandbox, &text) == 1).then_some(())
                })
                .await;
            }
            kill(keepers(&sandbox.data(), &id).pop().expect("a keeper").pid);
            std::fs::remove_file(&file).unwrap();
        });
        sent.unwrap();
        // The session ends visibly and keeps its queue.
        sandbox.status(&id, &["errored"]).await;
        let state = until("what became of it", async || {
            let all = queue(&sandbox, &id).await;
            let own = all.into_iter().find(|message| message["text"] == text)?;
            let state = own["state"].as_str()?.to_owned();
            (state != "typing").then_some(state)
        })
        .await;
        assert!(states.contains(&state.as_str()), "{point}: {state}");
        let told = uncertain_notices(&sandbox).await - before;
        // A late fact may settle a delivery that was reported as uncertain.
        assert!(
            told == usize::from(state == "uncertain") || state == "delivered",
            "{point}: {told}"
        );
        let first = taken(&sandbox, &text);
        match state.as_str() {
            "queued" => assert_eq!(first, 0, "{point}"),
            // The agent writes its transcript after its hook, and may have ended in between.
            "delivered" => assert!(
                first == 1 || (first == 0 && point == "message-entered"),
                "{point}"
            ),
            _ => assert!(first <= 1, "{point}: {first}"),
        }
        // The next run receives the messages that waited, and nothing else.
        let resume = format!("/api/sessions/{id}/resume");
        sandbox.post(&resume, json!({})).await.unwrap();
        sandbox.status(&id, &["idle", "running"]).await;
        if state == "queued" {
            becomes(&sandbox, &id, &text, "delivered").await;
        }
        send(&sandbox, &id, "say next", json!({})).await;
        becomes(&sandbox, &id, "say next", "delivered").await;
        let now = taken(&sandbox, &text);
        assert_eq!(now, first.max(usize::from(state == "queued")), "{point}");
        sandbox.delete(&format!("/api/sessions/{id}")).await.unwrap();
    }
}

#[tokio::test]
async fn a_message_that_enter_did_not_send_is_erased_before_the_next_one() {
    let sandbox = Sandbox::started().await;
    let id = idle(&sandbox, "Deaf").await;
    send(&sandbox, &id, "deaf 3", json!({})).await;
    sandbox.status(&id, &["idle"]).await;
    send(&sandbox, &id, "say unheard", json!({ "waitSeconds": 0 })).await;
    let failed = becomes(&sandbox, &id, "say unheard", "failed").await;
    let why = failed["detail"].as_str().unwrap();
    assert!(why.contains("removed from the prompt"), "{failed}");
    let heard = send(&sandbox, &id, "say heard", json!({ "waitSeconds": 30 })).await;
    assert_eq!(heard["state"], "delivered", "{heard}");
    // The agent writes its transcript once its hook has returned.
    is_taken(&sandbox, "say heard").await;
    assert_eq!(times(&sandbox.shows(&id, "heard").await, "unheard"), 0);
    // Sending the same message again delivers it once.
    let path = format!("/api/sessions/{id}/messages/{}", failed["id"]);
    let again = json!({ "again": true });
    sandbox.call("PATCH", &path, Some(again)).await.unwrap();
    becomes(&sandbox, &id, "say unheard", "delivered").await;
    is_taken(&sandbox, "say unheard").await;
}

#[tokio::test]
async fn text_that_a_person_typed_after_a_lost_enter_is_not_sent() {
    let sandbox = Sandbox::started().await;
    let id = idle(&sandbox, "Types").await;
    send(&sandbox, &id, "deaf 1", json!({})).await;
    sandbox.status(&id, &["idle"]).await;
    send(&sandbox, &id, "say ours", json!({ "waitSeconds": 0 })).await;
    let deaf = workspace(&sandbox, &id).await.join("deaf");
    reached(&deaf).await;
    sandbox.press(&id, " and mine").await;
    becomes(&sandbox, &id, "say ours", "uncertain").await;
    let shown = sandbox.shows(&id, "❯ [Pasted text #1]").await;
    assert!(!shown.contains("mine"), "{shown}");
    // Nothing is typed after it.
    let held = send(&sandbox, &id, "say next", json!({ "waitSeconds": 3 })).await;
    assert_eq!(held["detail"], "its prompt contains a draft", "{held}");
    sandbox.press(&id, "\x03").await;
    becomes(&sandbox, &id, "say next", "delivered").await;
    assert_eq!(taken(&sandbox, "say ours"), 0);
}

/// Makes the engine, which `file` holds at a point, hand over to a new one.
async fn replaced_amid(sandbox: &mut Sandbox, file: &Path) {
    let (_, ()) = tokio::join!(sandbox.post("/api/engine/handover", json!({})), async {
        // Its port is free, so it is ending.
        until("the engine lets go", async || {
            sandbox.get("/api/engine").await.is_err().then_some(())
        })
        .await;
        std::fs::remove_file(file).unwrap();
    });
    sandbox.set_env("DOWNBEAT_PAUSE_AT", "");
    sandbox.start().await;
}

#[tokio::test]
async fn an_engine_that_hands_over_during_a_delivery_presses_enter_first() {
    let mut sandbox = Sandbox::started().await;
    let id = idle(&sandbox, "Hands").await;
    let file = held(&mut sandbox, "message-typed").await;
    send(&sandbox, &id, "say whole", json!({ "waitSeconds": 0 })).await;
    reached(&file).await;
    replaced_amid(&mut sandbox, &file).await;
    becomes(&sandbox, &id, "say whole", "delivered").await;
    assert_eq!(taken(&sandbox, "say whole"), 1);
    assert_eq!(uncertain_notices(&sandbox).await, 0);
}

#[tokio::test]
async fn a_delivery_to_a_silent_agent_is_settled_before_an_engine_hands_over() {
    let mut sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let ask = json!({ "projectId": project, "title": "Plain", "agent": "shell" });
    let id = sandbox.session(ask).await;
    sandbox.status(&id, &["idle", "unknown", "running"]).await;
    let file = held(&mut sandbox, "message-typed").await;
    send(&sandbox, &id, "echo whole", json!({ "waitSeconds": 0 })).await;
    reached(&file).await;
    replaced_amid(&mut sandbox, &file).await;
    becomes(&sandbox, &id, "echo whole", "delivered").await;
    assert_eq!(uncertain_notices(&sandbox).await, 0);
}
