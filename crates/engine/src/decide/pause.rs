//! Holds sessions back and lets them go on: by a person's word, or over a budget. A session that is
//! paused takes no messages, and nothing starts below it. A turn that goes on is interrupted once, by
//! the agent's own key; whoever types there afterwards is not hindered.

use crate::decide::{limits, status};
use crate::session::{hold, retry};
use crate::state::draft::Draft;
use crate::state::find;
use crate::state::known::State;
use downbeat_model::session::Pause;
use downbeat_model::{Activity, EventKind, SessionId, Status};
use downbeat_store::SessionRow;
use downbeat_wire::ApiError;
use downbeat_wire::usage::BudgetScope;
use jiff::Timestamp;
use serde_json::json;

/// The session that is paused and holds back what is to start below it.
pub fn above(state: &State, parent: Option<&SessionId>) -> Option<String> {
    let mut at = parent.and_then(|id| state.sessions.get(id));
    while let Some(row) = at {
        if row.hold.pause.is_some() && !row.status.is_ended() {
            return Some(row.name.clone());
        }
        at = row.parent.as_ref().and_then(|id| state.sessions.get(id));
    }
    None
}

/// Pauses a session that is not over, at a person's word or for a budget.
pub fn begin(
    draft: &mut Draft,
    id: &SessionId,
    why: String,
    budget: Option<BudgetScope>,
) -> Result<(), ApiError> {
    let at = draft.now();
    let interrupts = goes_on(draft.session(id)?, at);
    let pause = Pause {
        at,
        why: why.clone(),
        budget,
        interrupts,
    };
    draft.session(id)?.hold.pause = Some(pause);
    draft.session_event(id, EventKind::SessionPaused, json!({ "why": why }));
    show(draft, id)
}

/// Whether a turn goes on, or does once its agent asks its model again by itself.
pub(crate) fn goes_on(row: &SessionRow, now: Timestamp) -> bool {
    row.status == Status::Running || retry::retries_at(row, now).is_some()
}

/// Says anew why a session is paused: another budget holds it now.
pub fn again(draft: &mut Draft, id: &SessionId, why: &str, budget: BudgetScope) -> Result<(), ApiError> {
    let hold = &mut draft.session(id)?.hold;
    if let Some(pause) = &mut hold.pause {
        (pause.why, pause.budget) = (why.to_owned(), Some(budget));
    }
    draft.session_event(id, EventKind::SessionChanged, serde_json::Value::Null);
    show(draft, id)
}

/// Lets a session go on. One whose turn was interrupted is told so.
pub fn end(draft: &mut Draft, id: &SessionId) -> Result<(), ApiError> {
    let ended = draft.session(id)?.hold.pause.take();
    draft.session_event(id, EventKind::SessionWentOn, serde_json::Value::Null);
    show(draft, id)?;
    let row = draft.session(id)?;
    let rests = !row.status.is_ended()
        && row
            .observed
            .as_ref()
            .is_some_and(|seen| seen.activity == Activity::Idle);
    match ended.is_some_and(|pause| pause.interrupts) && rests {
        true => limits::put(draft, id),
        false => Ok(()),
    }
}

/// Shows a session as it is known to be, paused or not.
fn show(draft: &mut Draft, id: &SessionId) -> Result<(), ApiError> {
    let row = draft.session(id)?;
    let known = matches!(
        row.status,
        Status::Running | Status::Waiting | Status::Idle | Status::Unknown | Status::Paused
    );
    let Some((status, evidence)) = row
        .observed
        .as_ref()
        .filter(|_| known)
        .map(|seen| hold::shown(row, seen))
    else {
        return Ok(());
    };
    status::set(draft, id, status, evidence)
}

/// Lets a session go on at a person's word, and what is paused below it for the same reason, but not
/// those that `stay`, which another budget holds; budgets that it is over, by `past`, do not pause it
/// again until they are changed.
pub fn go_on(draft: &mut Draft, id: &SessionId, past: &[String], stay: &[SessionId]) -> Result<(), ApiError> {
    let by_budget = draft.session(id)?.is_paused_by_budget();
    let below = find::below(draft.state(), id).into_iter();
    let same = below.filter(|row| {
        let same = |pause: &Pause| pause.budget.is_some() == by_budget;
        !stay.contains(&row.id) && row.hold.pause.as_ref().is_some_and(same)
    });
    let ids: Vec<_> = std::iter::once(id.clone())
        .chain(same.map(|row| row.id.clone()))
        .collect();
    for id in ids {
        let hold = &mut draft.session(&id)?.hold;
        let new = past
            .iter()
            .filter(|key| !hold.past.contains(key))
            .cloned()
            .collect::<Vec<_>>();
        hold.past.extend(new);
        end(draft, &id)?;
    }
    Ok(())
}

#[cfg(test)]
#[path = "pause_tests.rs"]
mod tests;
