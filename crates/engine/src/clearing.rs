//! Takes a workspace away that is to be removed: what is in it is saved, and it goes only where nothing was
//! written into it since. Who may ask for that is in [`crate::removal`].

use crate::bring_back::Removed;
use crate::engine::Engine;
use crate::point::point;
use crate::{error, removal};
use downbeat_git::{BackupInfo, Error, Seen};
use downbeat_store::SessionRow;
use downbeat_wire::{ApiError, Code};
use std::path::PathBuf;

/// How often a workspace is saved into which something writes meanwhile.
const TRIES: u32 = 3;

/// A workspace that was removed.
pub struct Cleared {
    /// What was saved of it.
    pub backup: Option<BackupInfo>,
    /// Whether there is saved work, of now or of before.
    pub has_backup: bool,
    /// What is left of it on the disk, in words.
    pub left: Option<String>,
}

/// Saves and removes a workspace; also tells whether there is saved work, of now or of before. What
/// was saved is noted before anything goes: a crash in between must not forget it.
pub async fn clear(engine: &Engine, row: &SessionRow, repo: PathBuf) -> Result<Cleared, ApiError> {
    let (mut backup, mut left) = (None, None);
    if let Some(path) = row.workspace_path.as_ref().map(PathBuf::from) {
        let mut tries = 1;
        loop {
            let (asked, at) = (repo.clone(), path.clone());
            let seen = error::blocking(move || Seen::of(&asked, &at)).await?;
            let seen = seen.map_err(error::git)?;
            // Also where its folder was deleted or moved by hand: git still has what was committed there.
            backup = save(engine, row, repo.clone(), path.clone()).await?;
            let (asked, at) = (repo.clone(), path.clone());
            let gone = error::blocking(move || {
                point("remove-saved");
                let gone = downbeat_git::remove_unchanged(&asked, &at, &seen);
                point("remove-removed");
                gone
            });
            match gone.await? {
                Err(Error::Written { .. }) if tries < TRIES => tries += 1,
                // The worktree is gone all the same, and can be made again.
                Err(error @ (Error::Left { .. } | Error::LeftWritten { .. })) => {
                    left = Some(error.to_string());
                    break;
                }
                gone => break gone.map_err(refused)?,
            }
        }
    }
    let id = row.id.clone();
    let saved = error::blocking(move || downbeat_git::backups(&repo, &id)).await?;
    let has_backup = !saved.map_err(error::git)?.is_empty();
    Ok(Cleared {
        backup,
        has_backup,
        left,
    })
}

fn refused(error: Error) -> ApiError {
    match error {
        Error::Written { .. } => ApiError::new(Code::Conflict, error.to_string()),
        error => error::git(error),
    }
}

async fn save(
    engine: &Engine,
    row: &SessionRow,
    repo: PathBuf,
    path: PathBuf,
) -> Result<Option<BackupInfo>, ApiError> {
    let (copies, id) = (removal::copies(row), row.id.clone());
    let saved = error::blocking(move || downbeat_git::save(&repo, &path, &id, &copies));
    let saved = saved.await?.map_err(error::git)?;
    engine
        .ledger
        .write(|draft| {
            let row = draft.session(&row.id)?;
            Removed::note_saved(row, saved.as_ref());
            row.has_backup |= saved.is_some();
            Ok(())
        })
        .await?;
    Ok(saved)
}
