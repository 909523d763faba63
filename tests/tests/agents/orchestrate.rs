//! Tests of `/orchestrate`, typed by a person into the terminal of a conductor: each agent passes the words to
//! Downbeat's tool, and a plan is proposed. Codex has no commands of others, so the word is written without the slash.

use downbeat_tests::model_server::{ModelServer, Script, Step};
use downbeat_tests::real_agents;
use downbeat_tests::sandbox::{PATIENCE, Sandbox, within};
use serde_json::json;

/// What the person orchestrates.
const TASKS: &str = "Draw the login page (id: ui), Create the login API (id: api)";

/// Types `command` and the tasks to a conductor of this agent, whose model calls `tool` with the tasks in the message. Returns the message
/// and the instructions that the model got.
async fn orchestrates(agent: &str, command: &str, tool: &str) -> (String, String) {
    let script = Script::new().when(
        TASKS,
        [
            Step::call_with(tool, |turn| {
                let begin = turn.prompt.find(TASKS).unwrap_or_default();
                json!({ "tasks": turn.prompt[begin..begin + TASKS.len()] })
            }),
            Step::say("This is the plan."),
        ],
    );
    let model = ModelServer::start(script).await.unwrap();
    let sandbox = Sandbox::with_agents(&model, &[agent]).await;
    let project = sandbox.project("shop").await;
    let ask = json!({
        "projectId": project, "title": "Lead", "agent": agent, "conductor": true, "prompt": "say hello",
    });
    let lead = sandbox.session(ask).await;
    sandbox.status(&lead, &["idle"]).await;
    // The menu of completions opens and closes as for a person who types.
    for (keys, shown) in [(command, command.trim()), (TASKS, "Draw the login page")] {
        sandbox.press(&lead, keys).await;
        sandbox.shows(&lead, shown).await;
    }
    sandbox.press(&lead, "\r").await;
    let plan = within(PATIENCE, async || {
        let plans = sandbox.get("/api/plans").await.ok()?;
        plans.as_array()?.first().cloned()
    });
    let Some(plan) = plan.await else {
        panic!("{}\n{:#?}", sandbox.told(&lead).await, model.turns());
    };
    assert_eq!(plan["conductor"], json!(lead), "{plan:#}");
    assert_eq!(plan["state"], "proposed", "nothing runs before the person agrees");
    let titles = plan["tasks"].as_array().unwrap().iter();
    let titles: Vec<&str> = titles.map(|task| task["title"].as_str().unwrap()).collect();
    assert_eq!(titles, ["Draw the login page", "Create the login API"]);
    sandbox.status(&lead, &["idle"]).await;
    let turns = model.turns();
    let turn = turns.iter().find(|turn| turn.prompt.contains(TASKS)).unwrap();
    (turn.prompt.clone(), turn.system.clone())
}

#[tokio::test(flavor = "multi_thread")]
async fn claude_code_has_the_command() {
    if real_agents::skipped() {
        return;
    }
    let (prompt, _) = orchestrates("claude", "/orchestrate ", "mcp__downbeat__propose_plan").await;
    assert!(prompt.contains("`mcp__downbeat__propose_plan`"), "{prompt}");
    assert!(prompt.contains("mode: sequential"), "{prompt}");
}

#[tokio::test(flavor = "multi_thread")]
async fn opencode_has_the_command() {
    if real_agents::skipped() {
        return;
    }
    let (prompt, _) = orchestrates("opencode", "/orchestrate ", "downbeat_propose_plan").await;
    assert!(prompt.contains("`downbeat_propose_plan`"), "{prompt}");
}

#[tokio::test(flavor = "multi_thread")]
async fn codex_knows_the_word() {
    if real_agents::skipped() {
        return;
    }
    let (prompt, system) = orchestrates("codex", "orchestrate ", "mcp__downbeat__propose_plan").await;
    assert_eq!(prompt, format!("orchestrate {TASKS}"));
    assert!(system.contains("`orchestrate` before tasks"), "{system}");
}
