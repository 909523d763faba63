//! OpenCode.

use crate::{evidence, remembers};
use downbeat_tests::model_server::{Call, ModelServer, Script, Step};
use downbeat_tests::real_agents;
use downbeat_tests::sandbox::{Sandbox, until};
use serde_json::json;

#[tokio::test(flavor = "multi_thread")]
async fn a_day_with_opencode() {
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

    // Asked and allowed.
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

    // A message is taken; Esc, twice as OpenCode wants it, ends the turn.
    let send = |text: &str| json!({"content": text});
    let message = format!("/api/sessions/{id}/message");
    let taken = sandbox
        .post(&message, send("think long\nabout it"))
        .await
        .unwrap();
    assert_eq!(taken["delivery"], "taken", "{taken}");
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

    // Asked and denied.
    sandbox.post(&message, send("make another")).await.unwrap();
    sandbox.status(&id, &["waiting"]).await;
    let answer = format!("/api/sessions/{id}/answer");
    let denied = sandbox.post(&answer, json!({"choice": "reject"})).await.unwrap();
    assert_eq!(denied["delivery"], "taken", "{denied}");
    let denied = sandbox.status(&id, &["idle"]).await;
    assert_eq!(evidence(&denied), ("hook", "session.status event: idle"));
    assert!(!workspace.join("other.txt").exists());

    // Stopped, and taken up again with all that was said.
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
    let taken = sandbox.post(&message, send("/new and now?")).await.unwrap();
    assert_eq!(taken["delivery"], "taken", "{taken}");
    sandbox.status(&id, &["idle"]).await;
    assert!(remembers(&model, "think long", "/new and now?"));
}

#[tokio::test(flavor = "multi_thread")]
async fn opencode_conducts() {
    if real_agents::skipped() {
        return;
    }
    let spawn = Call::new(
        "downbeat_spawn_worker",
        json!({"task": "Draw the page", "name": "web"}),
    );
    let script = Script::new().when(
        "Build the shop",
        [Step::calls([spawn]), Step::say("It is under way.")],
    );
    let model = ModelServer::start(script).await.unwrap();
    let sandbox = Sandbox::with_agents(&model, &["opencode"]).await;
    let project = sandbox.project("shop").await;
    let ask = json!({
        "projectId": project, "title": "Lead", "agent": "opencode", "conductor": true, "prompt": "Build the shop",
    });
    let lead = sandbox.session(ask).await;
    until("the worker", async || {
        let sessions = sandbox.get("/api/sessions").await.ok()?;
        let worker = sessions
            .as_array()?
            .iter()
            .find(|session| session["name"] == "web")?
            .clone();
        (worker["parent"] == lead && worker["agent"] == "opencode").then_some(())
    })
    .await;
    let done = sandbox.status(&lead, &["idle"]).await;
    assert_eq!(
        evidence(&done),
        ("hook", "session.status event: idle"),
        "no question was asked"
    );
    let turns = model.turns();
    let last = turns
        .iter()
        .rev()
        .find(|turn| turn.prompt == "Build the shop")
        .unwrap();
    assert!(
        last.results[0].contains("Worker web is spawning."),
        "{:?}",
        last.results
    );
    assert!(last.system.contains("spawn_worker"), "the briefing");
}
