//! Holds sessions back and lets them go on: by a person's word, or over a budget. A session that is
//! paused takes no messages, and nothing starts below it. A turn that goes on is interrupted once, by
//! the agent's own key; whoever types there afterwards is not hindered.

use crate::engine::Engine;
use crate::hold::{Hold, Pause};
use crate::idempotency::Effect;
use crate::ledger::{Draft, State};
use crate::{limits, lookup, messages, once, transition};
use downbeat_model::{Activity, EventKind, Evidence, Observed, SessionId, Status};
use downbeat_store::SessionRow;
use downbeat_wire::notice::NoticeKind;
use downbeat_wire::session::PauseState;
use downbeat_wire::usage::BudgetScope;
use downbeat_wire::{ApiError, Code};
use serde_json::json;
use std::sync::Arc;

/// What a session that is paused shows in place of `status`, and why.
pub fn shown(row: &SessionRow, seen: &Observed) -> (Status, Evidence) {
    let status = seen.activity.status();
    match Hold::of(row).pause {
        // A question on its screen is still asked, and what works has to be seen to.
        Some(pause) if rests(seen, status) => (Status::Paused, transition::by_engine(pause.why, pause.at)),
        _ => (status, seen.evidence.clone()),
    }
}

/// Whether nothing on the agent's screen needs anybody: it is idle, asked in prose, or cannot go on.
fn rests(seen: &Observed, status: Status) -> bool {
    let waits = status == Status::Waiting && (seen.open.is_empty() || seen.asks_in_prose());
    waits || matches!(status, Status::Idle | Status::Unknown)
}

/// What is shown of a pause.
pub fn state(row: &SessionRow) -> Option<PauseState> {
    let pause = Hold::of(row).pause.filter(|_| !row.status.is_ended())?;
    Some(PauseState {
        at: pause.at,
        why: pause.why,
        by_budget: pause.budget.is_some(),
    })
}

