//! Puts a session away whose work is over: ends its agent, removes its worktree and archives it. Each step is skipped if it
//! was done before. What holds unsaved work or a running program stays.

use crate::decide::{ending, shells};
use crate::effects::process::end;
use crate::effects::session::archive;
use crate::effects::worktree::{in_use, record, remove};
use crate::session::end_mode::EndMode;
use crate::state::context::Engine;
use crate::state::find;
use downbeat_model::{SessionId, Status, Workspace};
use downbeat_store::SessionRow;
use downbeat_wire::workspace::RemoveWorkspace;
use downbeat_wire::{ApiError, Caller, Code};
use std::sync::Arc;

/// The recorded reason for the end of the agent.
const WHY: &str = "after its pull request was closed";

/// Whether a session was put away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PutAway {
    /// It is archived, and has no worktree.
    Done,
    /// Its agent, or a worker below it, is at work.
    NotYet,
    /// Another pull request of it is open.
    GoesOn,
}

/// Puts a session away.
///
/// # Errors
/// Fails if its worktree holds unsaved work, or something else runs in it; then its agent was not ended.
pub async fn put_away(engine: &Arc<Engine>, id: &SessionId) -> Result<PutAway, ApiError> {
    let row = engine.row(id)?;
    if row.archived_at.is_some() {
        return Ok(PutAway::Done);
    }
    if row.pulls.iter().any(|card| card.is_open()) {
        return Ok(PutAway::GoesOn);
    }
    away(engine, id, WHY).await
}

/// Ends the agent of a session for a reason, removes the worktree and archives the session, whatever its pull requests are.
///
/// # Errors
/// Fails if its worktree holds unsaved work, or something else runs in it; then its agent was not ended.
pub async fn away(engine: &Arc<Engine>, id: &SessionId, why: &str) -> Result<PutAway, ApiError> {
    let row = engine.row(id)?;
    let busy = |row: &&Arc<SessionRow>| !row.status.is_ended();
    let is_at_rest = row.status.is_ended() || matches!(row.status, Status::Idle | Status::Paused);
    if !is_at_rest
        || find::below(&engine.ledger.state(), id)
            .iter()
            .any(|row| busy(&row))
    {
        return Ok(PutAway::NotYet);
    }
    let held = record::held_words(&record::state(engine, &row).await?);
    let beside = shells::held(&engine.ledger.state(), &Caller::Owner, id);
    if let Some(held) = [held, beside].into_iter().find(|words| !words.is_empty()) {
        return Err(ApiError::new(
            Code::UnsavedWork,
            format!("{} contains {held}", row.name),
        ));
    }
    if let Some(what) = in_use::in_use(engine, &row).await? {
        let what = format!("the worktree of {} is in use: {what}", row.name);
        return Err(ApiError::new(Code::Conflict, what));
    }
    // Refused by the archive as well, but only after the agent has ended.
    if row.merging.run.as_ref().is_some_and(|run| run.pull.is_none()) {
        let what = format!("the work of {} waits to be merged", row.name);
        return Err(ApiError::new(Code::Conflict, what));
    }
    if !row.status.is_ended() {
        let noted = engine
            .ledger
            .write(|draft| ending::note(draft, id, EndMode::Stop, why));
        if noted.await? {
            end::carry_out(engine, id, EndMode::Stop, why).await?;
        }
    }
    let row = engine.row(id)?;
    if row.workspace == Workspace::Worktree && row.workspace_path.is_some() {
        let request = RemoveWorkspace {
            id: id.to_string(),
            force: None,
            delete_branch: None,
            forget: None,
        };
        remove::remove(engine, &Caller::Owner, &row, &request).await?;
    }
    if engine.row(id)?.archived_at.is_none() {
        archive::archive(engine, id, false).await?;
    }
    Ok(PutAway::Done)
}
