//! Tests of sessions that run OpenCode.

use crate::queue::becomes;
use crate::{evidence, remembers};
use downbeat_tests::model_server::{ModelServer, Script, Step};
use downbeat_tests::real_agents;
use downbeat_tests::sandbox::{Sandbox, until};
use serde_json::json;

#[tokio::test(flavor = "multi_thread")]
async fn opencode_status_is_right_from_a_question_to_a_resume() {
    if real_agents::skipped() {
        return;
    }
    let touch = |name: &str| {
        Step::call(
            "bash",
            json!({"command": format!("touch {name}"), "description": "make it"}),
        )
    };
    let script = Script::new()
        .when("make the file", [touch("made.txt"), Step::say("It is made.")])
        .when("make another", [touch("other.txt")])
        .when("think long", [Step::say("I thought.").held("thought")]);
    let model = ModelServer::start(script).await.unwrap();
    let sandbox = Sandbox::with_agents(&model, &["opencode"]).await;
    let project = sandbox.project("shop").await;
    let ask = json!({"projectId": project, "title": "Maker", "agent": "opencode", "prompt": "make the file"});
    let id = sandbox.session(ask).await;

    // OpenCode asks, and is allowed.
    let asks = sandbox.status(&id, &["waiting"]).await;
    assert_eq!(evidence(&asks), ("hook", "permission.asked event"));
    assert_eq!(asks["question"]["text"], "bash: touch made.txt");
    let options = json!(["Allow once", "Allow always", "Reject"]);
    assert_eq!(asks["question"]["options"], options);
    let answered = sandbox.cli(&["answer", &id, "allow once"]);
    assert!(answered.status.success(), "{answered:?}");
    let done = sandbox.status(&id, &["idle"]).await;
    assert_eq!(evidence(&done), ("hook", "session.status event: idle"));
    let workspace = std::path::PathBuf::from(asks["workspacePath"].as_str().unwrap());
    assert!(workspace.join("made.txt").exists());
    let answer = format!("/api/sessions/{id}/output?what=answer");
    assert_eq!(sandbox.get(&answer).await.unwrap()["text"], "It is made.");

    // OpenCode accepts a message; Esc, pressed twice as it requires, ends the turn.
    let send = |text: &str| json!({"content": text});
    let message = format!("/api/sessions/{id}/message");
    sandbox
        .post(&message, send("think long\nabout it"))
        .await
        .unwrap();
    becomes(&sandbox, &id, "think long", "delivered").await;
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
    sandbox.shows(&id, "again to interrupt").await;
    sandbox.press(&id, "\x1b").await;
    let rests = sandbox.status(&id, &["idle"]).await;
    assert_eq!(evidence(&rests), ("hook", "session.status event: idle"));

    // OpenCode asks again, and is denied.
    sandbox.post(&message, send("make another")).await.unwrap();
    sandbox.status(&id, &["waiting"]).await;
    let answer = format!("/api/sessions/{id}/answer");
    let denied = sandbox.post(&answer, json!({"choice": "reject"})).await.unwrap();
    assert_eq!(denied["delivery"], "taken", "{denied}");
    let denied = sandbox.status(&id, &["idle"]).await;
    assert_eq!(evidence(&denied), ("hook", "session.status event: idle"));
    assert!(!workspace.join("other.txt").exists());

    // The session is stopped; a resume continues the conversation.
    sandbox
        .post("/api/sessions/stop", json!({"id": id}))
        .await
        .unwrap();
    sandbox.status(&id, &["exited"]).await;
    sandbox
        .post(&format!("/api/sessions/{id}/resume"), json!({}))
        .await
        .unwrap();
    let back = sandbox.status(&id, &["idle"]).await;
    assert_eq!(evidence(&back).0, "title", "{back:#}");
    sandbox.post(&message, send("/new and now?")).await.unwrap();
    becomes(&sandbox, &id, "/new and now?", "delivered").await;
    sandbox.status(&id, &["idle"]).await;
    assert!(remembers(&model, "think long", "/new and now?"));
}

