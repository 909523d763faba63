//! Deletes the build output in the worktree of a session that has ended, and measures it. The worktree itself stays; its
//! removal is in [`crate::effects::worktree::remove`].

use crate::host::blocking;
use crate::state::context::Engine;
use crate::state::{error, find};
use downbeat_model::Workspace;
use downbeat_store::SessionRow;
use downbeat_wire::workspace::BuildOutput;
use downbeat_wire::{ApiError, Code};
use std::path::PathBuf;

/// Deletes the build output, or only measures it.
///
/// # Errors
/// Fails if the session has no worktree of its own, or if something may be running in it that needs the files.
pub async fn clear(engine: &Engine, row: &SessionRow, is_dry: bool) -> Result<BuildOutput, ApiError> {
    let live = engine.runtimes.of(&row.id);
    // Nobody resumes the session meanwhile.
    let _turn = live.turn.lock().await;
    let row = &*engine.row(&row.id)?;
    let name = &row.name;
    let path = row
        .workspace_path
        .as_ref()
        .filter(|_| row.workspace == Workspace::Worktree);
    let Some(path) = path else {
        let what = format!("{name} has no worktree of its own");
        return Err(ApiError::new(Code::Conflict, what));
    };
    if !is_dry {
        refuse_in_use(engine, row)?;
    }
    let repo = PathBuf::from(&engine.project(&row.project_id)?.path);
    let place = PathBuf::from(path);
    let work = move || match is_dry {
        true => downbeat_git::build_output(&repo, &place),
        false => downbeat_git::clear_build_output(&repo, &place),
    };
    let output = blocking::within(blocking::WORK, path, work)
        .await?
        .map_err(error::git)?;
    Ok(BuildOutput {
        id: row.id.clone(),
        folders: output.folders,
        bytes: output.bytes,
    })
}

fn refuse_in_use(engine: &Engine, row: &SessionRow) -> Result<(), ApiError> {
    let name = &row.name;
    if !row.status.is_ended() {
        let what = format!("{name} is {}", row.status.as_str());
        let way = format!("`downbeat stop {name}` ends it and keeps its worktree");
        return Err(ApiError::new(Code::Conflict, what).hint(way));
    }
    match find::open_beside(&engine.ledger.state(), &row.id).next() {
        Some(shell) => {
            let what = format!("a shell is open in the worktree of {name}");
            let way = format!("`downbeat kill {}` closes it", shell.name);
            Err(ApiError::new(Code::Conflict, what).hint(way))
        }
        None => Ok(()),
    }
}
