//! Puts a session away whose work is over: ends its agent, removes its worktree and archives it. Each step is skipped if it
//! was done before. What holds unsaved work or a running program stays.

use crate::decide::ending;
use crate::effects::process::end;
use crate::effects::session::archive;
use crate::effects::worktree::remove;
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

/// Puts a session away.
///
/// # Errors
/// Fails if its agent or a worker below it is at work, or if its worktree holds unsaved work.
pub async fn put_away(engine: &Arc<Engine>, id: &SessionId) -> Result<(), ApiError> {
    let row = engine.row(id)?;
    if row.archived_at.is_some() {
        return Ok(());
    }
    let busy = |row: &&Arc<SessionRow>| !row.status.is_ended();
    if let Some(worker) = find::below(&engine.ledger.state(), id).iter().find(busy) {
        return Err(ApiError::new(
            Code::Conflict,
            format!("its worker {} has not ended", worker.name),
        ));
    }
    if !row.status.is_ended() {
        if !matches!(row.status, Status::Idle | Status::Paused) {
            return Err(ApiError::new(
                Code::Conflict,
                format!("{} is {}", row.name, row.status.as_str()),
            ));
        }
        let noted = engine
            .ledger
            .write(|draft| ending::note(draft, id, EndMode::Stop, WHY));
        if noted.await? {
            end::carry_out(engine, id, EndMode::Stop, WHY).await?;
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
    archive::archive(engine, id, false).await
}
