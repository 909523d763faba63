//! Tests of one-shots, which use the agents' own modes for a single prompt: the answer, the exit, the
//! permission modes, which never lead to a question, and the conversation that a resume continues.

use downbeat_tests::model_server::{Call, ModelServer, Script, Step};
use downbeat_tests::real_agents;
use downbeat_tests::sandbox::{Sandbox, until};
use serde_json::{Value, json};
use std::path::Path;

async fn done(sandbox: &Sandbox, id: &str) -> Value {
    let done = sandbox
        .status(id, &["exited", "errored", "waiting", "idle"])
        .await;
    let log = sandbox.get(&format!("/api/sessions/{id}/output")).await;
    assert_eq!(
        done["statusEvidence"]["detail"], "done: exit code 0",
        "{done:#}\n{log:#?}"
    );
    done
}

/// Checks one-shots of `agent`: one that answers, two that try to write `made.txt` with `run`, which only the
/// mode `freer` allows, and the resume of the first as a conversation.
async fn runs(agent: &str, run: Call, freer: &str) {
    if real_agents::skipped() {
        return;
    }
    let script = Script::new()
        .when("Say what it is", [Step::say("It is a shop.")])
        .when("Write a file", [Step::calls([run]), Step::say("That is all.")]);
    let model = ModelServer::start(script).await.unwrap();
    let sandbox = Sandbox::with_agents(&model, &[agent]).await;
    let project = sandbox.project("shop").await;
    let once = async |prompt: &str, mode: &str| {
        let ask = json!({
            "projectId": project, "title": prompt, "agent": agent, "once": true, "prompt": prompt,
            "permissionMode": mode,
        });
        sandbox.session(ask).await
    };

    let id = once("Say what it is", "ask").await;
    done(&sandbox, &id).await;
    let path = format!("/api/sessions/{id}/output");
    let shown = sandbox.get(&path).await.unwrap();
    assert!(
        shown["text"].as_str().unwrap().contains("It is a shop."),
        "{shown}"
    );
    let answer = sandbox.get(&format!("{path}?what=answer")).await.unwrap();
    assert_eq!(answer["text"], "It is a shop.");

    for (mode, made) in [("ask", false), (freer, true)] {
        let id = once("Write a file", mode).await;
        let ran = done(&sandbox, &id).await;
        let place = Path::new(ran["workspacePath"].as_str().unwrap());
        assert_eq!(place.join("made.txt").exists(), made, "{agent}: {mode}");
    }
    let notices = sandbox.notices().await;
    let kinds: Vec<_> = notices.iter().map(|notice| &notice["kind"]).collect();
    assert_eq!(kinds, ["finished"; 3], "nobody is asked: {notices:#?}");

    let resumed = sandbox
        .post(&format!("/api/sessions/{id}/resume"), json!({}))
        .await;
    resumed.unwrap();
    let back = sandbox.status(&id, &["idle"]).await;
    assert_eq!(back["once"], false);
    let path = format!("/api/sessions/{id}/message");
    let sent = sandbox.post(&path, json!({ "content": "second words" })).await;
    sent.unwrap();
    until("the same conversation", async || {
        let asked = model.requests();
        let mut bodies = asked.iter().map(|asked| asked.body.to_string());
        let both = |body: &String| body.contains("second words") && body.contains("It is a shop.");
        bodies.any(|body| both(&body)).then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn claude_code_runs_one_prompt() {
    let write = json!({ "command": "touch made.txt", "description": "Make a file" });
    runs("claude", Call::new("Bash", write), "acceptEdits").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn codex_runs_one_prompt() {
    let write = json!({ "cmd": "touch made.txt" });
    runs("codex", Call::new("exec_command", write), "bypass").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn opencode_runs_one_prompt() {
    let write = json!({ "command": "touch made.txt", "description": "Make a file" });
    runs("opencode", Call::new("bash", write), "bypass").await;
}
