//! `downbeat plan report`: the report of a plan as text, or as files for scripts. The files are written where the person says, and
//! by commands alone: no repository gets them by itself.

use super::across::project_of;
use crate::failure::Failure;
use crate::outcome::{Outcome, print};
use crate::paint::plain;
use downbeat_plans::{PlanState, ShareState, Task, result_names};
use downbeat_wire::plan::{Plan, PlanWorker};
use downbeat_wire::worker::WorkerEvent;
use jiff::Timestamp;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::io::Write as _;
use std::path::Path;

/// Prints the report of a plan, or writes its files, which have the stops of its workers, too.
pub(super) fn run(plan: &Plan, stops: &[WorkerEvent], files: Option<&Path>) -> Outcome {
    let Some(folder) = files else {
        let notes = plan.notes.iter().map(|note| format!("Note: {}\n", plain(note)));
        return print(&format!("{}{}", text(plan), notes.collect::<String>()));
    };
    let made = make(plan, stops);
    write(folder, &made).map_err(|error| cannot_write(folder, &error))?;
    let names: Vec<String> = made
        .iter()
        .map(|(name, _)| format!("{}\n", folder.join(name).display()))
        .collect();
    print(&names.concat())
}

/// Returns the report of a plan, of which no line acts on a terminal.
pub(super) fn text(plan: &Plan) -> String {
    let lines = plan.report.lines().map(|line| format!("{}\n", plain(line)));
    lines.collect()
}

/// Returns the name of the result file of each worker. It is the same whatever is done.
pub(super) fn names_of(plan: &Plan) -> Vec<String> {
    let names: Vec<&str> = plan.workers.iter().map(|worker| worker.name.as_str()).collect();
    result_names(&names)
}

/// Returns the tasks of a plan by their ids.
pub(super) fn by_id(plan: &Plan) -> HashMap<&str, &Task> {
    let tasks = plan.tasks.iter().map(|task| (task.id.as_str(), task));
    tasks.collect()
}

/// Returns the tasks of a worker, in their order in the plan.
pub(super) fn of<'a>(
    worker: &'a PlanWorker,
    tasks: &'a HashMap<&str, &'a Task>,
) -> impl Iterator<Item = &'a Task> {
    worker
        .tasks
        .iter()
        .filter_map(|id| tasks.get(id.as_str()).copied())
}

pub(super) fn cannot_write(folder: &Path, error: &std::io::Error) -> Failure {
    Failure::new(format!("{} cannot be written: {error}", folder.display()))
        .hint("name a folder that you may write to")
}

/// Writes files into a folder, each in place of what was there, but through no link.
pub(super) fn write(folder: &Path, files: &[(String, String)]) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    for (name, content) in files {
        downbeat_files::begin(&folder.join(name))?.write_all(content.as_bytes())?;
    }
    Ok(())
}

/// Returns the files of a plan with their names.
fn make(plan: &Plan, stops: &[WorkerEvent]) -> Vec<(String, String)> {
    let mut files = vec![("event_log.jsonl".to_owned(), log(plan, stops))];
    let tasks = by_id(plan);
    for (worker, name) in plan.workers.iter().zip(names_of(plan)) {
        let content = format!("{:#}\n", result(plan, worker, &tasks));
        files.push((name, content));
    }
    files
}

/// Returns what came of the tasks of a worker.
fn result(plan: &Plan, worker: &PlanWorker, tasks: &HashMap<&str, &Task>) -> Value {
    let lines = |all: &[String]| all.iter().map(|text| plain(text)).collect::<Vec<_>>();
    let tasks = of(worker, tasks).map(
        |task| json!({ "id": plain(&task.id), "title": plain(&task.title), "needs": lines(&task.needs) }),
    );
    json!({
        "plan": plan.id,
        "worker_name": plain(&worker.name),
        "domain": plain(&worker.domain),
        "project": project_of(plan, worker).map(|project| plain(&project.name)),
        "status": worker.state.as_str(),
        "tasks": tasks.collect::<Vec<_>>(),
        "why": worker.why.as_deref().map(plain),
        "asks": worker.asks.as_deref().map(plain),
        "session_id": worker.session_id,
        "branch": worker.branch,
        "commit": worker.commit,
        "landed": worker.landed.as_deref().map(plain),
        "merge_failed": worker.merge_failed.as_deref().map(plain),
        "started_at": worker.started_at,
        "ended_at": worker.ended_at,
        "seconds": worker.seconds,
        "tokens": worker.tokens,
        "usd": worker.usd,
    })
}

