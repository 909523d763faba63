//! Tests of long work by the real agents: a sub-agent, and a tool that takes twenty seconds. The session is
//! running from the start of the work to its end, on the evidence of what the agent did.

use crate::tells;
use downbeat_tests::model_server::{ModelServer, Script, Step};
use downbeat_tests::real_agents;
use downbeat_tests::sandbox::{PATIENCE, Sandbox, until};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The seconds that the sub-agent's tool takes.
const SUB: u32 = 6;
/// The seconds that the agent's own long tool takes.
const LONG: u32 = 20;

/// The interval between checks of a status that must not change.
const LOOK: Duration = Duration::from_millis(100);

/// The tools of one agent, and the evidence of its states.
struct Way {
    agent: &'static str,
    mode: &'static str,
    /// Returns a call of the agent's tool for commands.
    run: fn(&str) -> Step,
    /// The steps that give "sub words" to a sub-agent; the last one ends the turn.
    delegates: Vec<Step>,
    /// The questions that come with the sub-agent, with their evidence.
    asks: &'static [&'static str],
    /// The answer to each question.
    allow: &'static str,
    /// The possible evidence that the agent works while its sub-agent runs a tool.
    sub_works: &'static [&'static str],
    /// The evidence that the agent is idle after that.
    sub_rests: &'static str,
    /// The possible evidence that the agent works while it runs a tool itself.
    works: &'static [&'static str],
    /// The evidence that the agent is idle after that.
    rests: &'static str,
}

/// Returns a command that creates a file when it begins and another when it ends.
fn long(name: &str, seconds: u32) -> String {
    format!("touch {name}-begun.txt; sleep {seconds}; touch {name}-ended.txt")
}

async fn works(way: Way) {
    if real_agents::skipped() {
        return;
    }
    let said = Step::say("It took its time.");
    let script = Script::new()
        // Claude Code sends itself this message when its sub-agent is done.
        .when("<task-notification>", [Step::say("Noted.")])
        .when("sub words", [(way.run)(&long("sub", SUB)), said.clone()])
        .when("have it done", way.delegates.clone())
        .when("wait long", [(way.run)(&long("own", LONG)), said]);
    let model = ModelServer::start(script).await.unwrap();
    let sandbox = Sandbox::with_agents(&model, &[way.agent]).await;
    let project = sandbox.project("shop").await;
    let ask = json!({
        "projectId": project, "title": "Worker", "agent": way.agent, "prompt": "have it done",
        "permissionMode": way.mode,
    });
    let id = sandbox.session(ask).await;
    let asked = allow_until(&sandbox, &id, &way, "sub-begun.txt").await;
    assert_eq!(asked, way.asks, "{}", way.agent);
    stays(&sandbox, &id, "sub-ended.txt", way.sub_works).await;
    let done = sandbox.status(&id, &["idle"]).await;
    assert_eq!(tells(&done), way.sub_rests, "{}", sandbox.told(&id).await);

    let message = json!({"content": "wait long"});
    sandbox
        .post(&format!("/api/sessions/{id}/message"), message)
        .await
        .unwrap();
    allow_until(&sandbox, &id, &way, "own-begun.txt").await;
    stays(&sandbox, &id, "own-ended.txt", way.works).await;
    let done = sandbox.status(&id, &["idle"]).await;
    assert_eq!(tells(&done), way.rests, "{}", sandbox.told(&id).await);
}

fn file(session: &Value, name: &str) -> PathBuf {
    Path::new(session["workspacePath"].as_str().unwrap()).join(name)
}

async fn look(sandbox: &Sandbox, id: &str) -> Value {
    sandbox.get(&format!("/api/sessions/{id}")).await.unwrap()
}

/// Answers questions until the file exists, and returns the questions with their evidence.
async fn allow_until(sandbox: &Sandbox, id: &str, way: &Way, name: &str) -> Vec<String> {
    let mut asked = Vec::new();
    until(name, async || {
        let now = look(sandbox, id).await;
        if now["status"] == "waiting" {
            let told = format!("{}: {}", tells(&now), now["question"]["text"].as_str().unwrap());
            if asked.last() != Some(&told) {
                asked.push(told);
            }
            // The answers are read from the screen a little later, so a try may fail.
            let answer = format!("/api/sessions/{id}/answer");
            let _ = sandbox.post(&answer, json!({"choice": way.allow})).await;
        }
        file(&now, name).exists().then_some(())
    })
    .await;
    asked
}

