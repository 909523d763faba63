//! Why a session is not at work, as every face shows it. The rule is [`downbeat_model::reason`]; here
//! what it needs is gathered: from the row alone where a change is written down, with limits, settings
//! and the queue where a session is shown.

use crate::engine::Engine;
use crate::hold::Hold;
use crate::ledger::State;
use crate::{limits, plan, queue, view};
use downbeat_model::reason::{Known, PlaceInLine};
use downbeat_model::{Reason, Status};
use downbeat_store::SessionRow;
use downbeat_wire::session::{Session, SessionStatus, Step, StepState};

/// The reason by what is written down of the session alone. Pure.
pub fn of_row(row: &SessionRow) -> Option<Reason> {
    derive(row, &row.agent, None, None, None)
}

/// The reason with all that is known.
pub fn of(engine: &Engine, state: &State, row: &SessionRow) -> Option<Reason> {
    let agent = engine.agent(&row.agent);
    let name = agent
        .as_ref()
        .map_or(row.agent.as_str(), |agent| agent.name.as_str());
    let over = limits::state(engine, row).and_then(|limit| limit.over_at);
    let line = (row.status == Status::Queued).then(|| in_line(engine, state, row));
    let is_away = row.status.is_live() && engine.runtimes.of(&row.id).is_away();
    let missing = row.workspace_path.as_deref().filter(|_| is_away);
    derive(row, name, over, line.flatten(), missing)
}

fn derive(
    row: &SessionRow,
    agent: &str,
    limit_over: Option<jiff::Timestamp>,
    line: Option<PlaceInLine>,
    missing: Option<&str>,
) -> Option<Reason> {
    let steps: Vec<Step> = match row.status {
        Status::Spawning => serde_json::from_value(row.steps.clone()).unwrap_or_default(),
        _ => Vec::new(),
    };
    let step = steps.iter().find(|step| step.state == StepState::Running);
    let pause = Hold::of(row).pause;
    downbeat_model::reason::reason(&Known {
        status: row.status,
        evidence: &row.status_evidence,
        seen: row.observed.as_ref().filter(|_| row.status.is_live()),
        error: row.error.as_deref(),
        pause: pause.as_ref().map(|pause| pause.why.as_str()),
        limit_over,
        line,
        step: step.map(|step| (step.name.as_str(), step.detail.as_str())),
        agent,
        missing,
    })
}

/// What holds a queued session back, and its place among those that the same holds.
fn in_line(engine: &Engine, state: &State, row: &SessionRow) -> Option<PlaceInLine> {
    if Hold::of(row).pause.is_some() || queue::killed_above(state, row).is_some() {
        return None;
    }
    let parent = row.parent.as_ref();
    let Some(cap) = engine.limits().cap(row.depth, plan::load(state, parent)) else {
        let held_by = plan::held(state, parent, &row.project_id)?;
        return Some(PlaceInLine { held_by, place: 0 });
    };
    let beside = |other: &SessionRow| match cap {
        downbeat_model::limit::Cap::Sessions(_) => true,
        downbeat_model::limit::Cap::Workers(_) => other.parent.as_ref() == parent,
    };
    let before = state.sessions.values().filter(|other| {
        other.status == Status::Queued
            && beside(other)
            && (other.created_at, &other.id) <= (row.created_at, &row.id)
    });
    Some(PlaceInLine {
        held_by: cap.to_string(),
        place: u32::try_from(before.count()).unwrap_or(u32::MAX),
    })
}

/// Fills in the reasons of sessions.
pub fn fill(engine: &Engine, state: &State, sessions: &mut [Session]) {
    for session in sessions {
        let row = state.sessions.get(&session.id);
        session.reason = row.and_then(|row| of(engine, state, row));
    }
}

/// The short form of a session, with its reason.
pub fn status(engine: &Engine, state: &State, row: &SessionRow) -> SessionStatus {
    SessionStatus {
        reason: of(engine, state, row),
        ..view::status(row)
    }
}

/// How a session is, in words for an error: `waiting: cannot go on: Invalid API key`.
pub fn says(row: &SessionRow) -> String {
    let status = row.status.as_str().replace('_', " ");
    match of_row(row) {
        Some(reason) => format!("{status}: {}", reason.text),
        None => status,
    }
}