/// The session that is paused and holds back what is to start below it.
pub fn above(state: &State, parent: Option<&SessionId>) -> Option<String> {
    let mut at = parent.and_then(|id| state.sessions.get(id));
    while let Some(row) = at {
        if Hold::of(row).pause.is_some() && !row.status.is_ended() {
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
    let interrupts = goes_on(draft.session(id)?);
    let pause = Pause {
        at,
        why: why.clone(),
        budget,
        interrupts,
    };
    Hold::change(draft.session(id)?, |hold| hold.pause = Some(pause));
    draft.session_event(id, EventKind::SessionPaused, json!({ "why": why }));
    show(draft, id)
}

/// Whether a turn goes on, or does once its agent asks its model again by itself.
fn goes_on(row: &SessionRow) -> bool {
    row.status == Status::Running || messages::retries_at(row).is_some()
}

/// Says anew why a session is paused: another budget holds it now.
pub fn again(draft: &mut Draft, id: &SessionId, why: &str, budget: BudgetScope) -> Result<(), ApiError> {
    Hold::change(draft.session(id)?, |hold| {
        if let Some(pause) = &mut hold.pause {
            (pause.why, pause.budget) = (why.to_owned(), Some(budget));
        }
    });
    draft.session_event(id, EventKind::SessionChanged, serde_json::Value::Null);
    show(draft, id)
}

/// Lets a session go on. One whose turn was interrupted is told so.
pub fn end(draft: &mut Draft, id: &SessionId) -> Result<(), ApiError> {
    let mut ended = None;
    Hold::change(draft.session(id)?, |hold| ended = hold.pause.take());
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
        .map(|seen| shown(row, seen))
    else {
        return Ok(());
    };
    transition::set(draft, id, status, evidence)
}

/// Interrupts the turn of a session that was paused, in the background.
pub fn interrupt(engine: &Arc<Engine>, id: &SessionId) {
    let (engine, id) = (Arc::clone(engine), id.clone());
    tokio::spawn(async move {
        let closing = engine.closing.clone();
        tokio::select! {
            stopped = messages::interrupt(&engine, &id) => {
                if !matches!(stopped, Ok(true)) {
                    tracing::warn!(session = %id, "its turn goes on although it is paused: {stopped:?}");
                    not_interrupted(&engine, &id).await;
                }
            }
            () = closing.cancelled() => {}
        }
    });
}

/// A pause that does not hold what it says is told.
async fn not_interrupted(engine: &Engine, id: &SessionId) {
    let told = engine.ledger.write(|draft| {
        let row = draft.session(id)?;
        if !goes_on(row) || Hold::of(row).pause.is_none() {
            return Ok(());
        }
        let text = "it is paused, and its turn goes on: it could not be interrupted";
        transition::tell(draft, id, NoticeKind::NeedsLook, text.into())
    });
    if let Err(error) = told.await {
        tracing::warn!(session = %id, "that its turn goes on was not told: {error}");
    }
}

/// Pauses a session at a person's word, with `workers` all below it, too.
pub async fn pause(engine: &Arc<Engine>, id: &SessionId, workers: bool) -> Result<(), ApiError> {
    // What works may be what fills the disk.
    let paused = engine.ledger.write_or_owe(|draft| {
        let row = draft.session(id)?;
        if row.status.is_ended() || Hold::of(row).pause.is_some() {
            let how = if row.status.is_ended() {
                "over"
            } else {
                "paused already"
            };
            return Err(ApiError::new(Code::Conflict, format!("{} is {how}", row.name)));
        }
        if row.status == Status::Spawning {
            let what = format!("{} starts: there is nothing to pause yet", row.name);
            return Err(ApiError::new(Code::Conflict, what).hint("ask again once it is up"));
        }
        if once::is(row) {
            let what = format!("{} runs one prompt, which nothing can interrupt", row.name);
            let hint = format!(
                "`downbeat stop {}` ends it; resumed, it goes on from there",
                row.name
            );
            return Err(ApiError::new(Code::Conflict, what).hint(hint));
        }
        let mut ids = vec![id.clone()];
        if workers {
            let below = lookup::below(draft.state(), id).into_iter();
            let is_up = |row: &SessionRow| !row.status.is_ended() && row.status != Status::Spawning;
            // One that runs one prompt cannot be interrupted.
            let may = |row: &SessionRow| is_up(row) && !once::is(row);
            let fresh = below.filter(|row| may(row) && Hold::of(row).pause.is_none());
            ids.extend(fresh.map(|row| row.id.clone()));
        }
        for id in &ids {
            begin(draft, id, "paused by you".into(), None)?;
        }
        draft.effect(Effect::Session(id.clone()));
        Ok(ids)
    });
    for id in paused.await? {
        interrupt(engine, &id);
    }
    Ok(())
}

/// Lets a session go on at a person's word, and what is paused below it for the same reason, but not
/// those that `stay`, which another budget holds; budgets that it is over, by `past`, do not pause it
/// again until they are changed.
pub fn go_on(draft: &mut Draft, id: &SessionId, past: &[String], stay: &[SessionId]) -> Result<(), ApiError> {
    let pause = Hold::of(draft.session(id)?).pause;
    let by_budget = pause.is_some_and(|pause| pause.budget.is_some());
    let below = lookup::below(draft.state(), id).into_iter();
    let same = below.filter(|row| {
        let same = |pause: Pause| pause.budget.is_some() == by_budget;
        !stay.contains(&row.id) && Hold::of(row).pause.is_some_and(same)
    });
    let ids: Vec<_> = std::iter::once(id.clone())
        .chain(same.map(|row| row.id.clone()))
        .collect();
    for id in ids {
        Hold::change(draft.session(&id)?, |hold| {
            let new = past
                .iter()
                .filter(|key| !hold.past.contains(key))
                .cloned()
                .collect::<Vec<_>>();
            hold.past.extend(new);
        });
        end(draft, &id)?;
    }
    Ok(())
}
