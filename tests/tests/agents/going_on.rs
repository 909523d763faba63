//! Going on with the real Claude Code: the newest conversation is resumed, also after the agent's own way
//! to begin another one, and a fork begins with a copy of it in a folder of its own.

use downbeat_tests::model_server::{Call, ModelServer, Script, Step};
use downbeat_tests::real_agents;
use downbeat_tests::sandbox::{Sandbox, until};
use serde_json::json;

/// Whether what was asked last with `now` held `before`.
fn held(model: &ModelServer, now: &str, before: &str) -> Option<bool> {
    let asked = model.requests();
    let mut bodies = asked.iter().rev().map(|asked| asked.body.to_string());
    let last = bodies.find(|body| body.contains(now) && body.contains("tools"))?;
    Some(last.contains(before))
}

async fn say(sandbox: &Sandbox, model: &ModelServer, id: &str, words: &str) {
    let body = json!({ "content": words });
    let sent = sandbox.post(&format!("/api/sessions/{id}/message"), body).await;
    sent.unwrap();
    until(words, async || held(model, words, words)).await;
    sandbox.status(id, &["idle"]).await;
}

/// Starts, says something, begins another conversation by `anew`, stops, resumes and forks.
async fn goes_on(agent: &str, anew: &str, run: Call) {
    if real_agents::skipped() {
        return;
    }
    let script = Script::new().when("fourth words", [Step::calls([run]), Step::say("It is there.")]);
    let model = ModelServer::start(script).await.unwrap();
    let sandbox = Sandbox::with_agents(&model, &[agent]).await;
    let project = sandbox.project("shop").await;
    let ask = json!({
        "projectId": project, "title": "First", "agent": agent, "prompt": "first words",
        "permissionMode": "acceptEdits",
    });
    let id = sandbox.session(ask).await;
    until("the first words", async || {
        held(&model, "first words", "first words")
    })
    .await;
    sandbox.status(&id, &["idle"]).await;
    sandbox.press(&id, anew).await;
    sandbox.shows(&id, anew).await;
    sandbox.press(&id, "\r").await;
    until("another conversation", async || {
        let path = format!("/api/sessions/{id}/output?lines=60");
        let screen = sandbox.get(&path).await.ok()?;
        (!screen["text"].as_str()?.contains("first words")).then_some(())
    })
    .await;
    say(&sandbox, &model, &id, "second words").await;
    assert_eq!(
        held(&model, "second words", "first words"),
        Some(false),
        "{agent}"
    );

    let stopped = sandbox.post("/api/sessions/stop", json!({ "id": id })).await;
    stopped.unwrap();
    let resumed = sandbox
        .post(&format!("/api/sessions/{id}/resume"), json!({}))
        .await;
    resumed.unwrap();
    sandbox.status(&id, &["idle"]).await;
    say(&sandbox, &model, &id, "third words").await;
    assert_eq!(
        held(&model, "third words", "second words"),
        Some(true),
        "{agent} went on"
    );
    assert_eq!(held(&model, "third words", "first words"), Some(false), "{agent}");

    let wanted = json!({ "prompt": "fourth words" });
    let fork = sandbox.post(&format!("/api/sessions/{id}/fork"), wanted).await;
    let fork = fork.unwrap();
    let place = std::path::PathBuf::from(fork["workspacePath"].as_str().unwrap());
    until("the fork is asked", async || {
        held(&model, "fourth words", "fourth words")
    })
    .await;
    assert_eq!(
        held(&model, "fourth words", "third words"),
        Some(true),
        "{agent} forked"
    );
    until("the fork works in its own folder", async || {
        place.join("forked.txt").exists().then_some(())
    })
    .await;
    sandbox.status(fork["id"].as_str().unwrap(), &["idle"]).await;
    // The first one goes on without what the fork said.
    say(&sandbox, &model, &id, "fifth words").await;
    assert_eq!(
        held(&model, "fifth words", "fourth words"),
        Some(false),
        "{agent}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn claude_goes_on_with_its_newest_conversation_and_forks() {
    // Relative: where it lands tells where the fork works.
    let write = json!({ "command": "touch forked.txt", "description": "Make a file" });
    goes_on("claude", "/clear", Call::new("Bash", write)).await;
}
