//! Whether somebody locked a worktree with `git worktree lock`. Downbeat has a lock of its own on each worktree that it
//! creates, so that git does not prune it; that one keeps nobody from removing it. Locks between processes of Downbeat
//! are in [`crate::record`].

use crate::record::{Record, Stage};
use crate::{Error, Repository, admin};
use downbeat_model::lines;
use std::path::Path;

/// The size limit in bytes of what is read of the reason of a lock.
const MOST_REASON: u64 = 400;

/// What the reasons of Downbeat's own locks begin with: each worktree has one, so that git does not prune it.
pub(crate) const OURS: &str = "Downbeat ";

/// The reason that `git worktree add` writes while it creates a worktree. It stays behind if git is killed.
const BEING_CREATED: &str = "initializing";

/// Fails if somebody else locked the worktree at `place` with `git worktree lock`: git itself then neither moves nor
/// removes it.
pub(crate) fn check_unlocked(root: &Path, place: &Path, notes: &Path) -> Result<(), Error> {
    let Ok(text) = downbeat_files::read_start(&notes.join("locked"), MOST_REASON) else {
        return match admin::is_locked(notes) {
            true => Err(Error::locked(root, place, "")),
            false => Ok(()),
        };
    };
    let text = String::from_utf8_lossy(&text);
    match lines::first_line(&text) {
        BEING_CREATED => Ok(()),
        reason if reason.starts_with(OURS) => Ok(()),
        reason => Err(Error::locked(root, place, reason)),
    }
}

/// Fails if somebody else locked the worktree at `place`, unless its removal has begun.
pub(crate) fn refuse_locked(repository: &Repository, place: &Path) -> Result<(), Error> {
    let common = repository.common();
    let is_begun = Record::load(&common, place).is_some_and(|record| record.stage == Stage::Removing);
    match admin::find(&common, place).filter(|_| !is_begun) {
        Some(notes) => check_unlocked(repository.root(), place, &notes),
        None => Ok(()),
    }
}
