//! Plans as text at a prompt.

use crate::paint::plain;
use crate::table::{Cell, lines};
use downbeat_plans::{PlanState, ShareState};
use downbeat_wire::plan::{Plan, PlanWorker};

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
    let mut text = format!("{} ({}): {}\n", plan.id, word(plan.state), plain(&plan.title));
    let rows: Vec<Vec<Cell>> = plan
        .workers
        .iter()
        .map(|worker| of_worker(plan, worker))
        .collect();
    text.push_str(&lines(&["WORKER", "STATE", "TASKS", "NEEDS", "WHY"], &rows));
    text.push_str(&format!("{}.\n", plain(&plan.advice)));
    if let Some(warning) = &plan.warning {
        text.push_str(&format!("Note: {}.\n", plain(warning)));
    }
    if let Some(why) = &plan.why {
        text.push_str(&format!("It is paused: {}.\n", plain(why)));
    }
    for note in &plan.notes {
        text.push_str(&format!("Note: {}.\n", plain(note)));
    }
    if plan.state != PlanState::Proposed {
        text.push_str(&plan.report);
    }
    text
}

fn of_worker(plan: &Plan, worker: &PlanWorker) -> Vec<Cell> {
    let tasks = plan.tasks.iter().filter(|task| worker.tasks.contains(&task.id));
    let titles: Vec<&str> = tasks.map(|task| task.title.as_str()).collect();
    vec![
        Cell::from(plain(&worker.name)),
        Cell::from(worker.state.as_str().to_owned()),
        Cell::from(plain(&titles.join("; "))),
        Cell::from(plain(&worker.needs.join(", "))),
        Cell::from(plain(worker.why.as_deref().unwrap_or_default())),
    ]
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
