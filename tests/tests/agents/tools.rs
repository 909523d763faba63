//! Tests that a conductor's first request offers Downbeat's tools, with the real agents on a busy machine.

use downbeat_tests::model_server::{ModelServer, Script};
use downbeat_tests::real_agents;
use downbeat_tests::sandbox::{PATIENCE, Sandbox, within};
use serde_json::json;

/// The number of conductors that start at the same time, so that the machine is busy.
const AT_ONCE: usize = 2;

async fn has_its_tools_at_first(agent: &str) {
    if real_agents::skipped() {
        return;
    }
    let model = ModelServer::start(Script::new()).await.unwrap();
    let sandbox = Sandbox::with_agents(&model, &[agent]).await;
    let project = sandbox.project("shop").await;
    let conductor = async |prompt: &str| {
        let ask = json!({
            "projectId": project, "title": prompt, "agent": agent, "conductor": true, "prompt": prompt,
        });
        (prompt.to_owned(), sandbox.session(ask).await)
    };
    let offers_tools = async |(prompt, id): (String, String)| {
        let sent = async || model.turns().into_iter().find(|turn| turn.prompt == *prompt);
        let Some(first) = within(PATIENCE, sent).await else {
            panic!("{prompt} never came: {}", sandbox.told(&id).await);
        };
        let has = |tool: &str| first.tools.iter().any(|name| name.ends_with(tool));
        assert!(has("spawn_worker"), "{prompt}: {:?}", first.tools);
    };
    // Alone: OpenCode 1.18 fills a new home directory at its first start, and of several that do so at the
    // same time one may hang.
    offers_tools(conductor("Build the house").await).await;
    let mut conductors = Vec::new();
    for n in 0..AT_ONCE {
        conductors.push(conductor(&format!("Build shop {n}")).await);
    }
    for conductor in conductors {
        offers_tools(conductor).await;
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
