//! Brings a saved worktree back: its branch, its files as they were, uncommitted again.

use crate::backup::{BACKUPS, BackupInfo};
use crate::command::Git;
use crate::inspect::clean;
use crate::point::point;
use crate::record::{Record, Stage, lock_worktree};
use crate::register::Order;
use crate::{Error, Repository, WorktreeMade, admin, submodule};
use std::path::Path;

/// Makes a worktree at `worktree` from a backup. The branch is made again where it is gone; where
/// it has moved on or is in use, the work comes back on a new branch, which the answer names.
/// What was uncommitted, staged or ignored is so again. Where the place is taken, nothing is
/// touched. Can be repeated after a kill.
pub fn restore(
    repo: &Path,
    worktree: &Path,
    branch: &str,
    backup: &BackupInfo,
) -> Result<WorktreeMade, Error> {
    let repository = Repository::open(repo)?;
    let unknown = || Error::UnknownRef {
        name: backup.name.chars().take(120).collect(),
        near: Vec::new(),
    };
    let saved = git2::Oid::from_str(&backup.commit).and_then(|oid| repository.git2().find_commit(oid));
    let saved = saved.map_err(|_| unknown())?;
    if !backup.name.starts_with(BACKUPS) {
        return Err(unknown());
    }
    let parent = saved.parent_id(0).map_err(|_| unknown())?.to_string();
    let staged = saved.parent_id(1).ok().map(|id| id.to_string());
    let order = Order {
        repo,
        path: worktree,
        wanted: branch,
        base: &parent,
        reason: "Downbeat session (restored)",
        existing: reusable(&repository, branch, &parent).then_some(branch),
        detached: false,
        restored: Some(&backup.commit),
    };
    let (made, stage) = order.fulfil()?;
    if stage == Stage::Registered {
        point("restore-registered", &made.path)?;
        fill(
            &repository,
            &made,
            &backup.commit,
            staged.as_deref().unwrap_or(&parent),
        )?;
    }
    Ok(made)
}

/// Whether the branch is still where the backup left it, and free.
fn reusable(repository: &Repository, branch: &str, parent: &str) -> bool {
    let full = format!("refs/heads/{branch}");
    let valid = git2::Branch::name_is_valid(branch).unwrap_or(false) && !branch.starts_with('-');
    valid
        && repository
            .git2()
            .refname_to_id(&full)
            .is_ok_and(|at| at.to_string() == parent)
        && !admin::heads(&repository.common(), repository.root())
            .iter()
            .any(|(head, _)| *head == full)
}

fn fill(repository: &Repository, made: &WorktreeMade, commit: &str, index: &str) -> Result<(), Error> {
    let common = repository.common();
    let place = &made.path;
    let lock = lock_worktree(&common, place)?;
    let inner = git2::Repository::open(place).map_err(Error::read(place))?;
    // We hold the lock, so no git of ours runs here: a lock file is from one that was killed.
    let _ = std::fs::remove_file(clean(inner.path()).join("index.lock"));
    Git::new(place, "read-tree").arg(commit).holding(&lock)?.run()?;
    Git::new(place, "checkout-index")
        .args(["--all", "--force", "--quiet"])
        .holding(&lock)?
        .run()?;
    point("restore-filled", place)?;
    Git::new(place, "read-tree").arg(index).holding(&lock)?.run()?;
    // Its exit code only says that some files differ, which is the point.
    Git::new(place, "update-index")
        .args(["-q", "--refresh"])
        .holding(&lock)?
        .output()?;
    submodule::populate(&inner, &common, place, &lock)?;
    if let Some(record) = Record::load(&common, place) {
        record.at(&common, Stage::Ready)?;
    }
    point("restore-done", place)
}