#[tokio::test(flavor = "multi_thread")]
async fn opencode_conductor_spawns_an_opencode_worker() {
    crate::conducts("opencode", "downbeat_spawn_worker", "session.status event: idle").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn opencode_asks_before_reading_secrets_and_reports_failures() {
    if real_agents::skipped() {
        return;
    }
    let run = |command: &str| Step::call("bash", json!({"command": command, "description": "run it"}));
    let script = Script::new()
        .when(
            "read it",
            [
                Step::call_with("read", |_| json!({"filePath": ".env"})),
                Step::say("It is read."),
            ],
        )
        .when("remove it", [run("rm -f .env"), Step::say("It is refused.")])
        .when("once more", [Step::say("It works.")])
        .when("hurry", [Step::fail(429, "rate_limit_error", "Too many")])
        .when("look around", [run("env"), Step::say("That is all.")])
        .when(
            "fail",
            [Step::fail(400, "invalid_request_error", "No such model")],
        );
    let model = ModelServer::start(script).await.unwrap();
    let mut sandbox = Sandbox::with_agents(&model, &["opencode"]).await;
    sandbox.kill_engine();
    // Downbeat's rules override what the person's settings allow; what they deny stays denied.
    let file = sandbox.path().join("home/.config/opencode/opencode.json");
    let mut settings: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    settings["permission"] = json!({"bash": {"*": "allow", "rm *": "deny"}, "read": "allow"});
    std::fs::write(&file, settings.to_string()).unwrap();
    sandbox.start().await;
    let project = sandbox.project("shop").await;
    let ask = json!({"projectId": project, "title": "Reader", "agent": "opencode", "prompt": "read it"});
    let id = sandbox.session(ask).await;
    let asks = sandbox.status(&id, &["waiting"]).await;
    assert_eq!(evidence(&asks), ("hook", "permission.asked event"));
    let text = asks["question"]["text"].as_str().unwrap();
    assert!(text.starts_with("read: ") && text.ends_with(".env"), "{text}");
    let allow = async || {
        let answer = format!("/api/sessions/{id}/answer");
        sandbox
            .post(&answer, json!({"choice": "allow once"}))
            .await
            .unwrap()
    };
    let message = format!("/api/sessions/{id}/message");
    let send = async |text: &str| sandbox.post(&message, json!({"content": text})).await.unwrap();
    let result = |prompt: &str| {
        let turns = model.turns();
        let last = turns.into_iter().rev().find(|turn| turn.prompt == prompt);
        last.unwrap().results[0].clone()
    };
    allow().await;
    sandbox.status(&id, &["idle"]).await;

    send("remove it").await;
    sandbox.status(&id, &["idle"]).await;
    let refused = result("remove it");
    assert!(refused.contains("deny"), "{refused}");

    // A command that OpenCode runs does not get this session's settings, in case it is another OpenCode.
    send("look around").await;
    let asks = sandbox.status(&id, &["waiting"]).await;
    assert_eq!(asks["question"]["text"], "bash: env");
    allow().await;
    sandbox.status(&id, &["idle"]).await;
    let seen = result("look around");
    assert!(
        seen.lines().any(|line| line.starts_with("DOWNBEAT_SESSION=")),
        "{seen}"
    );
    assert!(
        seen.lines().any(|line| line == "OPENCODE_CONFIG_CONTENT="),
        "{seen}"
    );
    assert!(!seen.contains("downbeat-opencode.js"), "{seen}");

    // The idle event after a failure does not hide the failure; the next turn does.
    send("fail").await;
    let failed = sandbox.status(&id, &["waiting"]).await;
    assert_eq!(evidence(&failed), ("hook", "session.error event"), "{failed:#}");
    sandbox.press(&id, "once more\r").await;
    sandbox.status(&id, &["idle"]).await;

    // A retry after a rate limit is shown as the session's reason.
    send("hurry").await;
    until("its retry", async || {
        let session = sandbox.get(&format!("/api/sessions/{id}")).await.unwrap();
        (session["reason"]["kind"] == "retrying").then_some(())
    })
    .await;
}
