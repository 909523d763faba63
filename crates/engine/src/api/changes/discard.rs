//! Discards what a session changed in one file, or one hunk of that, on request of the person, and undoes it. What the file
//! contains is kept by git first (`git/src/diff/discard.rs`); the list of changes is counted again.

use crate::api::changes::read::{reading, wanted};
use crate::host::blocking;
use crate::session::row;
use crate::state::context::Engine;
use crate::state::error;
use crate::state::requests::Effect;
use downbeat_git::{Discard, HunkAt};
use downbeat_model::{EventKind, SessionId};
use downbeat_store::SessionRow;
use downbeat_wire::change::{ChangeScope, DiscardChange, Discarded, Undone};
use downbeat_wire::{ApiError, Code};
use serde_json::{Value, json};
use std::path::PathBuf;

/// The lines around a change by default.
const CONTEXT: u32 = 3;

/// Discards a change.
///
/// # Errors
/// Fails if the change is not in the worktree, or is not as it was shown.
pub async fn discard(
    engine: &Engine,
    row: &SessionRow,
    request: DiscardChange,
) -> Result<Discarded, ApiError> {
    let live = engine.runtimes.of(&row.id);
    // Nobody removes the worktree meanwhile.
    let _turn = live.turn.lock().await;
    let row = &*engine.row(&row.id)?;
    let scope = request.scope.unwrap_or_default();
    if matches!(scope, ChangeScope::Committed | ChangeScope::Commit) {
        return Err(ApiError::invalid(
            "scope: only what is in the worktree can be discarded: `all`, `uncommitted` or `turn`",
        ));
    }
    let wanted = wanted(row, scope, None, request.turn, None)?;
    let (session, path) = (row.id.clone(), request.path.clone());
    let number = reading(engine, row, wanted, move |_, found| {
        let compared = found.compared();
        if compared.to.is_some() {
            // A backup or a branch: there is no worktree to change.
            return Ok(None);
        }
        let hunk = request.hunk.map(|hunk| HunkAt {
            old_start: hunk.old_start,
            new_start: hunk.new_start,
            context: hunk.context.unwrap_or(CONTEXT),
        });
        let asked = Discard {
            compared,
            session: &session,
            path: &request.path,
            old_path: request.old_path.as_deref(),
            id: &request.content_id,
            hunk,
        };
        downbeat_git::discard(&asked).map(Some)
    });
    let number = number.await?.ok_or_else(|| gone(row))?;
    let answer = Discarded {
        id: row.id.clone(),
        path,
        number,
    };
    note(engine, &row.id, json!(answer)).await?;
    Ok(answer)
}

/// Undoes a discarded change.
///
/// # Errors
/// Fails if there is no such change, or if a file was changed since.
pub async fn undo(engine: &Engine, row: &SessionRow, number: u32) -> Result<Undone, ApiError> {
    let live = engine.runtimes.of(&row.id);
    let _turn = live.turn.lock().await;
    let row = &*engine.row(&row.id)?;
    let repo = PathBuf::from(&engine.project(&row.project_id)?.path);
    let place = row::path_of(row).map_err(|_| gone(row))?;
    let (shown, session) = (place.display().to_string(), row.id.clone());
    let work = move || downbeat_git::undo_discard(&repo, &place, &session, number);
    let paths = blocking::within(blocking::CHANGES, &shown, work)
        .await?
        .map_err(|error| match error {
            downbeat_git::Error::UnknownRef { .. } => {
                let what = format!("{} has no discarded change {number}", row.name);
                ApiError::not_found("discarded change", number).hint(what)
            }
            error => error::git_as_asked(error),
        })?;
    let answer = Undone {
        id: row.id.clone(),
        paths,
    };
    note(engine, &row.id, json!(answer)).await?;
    Ok(answer)
}

/// Has the changes counted again, and stores the answer for a repeated request.
async fn note(engine: &Engine, id: &SessionId, answer: Value) -> Result<(), ApiError> {
    let write = engine.ledger.write(|draft| {
        let now = draft.now();
        if let Some(changed) = draft.session(id)?.changed.as_mut() {
            changed.stale_since = Some(now);
        }
        draft.session_event(id, EventKind::SessionChanged, Value::Null);
        draft.effect(Effect::Answer(answer));
        Ok(())
    });
    write.await
}

fn gone(row: &SessionRow) -> ApiError {
    let what = format!("{} has no worktree any more", row.name);
    ApiError::new(Code::Conflict, what).hint(format!("`downbeat resume {}` makes it again", row.name))
}
