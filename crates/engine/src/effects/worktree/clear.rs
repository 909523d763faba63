//! Clears a workspace that is to be removed: saves its contents, and removes it only if nothing was written
//! into it since. Who may request that is decided in [`crate::effects::worktree::remove`].

use crate::host::blocking;
use crate::host::failpoint::point;
use crate::session::copies;
use crate::state::context::Engine;
use crate::state::error;
use downbeat_git::{BackupInfo, Error, Seen};
use downbeat_model::session::Removed;
use downbeat_store::SessionRow;
use downbeat_wire::{ApiError, Code};
use std::path::{Path, PathBuf};

/// The number of times that a workspace is saved while something still writes into it.
const TRIES: u32 = 3;

/// The result of a removed workspace.
pub struct Cleared {
    /// The backup of its contents, if there was anything to save.
    pub backup: Option<BackupInfo>,
    /// Whether there is saved work, from now or earlier.
    pub has_backup: bool,
    /// A sentence about what is left of it on the disk.
    pub left: Option<String>,
    /// The folder that it was moved to if nothing of it could be saved.
    pub kept: Option<PathBuf>,
}

/// The way out if git cannot read a workspace.
pub const WAY: &str = "confirm (force) to move its folder aside unchanged; nothing in it is deleted, and the session can start again";

/// Saves and removes a workspace, and reports whether there is saved work, from now or earlier. The backup is
/// recorded before anything is removed, so that a crash in between does not lose it. A workspace that git
/// cannot read is moved aside as a whole if the person confirmed that.
pub async fn clear(
    engine: &Engine,
    row: &SessionRow,
    repo: PathBuf,
    force: bool,
) -> Result<Cleared, ApiError> {
    let (mut backup, mut left, mut kept) = (None, None, None);
    if let Some(path) = row.workspace_path.as_ref().map(PathBuf::from) {
        match take(engine, row, &repo, &path).await {
            Ok(saved) => backup = saved,
            // The worktree is gone nevertheless, and can be recreated.
            Err(Failed::Git(error @ (Error::Left { .. } | Error::LeftWritten { .. }), saved)) => {
                (backup, left) = (saved.map(|saved| *saved), Some(error.to_string()));
            }
            Err(Failed::Git(error, saved)) if error.is_unreadable() && force && path.is_dir() => {
                let (place, words) = set_aside(&repo, path, error).await?;
                (left, kept) = (Some(words), Some(place));
                backup = saved.map(|saved| *saved);
            }
            Err(failed) => return Err(failed.into_api_error()),
        }
    }
    let id = row.id.clone();
    let saved = blocking::blocking(move || downbeat_git::backups(&repo, &id)).await?;
    let has_backup = !saved.map_err(error::git)?.is_empty();
    Ok(Cleared {
        backup,
        has_backup,
        left,
        kept,
    })
}

/// The reason that a workspace stays.
enum Failed {
    /// Git or the disk refused; with what had been saved before.
    Git(Error, Option<Box<BackupInfo>>),
    Other(ApiError),
}

impl Failed {
    pub(crate) fn into_api_error(self) -> ApiError {
        match self {
            Self::Git(error @ Error::Written { .. }, _) => ApiError::new(Code::Conflict, error.to_string()),
            Self::Git(error, _) if error.is_unreadable() => error::git(error).hint(WAY),
            Self::Git(error, _) => error::git(error),
            Self::Other(error) => error,
        }
    }
}

impl From<ApiError> for Failed {
    fn from(error: ApiError) -> Self {
        Self::Other(error)
    }
}

/// Saves and removes a workspace, and repeats both if something writes into it meanwhile.
async fn take(
    engine: &Engine,
    row: &SessionRow,
    repo: &Path,
    path: &Path,
) -> Result<Option<BackupInfo>, Failed> {
    let mut backup = None;
    let mut tries = 1;
    loop {
        let (asked, at) = (repo.to_owned(), path.to_owned());
        let seen = blocking::blocking(move || Seen::of(&asked, &at)).await?;
        let seen = seen.map_err(|error| Failed::Git(error, backup.clone().map(Box::new)))?;
        // Also if its folder was deleted or moved by hand: git still has what was committed there.
        backup = save(engine, row, repo.to_owned(), path.to_owned()).await?;
        let (asked, at) = (repo.to_owned(), path.to_owned());
        let gone = blocking::blocking(move || {
            point("remove-saved");
            let gone = downbeat_git::remove_unchanged(&asked, &at, &seen);
            point("remove-removed");
            gone
        });
        match gone.await? {
            Err(Error::Written { .. }) if tries < TRIES => tries += 1,
            Err(error) => return Err(Failed::Git(error, backup.map(Box::new))),
            Ok(()) => return Ok(backup),
        }
    }
}

/// Moves a workspace aside that git cannot read. Returns the new path, and a sentence with it and the command
/// to delete it.
async fn set_aside(repo: &Path, path: PathBuf, why: Error) -> Result<(PathBuf, String), ApiError> {
    let repo = repo.to_owned();
    let aside = blocking::blocking(move || downbeat_git::set_aside(&repo, &path)).await?;
    let downbeat_git::SetAside { path, delete } = aside.map_err(error::git)?;
    let words = format!(
        "git cannot read the worktree ({why}), so none of it could be saved: all of its files are in {}; take what you need, then delete them with `{delete}`",
        path.display()
    );
    Ok((path, words))
}

async fn save(
    engine: &Engine,
    row: &SessionRow,
    repo: PathBuf,
    path: PathBuf,
) -> Result<Option<BackupInfo>, Failed> {
    let (copies, id) = (copies::copied(row)?, row.id.clone());
    let saved = blocking::blocking(move || downbeat_git::save(&repo, &path, &id, &copies));
    let saved = saved.await?.map_err(|error| Failed::Git(error, None))?;
    engine
        .ledger
        .write(|draft| {
            let row = draft.session(&row.id)?;
            note_saved(row.removed.get_or_insert_default(), saved.as_ref());
            row.has_backup |= saved.is_some();
            Ok(())
        })
        .await?;
    Ok(saved)
}

/// Records what was actually saved. A removal that is finished after a crash may find nothing more to save
/// than was saved before it.
fn note_saved(removed: &mut Removed, backup: Option<&BackupInfo>) {
    if let Some(BackupInfo { name, commit, .. }) = backup {
        removed.backup = Some(name.clone());
        removed.backup_commit = Some(commit.clone());
    }
    removed.clean = removed.backup.is_none();
}
