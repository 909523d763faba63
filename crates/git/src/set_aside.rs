//! Moves a worktree that git cannot read out of the way, if the person wants to remove it nevertheless:
//! nothing in it can be saved in a backup, so nothing is deleted. Readable worktrees are removed in
//! [`crate::remove()`].

use crate::command::Git;
use crate::error::quoted;
use crate::record::{Record, lock_worktree};
use crate::{Error, Repository, admin, below, locked, path};
use std::path::{Path, PathBuf};

/// The reason of the lock on the administrative directory of such a worktree.
const REASON: &str = "Downbeat moved this worktree aside, as git could not read it\n";

/// The new location of a worktree that was moved out of the way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetAside {
    /// The folder with its complete content.
    pub path: PathBuf,
    /// The shell command that deletes it.
    pub delete: String,
}

/// Renames the folder of a worktree and forgets the worktree. Git's administrative directory stays and points
/// to the new location: with its index (renamed if no git can read it), its HEAD, and commits that nothing
/// else names. Can be repeated after a kill.
///
/// # Errors
/// Fails if it is not a worktree that we know, or if it cannot be moved; [`Error::Locked`] if somebody locked it.
pub fn set_aside(repo: &Path, worktree: &Path) -> Result<SetAside, Error> {
    let repository = Repository::open(repo)?;
    let common = repository.common();
    let place = path::place(worktree)?;
    let is_known = Record::load(&common, &place).is_some() || admin::find(&common, &place).is_some();
    let is_ours = is_known && place != path::place(repository.root())? && !common.starts_with(&place);
    if !is_ours || !place.symlink_metadata().is_ok_and(|meta| meta.is_dir()) {
        return Err(Error::NotAWorktree {
            path: place,
            repo: repository.root().to_owned(),
        });
    }
    let _mine = lock_worktree(&common, &place)?;
    let name = place.file_name().unwrap_or_default().to_string_lossy();
    let names = (1..1000).map(|number| place.with_file_name(format!("{name}-kept-{number}")));
    let to = names.into_iter().find(|name| !path::exists(name));
    let to = to.unwrap_or_else(|| place.with_file_name(format!("{name}-kept")));
    // Before the move, so that this step is repeated after a kill.
    let notes = admin::find(&common, &place).or_else(|| admin::find(&common, &to));
    if let Some(notes) = &notes {
        locked::check_unlocked(repository.root(), &place, notes)?;
    }
    let is_noted = notes.is_some_and(|notes| {
        let noted = put_by(&repository, &notes).and_then(|()| point_to(&common, &notes, &to));
        if let Err(error) = &noted {
            tracing::warn!("git still lists {} at its old path: {error}", to.display());
        }
        noted.is_ok()
    });
    std::fs::rename(&place, &to).map_err(Error::io("move aside (close what uses it)", &place))?;
    Record::erase(&common, &place)?;
    let mut delete = format!("rm -rf {}", quoted(&to));
    if is_noted {
        let git = format!("git -C {} worktree", quoted(repository.root()));
        delete = format!("{delete}; {git} unlock {}; {git} prune", quoted(&to));
    }
    Ok(SetAside { path: to, delete })
}

/// Renames an index that git cannot read, because it would stop every garbage collection of the repository.
fn put_by(repository: &Repository, notes: &Path) -> Result<(), Error> {
    let index = notes.join("index");
    let read = Git::new(repository.root(), "ls-files").env("GIT_INDEX_FILE", &index);
    if !path::exists(&index) || (index.is_file() && read.arg("--stage").run().is_ok()) {
        return Ok(());
    }
    std::fs::rename(&index, notes.join("index.unreadable")).map_err(Error::io("rename", &index))
}

/// Points an administrative directory to another location, and protects it from pruning.
fn point_to(common: &Path, notes: &Path, to: &Path) -> Result<(), Error> {
    let inside = notes.strip_prefix(common).unwrap_or(notes);
    let mut pointer = path::to_bytes(&to.join(".git"));
    pointer.push(b'\n');
    below::replace(common, &inside.join("locked"), REASON.as_bytes())?;
    below::replace(common, &inside.join("gitdir"), &pointer)
}
