//! Tests of the whole program with the real agents against a scripted model. They check the status of a
//! session, and its evidence, at each step of typical work.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails by panicking"
)]

mod codex;
mod going_on;
mod limits;
mod once;
mod opencode;
mod orchestrate;
mod prompts;
mod queue;
mod stories;
mod tools;
mod typing;
mod work;

use downbeat_tests::model_server::{Call, ModelServer, Script, Step};
use downbeat_tests::real_agents;
use downbeat_tests::sandbox::{Sandbox, until};
use serde_json::{Value, json};

/// Reports whether the model received `now` with `before` in the same conversation.
fn remembers(model: &ModelServer, before: &str, now: &str) -> bool {
    let asked = model.requests().into_iter().map(|asked| asked.body.to_string());
    asked
        .into_iter()
        .any(|body| body.contains(before) && body.contains(now))
}

/// Returns the source and the detail of the evidence for a session's status.
fn evidence(session: &Value) -> (&str, &str) {
    let evidence = &session["statusEvidence"];
    (
        evidence["source"].as_str().unwrap(),
        evidence["detail"].as_str().unwrap(),
    )
}

/// Formats a session's status and its evidence as one line.
fn tells(session: &Value) -> String {
    let (source, detail) = evidence(session);
    format!("{}: {source}, {detail}", session["status"].as_str().unwrap())
}

/// Checks that a conductor of this agent spawns a worker without a permission question, and that the worker
/// runs the same agent. `tool` is the agent's name for `spawn_worker`, `rests` the detail of the evidence
/// that it is idle.
async fn conducts(agent: &str, tool: &str, rests: &str) {
    if real_agents::skipped() {
        return;
    }
    let spawn = Call::new(tool, json!({"task": "Draw the page", "name": "web"}));
    let script = Script::new().when(
        "Build the shop",
        [Step::calls([spawn]), Step::say("It is under way.")],
    );
    let model = ModelServer::start(script).await.unwrap();
    let sandbox = Sandbox::with_agents(&model, &[agent]).await;
    let project = sandbox.project("shop").await;
    let ask = json!({
        "projectId": project, "title": "Lead", "agent": agent, "conductor": true, "prompt": "Build the shop",
    });
    let lead = sandbox.session(ask).await;
    until("the worker", async || {
        let sessions = sandbox.get("/api/sessions").await.ok()?;
        let mut all = sessions.as_array()?.iter();
        let worker = all.find(|session| session["name"] == "web")?;
        (worker["parent"] == lead && worker["agent"] == agent).then_some(())
    })
    .await;
    let done = sandbox.status(&lead, &["idle"]).await;
    assert_eq!(evidence(&done), ("hook", rests), "no question was asked");
    let turns = model.turns();
    let mut own = turns.iter().rev().filter(|turn| turn.prompt == "Build the shop");
    let last = own.next().unwrap();
    assert!(
        last.results[0].contains("Worker web is spawning."),
        "{:?}",
        last.results
    );
    assert!(last.system.contains("spawn_worker"), "the briefing");
}
