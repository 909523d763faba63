//! Tests of sessions that run Codex.

use crate::typing::commands;
use crate::{evidence, remembers};
use downbeat_tests::model_server::{ModelServer, Script, Step};
use downbeat_tests::real_agents;
use downbeat_tests::sandbox::{Sandbox, until};
use serde_json::json;

/// Returns a step that writes outside of Codex's sandbox, so that Codex asks for permission.
fn outside(path: &std::path::Path) -> Step {
    let command = format!("touch '{}'", path.display());
    let why = json!({"cmd": command, "sandbox_permissions": "require_escalated", "justification": "because"});
    Step::call("exec_command", why)
}

#[tokio::test(flavor = "multi_thread")]
async fn codex_status_is_right_from_a_question_to_a_resume() {
    if real_agents::skipped() {
        return;
    }
    let outside_dir = tempfile::tempdir().unwrap();
    let made = outside_dir.path().join("made.txt");
    let script = Script::new()
        .when("make the file", [outside(&made), Step::say("It is made.")])
        .when("make another", [outside(&outside_dir.path().join("other.txt"))])
        .when("think long", [Step::say("I thought.").held("thought")]);
    let model = ModelServer::start(script).await.unwrap();
    let sandbox = Sandbox::with_agents(&model, &["codex"]).await;
    let project = sandbox.project("shop").await;
    let ask = json!({"projectId": project, "title": "Maker", "agent": "codex", "prompt": "make the file"});
    let id = sandbox.session(ask).await;

    // Codex asks, and is allowed.
    let asks = sandbox.status(&id, &["waiting"]).await;
    assert_eq!(evidence(&asks), ("hook", "PermissionRequest hook"));
    let text = asks["question"]["text"].as_str().unwrap();
    assert!(text.starts_with("Bash: touch '"), "{text}");
    until("the answers on the screen", async || {
        let session = sandbox.get(&format!("/api/sessions/{id}")).await.ok()?;
        (session["question"]["options"][0] == "Yes, proceed (y)").then_some(())
    })
    .await;
    let answered = sandbox.cli(&["answer", &id, "yes, proceed"]);
    assert!(answered.status.success(), "{answered:?}");
    let done = sandbox.status(&id, &["idle"]).await;
    assert_eq!(evidence(&done), ("hook", "Stop hook"));
    assert!(made.exists());
    let answer = format!("/api/sessions/{id}/output?what=answer");
    assert_eq!(sandbox.get(&answer).await.unwrap()["text"], "It is made.");

    // Codex accepts a message; Esc ends the turn.
    let send = |text: &str| json!({"content": text});
    let message = format!("/api/sessions/{id}/message");
    let taken = sandbox
        .post(&message, send("think long\nabout it"))
        .await
        .unwrap();
    assert_eq!(taken["state"], "delivered", "{taken}");
    sandbox.status(&id, &["running"]).await;
    until("the model is asked", async || {
        let turns = model.turns();
        turns
            .last()
            .filter(|turn| turn.prompt == "think long\nabout it")
            .map(|_| ())
    })
    .await;
    sandbox.press(&id, "\x1b").await;
    let rests = sandbox.status(&id, &["idle"]).await;
    assert_eq!(evidence(&rests), ("hook", "Interrupt hook: interrupted"));

    // Codex asks again, and is denied.
    sandbox.post(&message, send("make another")).await.unwrap();
    sandbox.status(&id, &["waiting"]).await;
    let answer = format!("/api/sessions/{id}/answer");
    let wrong = sandbox
        .post(&answer, json!({"choice": "perhaps"}))
        .await
        .unwrap_err();
    assert_eq!(wrong.body["code"], "invalid");
    assert!(
        wrong.body["hint"].as_str().unwrap().contains("3 No, and tell"),
        "{wrong:?}"
    );
    let denied = sandbox.post(&answer, json!({"choice": "3"})).await.unwrap();
    assert_eq!(denied["delivery"], "taken", "{denied}");
    let denied = sandbox.status(&id, &["idle"]).await;
    assert_eq!(evidence(&denied), ("hook", "Interrupt hook: interrupted"));
    assert!(!outside_dir.path().join("other.txt").exists());

    // Codex exits by its own command; a resume continues the conversation.
    commands(&sandbox, &id, "/quit", |session, _| session["status"] == "exited").await;
    sandbox
        .post(&format!("/api/sessions/{id}/resume"), json!({}))
        .await
        .unwrap();
    let back = sandbox.status(&id, &["idle"]).await;
    assert_eq!(evidence(&back).0, "title", "{back:#}");
    let taken = sandbox.post(&message, send("and now?")).await.unwrap();
    assert_eq!(taken["state"], "delivered", "{taken}");
    sandbox.status(&id, &["idle"]).await;
    assert!(remembers(&model, "think long", "and now?"));
}

