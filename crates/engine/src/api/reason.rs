//! Explains why a session is not working, from its usage limit, its place in the queue and its folder. The part
//! that follows from the session alone is [`crate::decide::reason`].

use crate::api::{limits, view};
use crate::decide::line::Line;
use crate::decide::{admission, reason};
use crate::state::context::Engine;
use crate::state::known::State;
use downbeat_model::reason::PlaceInLine;
use downbeat_model::{Reason, Status};
use downbeat_store::SessionRow;
use downbeat_wire::session::{SessionStatus, SessionSummary};

/// Returns the full reason.
pub fn of(engine: &Engine, state: &State, row: &SessionRow) -> Option<Reason> {
    let agent = engine.agent(&row.agent);
    let name = agent
        .as_ref()
        .map_or(row.agent.as_str(), |agent| agent.name.as_str());
    let over = limits::state(engine, row).and_then(|limit| limit.over_at);
    let line = (row.status == Status::Queued).then(|| in_line(engine, state, row));
    let is_away = row.status.is_live() && engine.runtimes.of(&row.id).is_away();
    let missing = row.workspace_path.as_deref().filter(|_| is_away);
    reason::derive(row, name, over, line.flatten(), missing)
}

/// Returns what a queued session waits for, and its position among the sessions that wait for the same.
fn in_line(engine: &Engine, state: &State, row: &SessionRow) -> Option<PlaceInLine> {
    if row.hold.pause.is_some() || admission::stopped(state, row).is_some() {
        return None;
    }
    let parent = row.parent.as_ref();
    let Some(cap) = engine
        .limits()
        .cap(row.depth, admission::load(state, parent, &row.project_id))
    else {
        let held_by = admission::held(state, parent, &row.project_id)?;
        return Some(PlaceInLine { held_by, place: 0 });
    };
    let beside = |other: &SessionRow| match cap {
        downbeat_model::limit::Cap::Sessions(_) => true,
        downbeat_model::limit::Cap::Project(_) => other.project_id == row.project_id,
        downbeat_model::limit::Cap::Workers(_) => other.parent.as_ref() == parent,
    };
    let line = Line::of(state);
    let before = state.sessions.values().filter(|other| {
        other.status == Status::Queued && beside(other) && line.place(other) <= line.place(row)
    });
    Some(PlaceInLine {
        held_by: cap.to_string(),
        place: u32::try_from(before.count()).unwrap_or(u32::MAX),
    })
}

/// Sets `reason` in each session.
pub fn fill(engine: &Engine, state: &State, sessions: &mut [SessionSummary]) {
    for session in sessions {
        let row = state.sessions.get(&session.id);
        session.reason = row.and_then(|row| of(engine, state, row));
    }
}

/// Converts a session to its short form, with its reason.
pub fn status(engine: &Engine, state: &State, row: &SessionRow) -> SessionStatus {
    SessionStatus {
        reason: of(engine, state, row),
        ..view::status(row)
    }
}