/// Returns what happened, one JSON object on each line, in the order of time: what is known of the newest session of each worker.
fn log(plan: &Plan, stops: &[WorkerEvent]) -> String {
    let mut events: Vec<(Timestamp, Value)> = Vec::new();
    let mut add = |at: Option<Timestamp>, kind: &str, worker: Option<&PlanWorker>| {
        if let Some(at) = at {
            events.push((
                at,
                json!({
                    "type": kind,
                    "timestamp": at,
                    "plan": plan.id,
                    "worker_name": worker.map(|worker| plain(&worker.name)),
                    "session_id": worker.and_then(|worker| worker.session_id.as_ref()),
                    "detail": worker.and_then(|worker| worker.why.as_deref()).map(plain),
                }),
            ));
        }
    };
    add(Some(plan.created_at), "plan_proposed", None);
    add(plan.started_at, "plan_run", None);
    for worker in &plan.workers {
        add(worker.started_at, "worker_started", Some(worker));
        let kind = match worker.state {
            ShareState::Done => "worker_done",
            ShareState::Failed => "worker_failed",
            ShareState::Skipped => "worker_skipped",
            ShareState::Waiting | ShareState::Running => continue,
        };
        add(worker.ended_at, kind, Some(worker));
    }
    let end = match plan.state {
        PlanState::Cancelled => "plan_cancelled",
        _ => "plan_complete",
    };
    add(plan.ended_at, end, None);
    for stop in stops {
        let is_its = |worker: &&PlanWorker| worker.session_id.as_ref() == Some(&stop.session_id);
        let worker = plan.workers.iter().find(is_its);
        events.push((
            stop.timestamp,
            json!({
                "type": "worker_stopped",
                "timestamp": stop.timestamp,
                "plan": plan.id,
                "worker_name": worker.map(|worker| plain(&worker.name)),
                "session_id": stop.session_id,
                "stop": stop.stop,
                "event": stop.kind,
                "detail": plain(&stop.detail),
                "answer": stop.answer.as_deref().map(plain),
            }),
        ));
    }
    events.sort_by_key(|(at, _)| *at);
    events.iter().map(|(_, event)| format!("{event}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::{make, text};
    use serde_json::{Value, json};

    #[test]
    fn the_files_say_what_came_of_each_worker_in_order() {
        let worker = |name: &str, state: &str, from: u32, to: u32| {
            let at = |minute: u32| format!("2026-01-01T00:{minute:02}:00Z");
            json!({ "name": name, "domain": name, "tasks": [name], "needs": [], "state": state, "sessionId": "s000000000001",
                "why": null, "startedAt": at(from), "endedAt": at(to), "seconds": (to - from) * 60, "tokens": 5 })
        };
        let task = |id: &str| json!({ "id": id, "title": id, "domain": id, "stage": 0, "done": false });
        let plan = json!({
            "id": "pl000000000001", "projectId": "p000000000001", "title": "x", "state": "complete", "atOnce": 6,
            "tasks": [task("api"), task("../ui")],
            "workers": [worker("api", "done", 2, 4), worker("../ui", "skipped", 1, 5)],
            "advice": "", "warning": null, "report": "", "createdAt": "2026-01-01T00:00:00Z",
            "startedAt": "2026-01-01T00:01:00Z", "endedAt": "2026-01-01T00:05:00Z",
        });
        let stop = json!({ "sessionId": "s000000000001", "workerName": "api-1", "type": "waiting", "stop": "confirmation",
            "detail": "Should I proceed?\u{1b}[2J", "answer": "Should I?", "terminalContent": "", "timestamp": "2026-01-01T00:03:00Z" });
        let stops = [serde_json::from_value(stop).unwrap()];
        let files = make(&serde_json::from_value(plan).unwrap(), &stops);
        let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(
            names,
            [
                "event_log.jsonl",
                "worker-api_result.json",
                "worker----ui_result.json"
            ]
        );
        let lines: Vec<Value> = files[0]
            .1
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        let kinds: Vec<&str> = lines.iter().map(|line| line["type"].as_str().unwrap()).collect();
        assert_eq!(
            kinds,
            [
                "plan_proposed",
                "plan_run",
                "worker_started",
                "worker_started",
                "worker_stopped",
                "worker_done",
                "worker_skipped",
                "plan_complete"
            ]
        );
        let stopped = &lines[4];
        assert_eq!(
            (&stopped["worker_name"], &stopped["stop"], &stopped["event"]),
            (&json!("api"), &json!("confirmation"), &json!("waiting"))
        );
        assert_eq!(stopped["detail"], "Should I proceed? [2J", "as it is shown");
        let result: Value = serde_json::from_str(&files[1].1).unwrap();
        assert_eq!(
            (&result["status"], &result["seconds"]),
            (&json!("done"), &json!(120))
        );
    }

    #[test]
    fn files_differ_by_name_and_nothing_in_them_or_in_the_report_acts_on_a_terminal() {
        let worker = |name: &str| {
            json!({ "name": name, "domain": name, "tasks": ["a\u{202e}"], "needs": [], "state": "failed",
                "sessionId": null, "why": "no\u{1b}[2J\u{9b}", "endedAt": "2026-01-01T00:00:00Z" })
        };
        let long = "x".repeat(300);
        let plan = json!({
            "id": "pl000000000001", "projectId": "p000000000001", "title": "t\u{1b}", "state": "running", "atOnce": 6,
            "tasks": [{ "id": "a\u{202e}", "title": "T\u{1b}\u{9b}\u{202e}", "domain": "d", "stage": 0, "done": false }],
            "workers": [worker("a b"), worker("a-b"), worker("A-b"), worker(&long)],
            "advice": "", "warning": null, "report": "- d\u{1b}[2J: 0/1\n- e\u{202e}: 1/1\n", "createdAt": "2026-01-01T00:00:00Z",
        });
        let plan = serde_json::from_value(plan).unwrap();
        assert_eq!(text(&plan), "- d [2J: 0/1\n- e\\u202e: 1/1\n");
        let files = make(&plan, &[]);
        let mut names: Vec<String> = files.iter().map(|(name, _)| name.to_lowercase()).collect();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), files.len());
        assert!(names.iter().all(|name| name.len() < 100), "{names:?}");
        let said: String = files.into_iter().map(|(_, said)| said).collect();
        assert!(!said.contains(['\u{1b}', '\u{9b}', '\u{202e}']), "{said}");
    }
}