/// Checks that the session is running and not stuck until the file exists, from the first of these pieces of evidence on because of
/// one of them. Before it, the agent's own steps are the evidence.
async fn stays(sandbox: &Sandbox, id: &str, name: &str, why: &[&str]) {
    let works = sandbox.status(id, &["running"]).await;
    let until = Instant::now() + PATIENCE;
    let mut has_begun = false;
    loop {
        let now = look(sandbox, id).await;
        // Otherwise the work may have ended while the status was asked for.
        if file(&works, name).exists() {
            assert!(has_begun, "none of {why:?}: {}", sandbox.told(id).await);
            return;
        }
        let is_because = why.contains(&tells(&now).as_str());
        has_begun |= is_because;
        let right = now["status"] == "running" && (is_because || !has_begun) && now["stuck"] == Value::Null;
        assert!(right, "{} until {name}: {}", tells(&now), sandbox.told(id).await);
        assert!(Instant::now() < until, "no {name}: {}", sandbox.told(id).await);
        tokio::time::sleep(LOOK).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn claude_code_works_until_its_sub_agent_and_its_long_tool_are_done() {
    let agent = json!({
        "description": "Do a part", "prompt": "sub words", "subagent_type": "general-purpose",
    });
    works(Way {
        agent: "claude",
        mode: "ask",
        run: |command| Step::call("Bash", json!({"command": command, "description": "wait"})),
        delegates: vec![Step::call("Agent", agent), Step::say("It is under way.")],
        asks: &["waiting: hook, PermissionRequest hook, sub-agent general-purpose: Bash: touch sub-begun.txt; sleep 6; touch sub-ended.txt"],
        allow: "1",
        sub_works: &["running: input, answered by key; the question left the screen"],
        sub_rests: "idle: hook, Stop hook",
        works: &["running: input, answered by key; the question left the screen"],
        rests: "idle: hook, Stop hook",
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn codex_works_until_its_sub_agent_and_its_long_tool_are_done() {
    works(Way {
        agent: "codex",
        // Codex's sandbox does not start in a temporary directory.
        mode: "bypass",
        run: |command| Step::call("exec_command", json!({"cmd": command, "yield_time_ms": 30_000})),
        delegates: vec![
            Step::call("multi_agent_v1.spawn_agent", json!({"message": "sub words"})),
            // The turn ends while the sub-agent works.
            Step::say("It is under way."),
        ],
        asks: &[],
        allow: "1",
        // Codex posts the hooks of a sub-agent beside those of the turn.
        sub_works: &[
            "running: hook, SubagentStart hook, sub-agent default",
            "running: hook, UserPromptSubmit hook, sub-agent default",
            "running: hook, Stop hook: 1 sub-agent is still working",
            "running: hook, PreToolUse hook, sub-agent default: Bash",
        ],
        sub_rests: "idle: hook, SubagentStop hook, sub-agent default",
        works: &["running: hook, PreToolUse hook: Bash"],
        rests: "idle: hook, Stop hook",
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn codex_becomes_idle_when_a_sub_agent_fails_after_the_turn() {
    if real_agents::skipped() {
        return;
    }
    let run = Step::call(
        "exec_command",
        json!({"cmd": long("sub", SUB), "yield_time_ms": 30_000}),
    );
    let script = Script::new()
        .when(
            "sub words",
            [run, Step::fail(400, "invalid_request_error", "No such model")],
        )
        .when(
            "have it done",
            [
                Step::call("multi_agent_v1.spawn_agent", json!({"message": "sub words"})),
                Step::say("It is under way."),
            ],
        );
    let model = ModelServer::start(script).await.unwrap();
    let sandbox = Sandbox::with_agents(&model, &["codex"]).await;
    sandbox.configure("watchdog: { measureEvery: 1 }\n");
    let project = sandbox.project("shop").await;
    let ask = json!({
        "projectId": project, "title": "Worker", "agent": "codex", "prompt": "have it done",
        "permissionMode": "bypass",
    });
    let id = sandbox.session(ask).await;
    until("sub-begun.txt", async || {
        file(&look(&sandbox, &id).await, "sub-begun.txt")
            .exists()
            .then_some(())
    })
    .await;
    // Its first report may still be on the way.
    let status = until("it reports", async || {
        let status = look(&sandbox, &id).await["status"].clone();
        (status != "spawning").then_some(status)
    });
    assert_eq!(status.await, "running");
    let done = sandbox.status(&id, &["idle", "waiting"]).await;
    assert_eq!(
        tells(&done),
        "idle: transcript, the last line of its sub-agent's transcript",
        "{}",
        sandbox.told(&id).await
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn opencode_works_until_its_sub_agent_and_its_long_tool_are_done() {
    let task = json!({"description": "Do a part", "prompt": "sub words", "subagent_type": "general"});
    works(Way {
        agent: "opencode",
        mode: "ask",
        run: |command| Step::call("bash", json!({"command": command, "description": "wait"})),
        delegates: vec![Step::call("task", task), Step::say("It is done.")],
        asks: &[
            "waiting: hook, permission.asked event: task: general",
            "waiting: hook, permission.asked event, sub-agent: bash: touch sub-begun.txt; sleep 6; touch sub-ended.txt",
        ],
        allow: "Allow once",
        sub_works: &["running: hook, permission.replied event, sub-agent"],
        sub_rests: "idle: hook, session.status event: idle",
        works: &["running: hook, permission.replied event"],
        rests: "idle: hook, session.status event: idle",
    })
    .await;
}
