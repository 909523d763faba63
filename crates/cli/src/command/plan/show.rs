//! Plans as text at a prompt.

use super::across::project_of;
use super::report;
use crate::paint::plain;
use crate::table::{Cell, lines};
use downbeat_model::shown;
use downbeat_plans::{PlanState, ShareState, Split, Task, length};
use downbeat_wire::plan::{Plan, PlanWorker};
use std::collections::HashMap;

/// Returns plans as a table.
pub(super) fn list(all: &[Plan]) -> String {
    if all.is_empty() {
        return "There are no plans. `downbeat orchestrate \"…\"` makes one.\n".to_owned();
    }
    let rows: Vec<Vec<Cell>> = all.iter().map(row).collect();
    lines(&["PLAN", "STATE", "DONE", "TITLE"], &rows)
}

fn row(plan: &Plan) -> Vec<Cell> {
    let done = plan
        .workers
        .iter()
        .filter(|worker| worker.state == ShareState::Done)
        .count();
    vec![
        Cell::from(plan.id.to_string()),
        Cell::from(word(plan.state).to_owned()),
        Cell::from(format!("{done}/{}", plan.workers.len())),
        Cell::from(plain(&plan.title)),
    ]
}

/// Returns a plan with its workers.
pub(super) fn one(plan: &Plan) -> String {
    let head = format!("{} ({}): {}\n", plan.id, word(plan.state), plain(&plan.title));
    format!("{head}{}", body(plan))
}

/// Returns a plan that is only shown, and has no id that could be used.
pub(super) fn unkept(plan: &Plan) -> String {
    format!("Not kept: {}\n{}", plain(&plan.title), body(plan))
}

/// Returns what stands below the title of a plan.
fn body(plan: &Plan) -> String {
    let mut text = String::new();
    let tasks = report::by_id(plan);
    let rows = plan.workers.iter().map(|worker| of_worker(plan, worker, &tasks));
    let rows: Vec<Vec<Cell>> = rows.collect();
    text.push_str(&lines(&titles(plan), &rows));
    text.push_str(&format!("{}.\n", plain(&plan.advice)));
    if let Some(warning) = &plan.warning {
        text.push_str(&format!("Note: {}.\n", plain(warning)));
    }
    text.push_str(&options(plan));
    if let Some(why) = &plan.why {
        text.push_str(&format!("It is paused: {}.\n", plain(why)));
    }
    for note in &plan.notes {
        text.push_str(&format!("Note: {}.\n", plain(note)));
    }
    if let Some(folder) = &plan.results {
        text.push_str(&format!("Result files count in {}.\n", plain(folder)));
    }
    if plan.state != PlanState::Proposed {
        text.push_str(&report::text(plan));
    }
    text
}

/// Returns what was chosen for a plan.
fn options(plan: &Plan) -> String {
    let each = match plan.split {
        Split::Domain => "domain",
        Split::Task => "task",
    };
    let mut text = format!("One worker for each {each}, at most {} at once", plan.at_once);
    if let Some(agent) = &plan.agent {
        text.push_str(&format!(", with {}", plain(agent)));
    }
    text.push_str(".\n");
    let money = plan.budget.usd.map(|usd| format!("${usd:.2}"));
    let tokens = plan.budget.tokens.map(|tokens| format!("{tokens} tokens"));
    let minutes = plan.minutes.map(|minutes| format!("{minutes} min"));
    let limits: Vec<String> = money.into_iter().chain(tokens).chain(minutes).collect();
    let is_over = plan.state.is_over();
    if !limits.is_empty() && !is_over {
        text.push_str(&format!("It is paused after {}.\n", limits.join(" or ")));
    }
    if plan.conductors {
        text.push_str("Its workers may have workers of their own.\n");
    }
    if !plan.priority.is_normal() {
        text.push_str(&format!("Its priority is {}.\n", plan.priority.as_str()));
    }
    if let Some(file) = &plan.file {
        text.push_str(&format!("Tasks that are done are ticked in {}.\n", plain(file)));
    }
    text
}

