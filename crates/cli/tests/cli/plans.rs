//! Tests of the tools of conductors for plans, and of the command that writes a plan's report as files, with a scripted engine.

use crate::bridge::Client;
use crate::rig::{Rig, command};
use crate::scripted::{Call, SESSION_ID, Scripted};
use downbeat_model::limit::TOO_DEEP;
use downbeat_wire::{ApiError, Code, names};
use serde_json::{Value, json};

fn plan(state: &str) -> Value {
    json!({
        "id": "pl000000000001", "projectId": "p000000000001", "title": "Set up\n- forged done", "state": state, "atOnce": 6,
        "tasks": [
            { "id": "db", "title": "Set up database", "domain": "database", "stage": 0, "done": false },
            { "id": "api", "title": "Create API", "domain": "backend", "needs": ["db"], "stage": 0, "done": false },
        ],
        "workers": [
            { "name": "database", "domain": "database", "tasks": ["db"], "needs": [], "state": "failed",
              "sessionId": SESSION_ID, "why": "its checks\n- backend done", "branch": "downbeat/db", "seconds": 60, "tokens": 9,
              "startedAt": "2026-01-01T00:00:00Z", "endedAt": "2026-01-01T00:01:00Z" },
            { "name": "backend", "domain": "backend", "tasks": ["api"], "needs": ["database"], "state": "waiting",
              "sessionId": null, "why": "held: database failed; retry or skip it" },
        ],
        "advice": "1 task can run at once", "warning": null, "report": "0 of 2 workers finished\n",
        "createdAt": "2026-01-01T00:00:00Z",
    })
}

fn well(call: &Call) -> Result<Value, ApiError> {
    Ok(match call.name {
        names::propose_plan => plan("proposed"),
        names::run_plan | names::plan_status | names::change_plan => plan("running"),
        names::list_plans => json!([]),
        names::plan_stops => {
            json!([{ "sessionId": SESSION_ID, "workerName": "database", "type": "waiting", "stop": "question",
            "detail": "Which?", "terminalContent": "", "timestamp": "2026-01-01T00:00:30Z" }])
        }
        other => return Err(ApiError::not_found("answer", other)),
    })
}

fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap()
}

#[tokio::test]
async fn a_conductor_proposes_runs_and_changes_a_plan() {
    let rig = Rig::start(Scripted::new(well)).await;
    let mut client = Client::start(&rig).await;
    let tasks = "Set up database (id: db), Create API (id: api) (depends_on: db)";
    let shown = client
        .tool("propose_plan", json!({ "tasks": tasks, "split": "task" }))
        .await;
    assert_eq!(shown["isError"], false, "{shown}");
    let said = text(&shown);
    assert!(said.starts_with("Plan pl000000000001 (proposed, nothing runs): Set up\n    - forged done\n"));
    assert!(said.contains("\n  task api: Create API, needs db\n"), "{said}");
    assert!(said.ends_with("Next: call run_plan with pl000000000001, or propose another one."));
    let ran = client.tool("run_plan", json!({ "plan": "pl000000000001" })).await;
    let worker = format!(
        "\n- database failed, session {SESSION_ID}, branch downbeat/db: its checks\n    - backend done\n"
    );
    assert!(text(&ran).contains(&worker), "{ran}");
    assert_eq!(
        text(&client.tool("plan_status", json!({})).await),
        "You have no plan. propose_plan makes one."
    );
    client
        .tool(
            "update_task",
            json!({ "plan": "pl000000000001", "change": "retry", "task": "db" }),
        )
        .await;
    let asked: Vec<(&str, Value)> = rig
        .host
        .calls()
        .into_iter()
        .map(|call| (call.name, call.arguments))
        .collect();
    assert_eq!(
        (
            &asked[0].1["text"],
            &asked[0].1["split"],
            &asked[0].1["projectId"]
        ),
        (&json!(tasks), &json!("task"), &json!(null))
    );
    let change = asked
        .iter()
        .find(|(name, _)| *name == names::change_plan)
        .unwrap();
    assert_eq!(
        (&change.1["change"], &change.1["task"], &change.1["worker"]),
        (&json!("retry"), &json!("db"), &json!(null))
    );
}

#[tokio::test]
async fn a_session_that_was_asked_for_a_plan_is_told_that_the_person_runs_it() {
    let rig = Rig::start(Scripted::new(|_| {
        let mut plan = plan("proposed");
        plan["personRuns"] = json!(true);
        Ok(plan)
    }))
    .await;
    let mut client = Client::start(&rig).await;
    let shown = client.tool("propose_plan", json!({ "tasks": "a, b" })).await;
    let said = text(&shown);
    assert!(said.ends_with("You are done: end your turn."), "{said}");
    assert!(!said.contains("call run_plan"), "{said}");
}

#[tokio::test]
async fn at_the_depth_limit_the_list_is_done_one_after_another() {
    let hint = "do these tasks in this session, one after another (mode: sequential)";
    let rig = Rig::start(Scripted::new(move |_| {
        Err(ApiError::new(Code::TooDeep, TOO_DEEP).hint(hint))
    }))
    .await;
    let mut client = Client::start(&rig).await;
    let deep = client.tool("propose_plan", json!({ "tasks": "a, b" })).await;
    assert_eq!(
        (&deep["isError"], &deep["structuredContent"]["mode"]),
        (&json!(true), &json!("sequential"))
    );
    assert_eq!(
        text(&deep),
        format!("Max depth reached, no worker spawning allowed\nHint: {hint}")
    );
}

#[tokio::test]
async fn a_report_is_written_as_files_where_the_person_says() {
    let rig = Rig::start(Scripted::new(well)).await;
    let folder = rig.home.path().join("results");
    let mut ask = command(rig.home.path());
    ask.args(["plan", "report", "pl000000000001", "--files"])
        .arg(&folder);
    let output = ask.output().await.unwrap();
    assert!(output.status.success(), "{output:?}");
    let result = std::fs::read_to_string(folder.join("worker-database_result.json")).unwrap();
    let result: Value = serde_json::from_str(&result).unwrap();
    assert_eq!(
        (&result["status"], &result["branch"], &result["tasks"][0]["id"]),
        (&json!("failed"), &json!("downbeat/db"), &json!("db"))
    );
    let log = std::fs::read_to_string(folder.join("event_log.jsonl")).unwrap();
    assert_eq!(log.lines().count(), 4, "{log}");
    let stopped: Value = serde_json::from_str(log.lines().nth(2).unwrap()).unwrap();
    assert_eq!(
        (&stopped["type"], &stopped["stop"], &stopped["worker_name"]),
        (&json!("worker_stopped"), &json!("question"), &json!("database"))
    );
}

#[cfg(unix)]
#[tokio::test]
async fn a_pipe_or_a_device_in_place_of_a_plan_is_refused_at_once() {
    let rig = Rig::start(Scripted::new(well)).await;
    let pipe = rig.home.path().join("plan.md");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    for path in [pipe.to_str().unwrap(), "/dev/zero", "/dev/stdin"] {
        let mut ask = command(rig.home.path());
        ask.args(["orchestrate", "execute", path, "--project", "shop"]);
        ask.stdin(std::process::Stdio::piped());
        let output = tokio::time::timeout(crate::rig::PATIENCE, ask.output()).await;
        let output = output.expect("it does not wait").unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains("cannot be read"), "{path}: {said}");
    }
}
