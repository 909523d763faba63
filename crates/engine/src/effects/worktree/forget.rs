//! Removes ended sessions from the list for good, with their files outside the database. Their worktrees are
//! removed before: see [`crate::effects::worktree::remove`].

use crate::decide::{merge, merge_queue, shells};
use crate::effects::process::end::SEEN;
use crate::effects::process::{clear_shell, shells_end};
use crate::host::failpoint::point;
use crate::state::context::Engine;
use crate::state::draft::Draft;
use crate::state::requests::Effect;
use downbeat_model::queue::Withdrawal;
use downbeat_model::{EventKind, SessionId, Status};
use downbeat_wire::{ApiError, Code};
use serde_json::{Value, json};

/// Removes an ended session without a workspace from the list, with its terminal's files. Holds the session's
/// turn, so that nobody resumes it meanwhile. Without `force`, fails if a program runs in one of its shells.
pub async fn forget(engine: &Engine, id: &SessionId, force: bool) -> Result<(), ApiError> {
    let live = engine.runtimes.of(id);
    let Ok(_turn) = tokio::time::timeout(SEEN, live.turn.lock()).await else {
        let name = engine.row(id)?.name.clone();
        return Err(ApiError::new(Code::Conflict, format!("{name} is busy")).hint("try again"));
    };
    if !force {
        shells::refuse_held(&engine.ledger.state(), &*engine.row(id)?)?;
    }
    forget_held(engine, id, json!({})).await
}

/// Does the same for a caller that holds the session's turn; `answer` is kept as the response to the request.
pub async fn forget_held(engine: &Engine, id: &SessionId, answer: Value) -> Result<(), ApiError> {
    let row = engine.row(id)?;
    if !row.status.is_ended() && row.status != Status::Queued {
        return Err(
            ApiError::new(Code::Conflict, format!("{} is still running", row.name))
                .hint("kill or stop it first"),
        );
    }
    if row.workspace_path.is_some() && row.workspace == downbeat_model::Workspace::Worktree {
        return Err(
            ApiError::new(Code::Conflict, format!("{} still has its worktree", row.name))
                .hint("remove the worktree first; its work is saved"),
        );
    }
    merge::refuse_landing(&row)?;
    shells_end::end_beside(engine, id).await?;
    // The files go first: after a crash in between, the session is still listed and can be removed again, or
    // the recorded intent to remove it is carried out.
    let dir = engine.paths.keeper(id);
    if let Err(error) = clear_shell::clear_folder(dir).await {
        tracing::warn!("{error}");
    }
    point("forget-cleared");
    engine
        .ledger
        .write(|draft| {
            drop_from_list(draft, id)?;
            draft.effect(Effect::Answer(answer));
            Ok(())
        })
        .await?;
    engine.used.forget(id);
    if let Some(above) = &row.parent {
        engine.sum_up(std::slice::from_ref(above)).await?;
    }
    engine.runtimes.forget(id);
    engine.transcripts.forget(id).await;
    let output = engine.paths.check_output(&row.project_id, id);
    if let Err(error) = clear_shell::clear_folder(output).await {
        tracing::warn!("the output of checks stays: {error}");
    }
    // Most agents keep transcripts of their own elsewhere.
    let _ = tokio::fs::remove_file(engine.paths.transcript(id)).await;
    Ok(())
}

/// Drops the session from the list. Its usage counts towards its conductor, and its workers have none any more.
fn drop_from_list(draft: &mut Draft, id: &SessionId) -> Result<(), ApiError> {
    let row = draft.session(id)?;
    if row.status.is_live() {
        return Err(ApiError::new(Code::Conflict, format!("{} runs again", row.name)));
    }
    merge_queue::withdraw(draft, id, Withdrawal::SessionRemoved)?;
    let row = draft.session(id)?;
    let mut forgotten = row.lineage.forgotten.clone();
    forgotten.push(id.clone());
    let parent = row.parent.clone();
    let state = draft.state().clone();
    if let Some(parent) = parent.filter(|parent| state.sessions.contains_key(parent)) {
        let row = draft.session(&parent)?;
        row.lineage.forgotten.extend(forgotten);
    }
    for child in state
        .sessions
        .values()
        .filter(|other| other.parent.as_ref() == Some(id))
    {
        draft.session(&child.id)?.parent = None;
        draft.session_event(&child.id, EventKind::SessionChanged, Value::Null);
    }
    draft.came_or_went(id, EventKind::SessionRemoved, Value::Null);
    draft.drop_session(id);
    Ok(())
}