#[tokio::test(flavor = "multi_thread")]
async fn untrusted_codex_asks_about_the_folder_but_not_about_hooks() {
    if real_agents::skipped() {
        return;
    }
    let model = ModelServer::start(Script::new()).await.unwrap();
    let sandbox = Sandbox::with_agents(&model, &["codex"]).await;
    let path = sandbox.repository("shop");
    let project = sandbox
        .post("/api/projects", json!({"path": path}))
        .await
        .unwrap();
    let ask = json!({"projectId": project["id"], "title": "Stranger", "agent": "codex"});
    let id = sandbox.session(ask).await;
    let asks = sandbox.status(&id, &["waiting"]).await;
    assert_eq!(evidence(&asks), ("screen", "a question on the screen"));
    assert_eq!(asks["question"]["kind"], "trust");
    let text = asks["question"]["text"].as_str().unwrap();
    assert!(text.contains(asks["workspacePath"].as_str().unwrap()), "{text}");
    assert_eq!(asks["question"]["options"][0], "Trust and continue");
    let trusted = sandbox
        .post(&format!("/api/sessions/{id}/answer"), json!({"choice": "trust"}))
        .await
        .unwrap();
    assert_eq!(trusted["delivery"], "taken", "{trusted}");
    let up = sandbox.status(&id, &["idle"]).await;
    assert_eq!(evidence(&up).0, "title", "{up:#}");
    let shown = sandbox.shows(&id, "›").await;
    assert!(!shown.contains("Hooks need review"), "{shown}");
    let message = format!("/api/sessions/{id}/message");
    let taken = sandbox
        .post(&message, json!({"content": "/clear"}))
        .await
        .unwrap();
    assert_eq!(taken["state"], "delivered", "{taken}");
    sandbox.status(&id, &["idle"]).await;
    assert_eq!(model.turns()[0].prompt.trim(), "/clear");
}

#[tokio::test(flavor = "multi_thread")]
async fn codex_conductor_spawns_a_codex_worker() {
    crate::conducts("codex", "mcp__downbeat__spawn_worker", "Stop hook").await;
}

/// In a worktree, `/new` asks where to run the new conversation. This counts as a question, not as a draft. A resume continues
/// the new conversation and not the one before it.
#[tokio::test(flavor = "multi_thread")]
async fn codex_asks_where_a_new_conversation_runs_and_resumes_that() {
    if real_agents::skipped() {
        return;
    }
    let model = ModelServer::start(Script::new()).await.unwrap();
    let sandbox = Sandbox::with_agents(&model, &["codex"]).await;
    let project = sandbox.project("shop").await;
    let ask = json!({"projectId": project, "title": "Maker", "agent": "codex", "prompt": "begin"});
    let id = sandbox.session(ask).await;
    sandbox.status(&id, &["idle"]).await;
    commands(&sandbox, &id, "/new", |session, _| session["status"] == "waiting").await;
    let asks = sandbox.status(&id, &["waiting"]).await;
    assert_eq!(asks["question"]["text"], "Where should the new conversation run?");
    let message = format!("/api/sessions/{id}/message");
    let held = sandbox
        .post(&message, json!({"content": "go on", "waitSeconds": 1}))
        .await;
    let why = held.unwrap()["detail"].as_str().unwrap().to_owned();
    assert_eq!(why, "a question is open: Where should the new conversation run?");
    sandbox.press(&id, "\r").await;
    until("the message", async || {
        model
            .turns()
            .iter()
            .any(|turn| turn.prompt.trim() == "go on")
            .then_some(())
    })
    .await;
    sandbox.status(&id, &["idle"]).await;
    commands(&sandbox, &id, "/quit", |session, _| session["status"] == "exited").await;
    let resume = format!("/api/sessions/{id}/resume");
    sandbox.post(&resume, json!({})).await.unwrap();
    sandbox.status(&id, &["idle"]).await;
    let third = json!({"content": "third words"});
    let taken = sandbox.post(&message, third).await.unwrap();
    assert_eq!(taken["state"], "delivered", "{taken}");
    sandbox.status(&id, &["idle"]).await;
    assert!(remembers(&model, "go on", "third words"));
    assert!(!remembers(&model, "begin", "third words"));
}