/// The most lines of a description that are shown, unless all are asked for.
const MOST_LINES: usize = 8;

/// The most characters of such a line.
const WIDTH: usize = 110;

/// Returns what the workers of a plan are asked besides the titles of their tasks.
pub(super) fn asked(plan: &Plan, is_full: bool) -> String {
    let mut text = String::new();
    for task in plan.tasks.iter().filter(|task| !task.done && has_more(task)) {
        text.push_str(&format!("\n{}: {}\n", plain(&task.id), plain(&task.title)));
        let lines = wrapped(&task.description);
        let most = if is_full { lines.len() } else { MOST_LINES };
        for line in lines.iter().take(most) {
            text.push_str(format!("  {line}").trim_end());
            text.push('\n');
        }
        if let Some(more) = lines.len().checked_sub(most).filter(|more| *more > 0) {
            text.push_str(&format!("  … {more} more lines: --full shows them\n"));
        }
        for skill in &task.skills {
            text.push_str(&format!("  It uses the skill {}.\n", plain(skill)));
        }
        for check in &task.checks {
            text.push_str(&format!("  It is done when: {}\n", plain(check)));
        }
        if let Some(agent) = &task.agent {
            text.push_str(&format!("  Its agent is {}.\n", plain(agent)));
        }
        if let Some(model) = &task.model {
            text.push_str(&format!("  Its model is {}.\n", plain(model)));
        }
        if let Some(mode) = task.permission_mode {
            text.push_str(&format!("  Its permission mode is {}.\n", mode.as_str()));
        }
    }
    match text.is_empty() {
        true => text,
        false => format!("\nWhat the workers are asked, besides the titles:\n{text}"),
    }
}

/// Returns whether a worker is asked more than the title of a task says.
pub(super) fn has_more(task: &Task) -> bool {
    !(task.description.is_empty() && task.skills.is_empty() && task.checks.is_empty())
        || task.agent.is_some()
        || task.model.is_some()
        || task.permission_mode.is_some()
}

/// Cuts a text into lines that fit on a screen, between words where that is possible, and writes out what acts on a terminal.
fn wrapped(text: &str) -> Vec<String> {
    let mut rows = Vec::new();
    for line in text.lines() {
        let line: Vec<char> = shown::lines(line).chars().collect();
        let mut rest = line.as_slice();
        while rest.len() > WIDTH {
            let blank = rest
                .iter()
                .take(WIDTH)
                .rposition(|c| *c == ' ')
                .filter(|at| *at > 0);
            let (row, after) = rest.split_at(blank.unwrap_or(WIDTH));
            rows.push(row.iter().collect());
            rest = after.strip_prefix(&[' ']).unwrap_or(after);
        }
        rows.push(rest.iter().collect());
    }
    rows
}

fn of_worker(plan: &Plan, worker: &PlanWorker, tasks: &HashMap<&str, &Task>) -> Vec<Cell> {
    let named: Vec<String> = report::of(worker, tasks)
        .map(|task| format!("{}: {}", task.id, task.title))
        .collect();
    let is_over = plan.state == PlanState::Cancelled;
    let state = match worker.state {
        ShareState::Running if is_over => "stopped",
        ShareState::Waiting if is_over => "not started",
        ShareState::Running if worker.started_at.is_none() => "queued",
        ShareState::Done if worker.merge_failed.is_some() => "not merged",
        ShareState::Done if worker.by_hand => "done by hand",
        state => state.as_str(),
    };
    let why = worker
        .asks
        .as_deref()
        .or(worker.why.as_deref())
        .or(worker.merge_failed.as_deref())
        .filter(|_| !is_over || worker.state != ShareState::Waiting);
    let mut cells = vec![plain(&worker.name)];
    if !plan.projects.is_empty() {
        let project = project_of(plan, worker).map(|project| plain(&project.name));
        cells.push(project.unwrap_or_default());
    }
    if has_phases(plan) {
        let phase = report::of(worker, tasks).find_map(|task| task.phase.as_deref());
        cells.push(shortened(&plain(phase.unwrap_or_default()), PHASE));
    }
    cells.push(state.to_owned());
    if plan.started_at.is_some() {
        let session = worker.session_id.as_ref().map(ToString::to_string);
        let seconds = worker.seconds.map(length);
        let cost = worker.usd.map(|usd| format!("${usd:.2}"));
        let branch = worker.branch.as_deref().map(plain);
        cells.extend([session, branch, seconds, cost].map(Option::unwrap_or_default));
    }
    cells.push(shortened(&plain(&named.join("; ")), TASKS));
    cells.push(shortened(&plain(&worker.needs.join(", ")), NEEDS));
    cells.push(plain(why.unwrap_or_default()));
    cells.into_iter().map(Cell::from).collect()
}

