//! Work that takes its time, by the real agents: a sub-agent, and a tool of twenty seconds. From its
//! beginning to its end it is work and nothing else, on the evidence of what the agent did.

use crate::tells;
use downbeat_tests::model_server::{ModelServer, Script, Step};
use downbeat_tests::real_agents;
use downbeat_tests::sandbox::{PATIENCE, Sandbox, until};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Seconds that a tool of the sub-agent takes, and the long one of the agent itself.
const SUB: u32 = 6;
const LONG: u32 = 20;

/// Between two looks at a status that is to stay.
const LOOK: Duration = Duration::from_millis(100);

/// How one agent works.
struct Way {
    agent: &'static str,
    mode: &'static str,
    /// Its tool for commands.
    run: fn(&str) -> Step,
    /// What it does to have "sub words" done by a sub-agent; the last one ends its turn.
    delegates: Vec<Step>,
    /// The questions that come with the sub-agent, with what they rest on, and the answer to each.
    asks: &'static [&'static str],
    allow: &'static str,
    /// What may tell that it works while its sub-agent runs a tool, and that it rests behind that.
    sub_works: &'static [&'static str],
    sub_rests: &'static str,
    /// The same of a tool of its own.
    works: &'static [&'static str],
    rests: &'static str,
}

/// A command that leaves a file when it begins and another when it ends.
fn long(name: &str, seconds: u32) -> String {
    format!("touch {name}-begun.txt; sleep {seconds}; touch {name}-ended.txt")
}

async fn works(way: Way) {
    if real_agents::skipped() {
        return;
    }
    let said = Step::say("It took its time.");
    let script = Script::new()
        // What Claude Code tells itself once its sub-agent is done.
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

/// Answers what is asked until the file is there; what was asked, with what it rested on.
async fn allow_until(sandbox: &Sandbox, id: &str, way: &Way, name: &str) -> Vec<String> {
    let mut asked = Vec::new();
    until(name, async || {
        let now = look(sandbox, id).await;
        if now["status"] == "waiting" {
            let told = format!("{}: {}", tells(&now), now["question"]["text"].as_str().unwrap());
            if asked.last() != Some(&told) {
                asked.push(told);
            }
            // Its answers come from the screen, a little later.
            let answer = format!("/api/sessions/{id}/answer");
            let _ = sandbox.post(&answer, json!({"choice": way.allow})).await;
        }
        file(&now, name).exists().then_some(())
    })
    .await;
    asked
}

/// It works, on one of these grounds, is not stuck and asks nothing, until the file is there.
async fn stays(sandbox: &Sandbox, id: &str, name: &str, why: &[&str]) {
    let works = sandbox.status(id, &["running"]).await;
    let until = Instant::now() + PATIENCE;
    loop {
        let ended = file(&works, name).exists();
        let now = look(sandbox, id).await;
        if ended {
            return;
        }
        let right = why.contains(&tells(&now).as_str()) && now["stuck"] == Value::Null;
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
        // Its sandbox does not start in a temporary directory.
        mode: "bypass",
        run: |command| Step::call("exec_command", json!({"cmd": command, "yield_time_ms": 30_000})),
        delegates: vec![
            Step::call("multi_agent_v1.spawn_agent", json!({"message": "sub words"})),
            // Its turn ends while the sub-agent works.
            Step::say("It is under way."),
        ],
        asks: &[],
        allow: "1",
        sub_works: &[
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
async fn codex_rests_once_a_sub_agent_failed_behind_its_turn() {
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
    assert_eq!(look(&sandbox, &id).await["status"], "running");
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
