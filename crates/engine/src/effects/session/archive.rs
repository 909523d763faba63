//! Archives ended sessions and restores them to the list. Worktree, name, conversation and events stay.

use crate::decide::shells;
use crate::effects::process::shells_end;
use crate::state::context::Engine;
use crate::state::find;
use crate::state::known::State;
use crate::state::requests::Effect;
use downbeat_model::{EventKind, SessionId};
use downbeat_store::SessionRow;
use downbeat_wire::{ApiError, Code};
use serde_json::json;
use std::sync::Arc;

/// The recorded reason for the end of an archived session's shells.
const WHY: &str = "by its archiving";

/// Archives a session, with the ended workers below it. Their shells are ended; a shell with a running
/// program only with `force`.
///
/// An archived session is later held in the store alone, once nobody works with it
/// (`reactors/let_go_archived.rs`).
pub async fn archive(engine: &Engine, id: &SessionId, force: bool) -> Result<(), ApiError> {
    let written = engine.ledger.write(|draft| {
        let all = family(draft.state(), id);
        let mut beside = Vec::new();
        if let Some(row) = all.iter().find(|row| !row.status.is_ended()) {
            let below = if row.id == *id { "" } else { ", a worker below it," };
            let text = format!("{}{below} has not ended: it is {}", row.name, row.status.as_str());
            return Err(ApiError::new(Code::Conflict, text).hint("stop or kill it first"));
        }
        if let Some(row) = all.iter().find(|row| waits_to_land(row)) {
            let text = format!("the work of {} waits to be merged", row.name);
            let way = format!(
                "wait for the result, or cancel it with `downbeat merge {} --cancel`",
                row.name
            );
            return Err(ApiError::new(Code::Conflict, text).hint(way));
        }
        if all.first().is_some_and(|row| row.archived_at.is_some()) {
            let text = format!("{} is archived already", draft.session(id)?.name);
            return Err(ApiError::new(Code::Conflict, text).hint("`downbeat list --archived` shows it"));
        }
        for row in all.iter().filter(|_| !force) {
            shells::refuse_held(draft.state(), row)?;
        }
        let now = draft.now();
        for row in all.iter().filter(|row| row.archived_at.is_none()) {
            draft.session(&row.id)?.archived_at = Some(now);
            draft.session_event(&row.id, EventKind::SessionArchived, json!(null));
            beside.extend(shells::note_kill(draft, &row.id, WHY)?);
        }
        draft.effect(Effect::Session(id.clone()));
        Ok(beside)
    });
    let beside = written.await?;
    shells_end::carry_out(engine, beside, WHY).await
}

/// Whether the work of a session waits in the merge queue of its project.
fn waits_to_land(row: &SessionRow) -> bool {
    row.merging.run.as_ref().is_some_and(|run| run.pull.is_none())
}

/// Restores an archived session to the list, with the sessions that were archived together with it.
pub async fn unarchive(engine: &Engine, id: &SessionId) -> Result<(), ApiError> {
    let _family = engine.recall_family(id).await?;
    let written = engine.ledger.write(|draft| {
        let row = draft.session(id)?;
        let Some(at) = row.archived_at else {
            let text = format!("{} is not archived", row.name);
            return Err(ApiError::new(Code::Conflict, text));
        };
        for row in family(draft.state(), id) {
            if row.archived_at == Some(at) {
                draft.session(&row.id)?.archived_at = None;
                draft.session_event(&row.id, EventKind::SessionUnarchived, json!(null));
            }
        }
        draft.effect(Effect::Session(id.clone()));
        Ok(())
    });
    written.await
}

/// Returns a session and all sessions below it, itself first.
fn family(state: &State, id: &SessionId) -> Vec<Arc<SessionRow>> {
    let own = state.sessions.get(id).cloned();
    own.into_iter().chain(find::below(state, id)).collect()
}