/// The most characters of the tasks of a worker, of what it needs, and of a phase.
const TASKS: usize = 70;
const NEEDS: usize = 40;
const PHASE: usize = 30;

fn shortened(text: &str, most: usize) -> String {
    match text.chars().nth(most) {
        Some(_) => format!("{}…", text.chars().take(most - 1).collect::<String>()),
        None => text.to_owned(),
    }
}

/// Reports whether phases of a plan wait for each other.
fn has_phases(plan: &Plan) -> bool {
    plan.tasks.iter().any(|task| task.stage > 0)
}

/// Returns the titles of the columns: those of sessions only once there were some.
fn titles(plan: &Plan) -> Vec<&'static str> {
    let mut titles = vec!["WORKER"];
    if !plan.projects.is_empty() {
        titles.push("PROJECT");
    }
    if has_phases(plan) {
        titles.push("PHASE");
    }
    titles.push("STATE");
    if plan.started_at.is_some() {
        titles.extend(["SESSION", "BRANCH", "TIME", "COST"]);
    }
    titles.extend(["TASKS", "NEEDS", "WHY"]);
    titles
}

fn word(state: PlanState) -> &'static str {
    match state {
        PlanState::Proposed => "proposed",
        PlanState::Running => "running",
        PlanState::Paused => "paused",
        PlanState::Complete => "complete",
        PlanState::Cancelled => "cancelled",
    }
}

#[cfg(test)]
mod tests {
    use super::{asked, one};
    use serde_json::json;

    #[test]
    fn a_plan_that_is_not_run_shows_what_workers_are_asked() {
        let long = format!(
            "First\u{1b}[2J\n\tthen {}\n{}",
            "x".repeat(200),
            "more\n".repeat(20)
        );
        let task = |id: &str, description: &str| {
            json!({ "id": id, "title": format!("Task {id}"), "domain": "d\u{202e}", "stage": 0, "done": false,
                "description": description })
        };
        let mut tasks = [task("1", ""), task("2", &long), task("3", "Short")];
        (tasks[2]["checks"], tasks[2]["agent"]) = (json!(["it\nworks"]), json!("codex"));
        let plan = json!({
            "id": "pl000000000001", "projectId": "p000000000001", "title": "t", "state": "running", "atOnce": 6, "tasks": tasks,
            "workers": [{ "name": "d", "domain": "d", "tasks": ["1", "2", "3"], "needs": [], "state": "waiting", "sessionId": null,
                "why": null }],
            "advice": "a", "warning": null, "report": "- d\u{1b}: 0/3 tasks\n", "createdAt": "2026-01-01T00:00:00Z",
        });
        let plan = serde_json::from_value(plan).unwrap();
        let said = asked(&plan, false);
        assert!(!said.contains("Task 1") && !said.contains('\u{1b}'), "{said}");
        assert!(
            said.contains("\n2: Task 2\n  First\\e[2J\n  \tthen\n  xxx"),
            "{said}"
        );
        assert!(
            said.contains("\n  … 16 more lines: --full shows them\n"),
            "{said}"
        );
        let third = "\n3: Task 3\n  Short\n  It is done when: it works\n  Its agent is codex.\n";
        assert!(said.ends_with(third), "{said}");
        assert_eq!(asked(&plan, true).matches("  more\n").count(), 20);
        assert!(one(&plan).ends_with("- d : 0/3 tasks\n"), "{}", one(&plan));
    }
}
