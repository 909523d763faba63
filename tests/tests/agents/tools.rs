//! Tests that a conductor's first request offers Downbeat's tools, with the real agents on a busy machine.

use downbeat_tests::model_server::{ModelServer, Script};
use downbeat_tests::real_agents;
use downbeat_tests::sandbox::{Sandbox, until};
use serde_json::json;

/// The number of conductors that start at the same time, so that the machine is busy.
const AT_ONCE: usize = 3;

async fn has_its_tools_at_first(agent: &str) {
    if real_agents::skipped() {
        return;
    }
    let model = ModelServer::start(Script::new()).await.unwrap();
    let sandbox = Sandbox::with_agents(&model, &[agent]).await;
    let project = sandbox.project("shop").await;
    let prompts: Vec<String> = (0..AT_ONCE).map(|n| format!("Build shop {n}")).collect();
    for prompt in &prompts {
        let ask = json!({
            "projectId": project, "title": prompt, "agent": agent, "conductor": true, "prompt": prompt,
        });
        sandbox.session(ask).await;
    }
    for prompt in &prompts {
        let first = until(prompt, async || {
            model.turns().into_iter().find(|turn| turn.prompt == *prompt)
        })
        .await;
        let has = |tool: &str| first.tools.iter().any(|name| name.ends_with(tool));
        assert!(has("spawn_worker"), "{prompt}: {:?}", first.tools);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn claude_has_its_tools_in_its_first_request() {
    has_its_tools_at_first("claude").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn codex_has_its_tools_in_its_first_request() {
    has_its_tools_at_first("codex").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn opencode_has_its_tools_in_its_first_request() {
    has_its_tools_at_first("opencode").await;
}
