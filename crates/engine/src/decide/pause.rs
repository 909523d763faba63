//! Pauses sessions and lets them continue: by a person's request, or over a budget. A paused session takes no
//! messages, and nothing starts below it. A running turn is interrupted once, by the agent's own key; a
//! person who types there afterwards is not hindered.

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

/// Returns the name of the nearest paused session above, which holds back what is to start below it.
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

/// Pauses a session that is not over, by a person's request or for a budget.
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

/// Reports whether a turn is running, or will once its agent retries by itself.
pub(crate) fn goes_on(row: &SessionRow, now: Timestamp) -> bool {
    row.status == Status::Running || retry::retries_at(row, now).is_some()
}

/// Changes the reason of a pause: another budget holds the session now.
pub fn again(draft: &mut Draft, id: &SessionId, why: &str, budget: BudgetScope) -> Result<(), ApiError> {
    let hold = &mut draft.session(id)?.hold;
    if let Some(pause) = &mut hold.pause {
        (pause.why, pause.budget) = (why.to_owned(), Some(budget));
    }
    draft.session_event(id, EventKind::SessionChanged, serde_json::Value::Null);
    show(draft, id)
}

/// Ends a pause. A session whose turn was interrupted gets a message to continue.
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

/// Shows the status of a session as it is observed, paused or not.
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

/// Lets a session continue at a person's request, with the sessions below it that are paused for the same
/// reason, except those in `stay`, which another budget holds. The budgets in `past` do not pause it again
/// until they are changed.
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
