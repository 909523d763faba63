//! Moves a worktree that git cannot read out of the way, whole, where the person wants it gone all the
//! same: nothing in it can be saved as git saves things, so nothing of it is deleted. Taking a readable one
//! away is in [`crate::remove()`].

use crate::command::Git;
use crate::error::quoted;
use crate::record::{Record, lock_worktree};
use crate::{Error, Repository, admin, below, path};
use std::path::{Path, PathBuf};

/// Why git keeps its notes of such a worktree.
const REASON: &str = "Downbeat moved this worktree aside, as git could not read it\n";

/// Where a worktree is that was moved out of the way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetAside {
    /// The folder, with all that was in it.
    pub path: PathBuf,
    /// What a person types into a shell to delete it.
    pub delete: String,
}

/// Moves the folder of a worktree to another name beside it, and forgets the worktree. What git keeps for
/// it in its own directory stays, and names the new place: its index (by another name where no git can read
/// it), its HEAD and the commits that only this names. Can be repeated after a kill.
///
/// # Errors
/// Where it is no worktree that we know, or cannot be moved.
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
    // Before it is moved: what is killed in between comes here again.
    let notes = admin::find(&common, &place).or_else(|| admin::find(&common, &to));
    let is_noted = notes.is_some_and(|notes| {
        let noted = put_by(&repository, &notes).and_then(|()| point_to(&common, &notes, &to));
        if let Err(error) = &noted {
            tracing::warn!("git's notes of {} name its old place: {error}", to.display());
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

/// Gives an index that git cannot read another name: no collection of the repository gets past it.
fn put_by(repository: &Repository, notes: &Path) -> Result<(), Error> {
    let index = notes.join("index");
    let read = Git::new(repository.root(), "ls-files").env("GIT_INDEX_FILE", &index);
    if !path::exists(&index) || (index.is_file() && read.arg("--stage").run().is_ok()) {
        return Ok(());
    }
    std::fs::rename(&index, notes.join("index.unreadable")).map_err(Error::io("rename", &index))
}

/// Has git's notes name another place, and keeps them from being pruned.
fn point_to(common: &Path, notes: &Path, to: &Path) -> Result<(), Error> {
    let inside = notes.strip_prefix(common).unwrap_or(notes);
    let mut pointer = path::to_bytes(&to.join(".git"));
    pointer.push(b'\n');
    below::replace(common, &inside.join("locked"), REASON.as_bytes())?;
    below::replace(common, &inside.join("gitdir"), &pointer)
}
