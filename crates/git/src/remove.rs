//! Removes worktrees and branches. Each step can be repeated, so a killed removal is finished by repeating
//! the call. The content is saved before, in [`crate::save`].

use crate::command::{Git, said};
use crate::locked::refuse_locked;
use crate::path::aside;
use crate::point::point;
use crate::record::{Record, Stage, lock_repository, lock_worktree};
use crate::repository::are_lonely;
use crate::seen::Seen;
use crate::{Error, Repository, admin, below, owners, path, tree};
use std::path::{Path, PathBuf};

/// Removes a linked worktree: its directory and registration, but not its branch. Refuses any other path. The
/// directory is first moved aside in one step, so that it is never partly there. It is not asked whether the worktree
/// is locked: this is for worktrees that nobody has worked in.
pub fn remove(repo: &Path, worktree: &Path) -> Result<(), Error> {
    take_down(repo, worktree, None)
}

/// Removes a worktree that was saved after it was `seen`. If anything was written into
/// it since, it stays in its place.
///
/// # Errors
/// [`Error::Written`] if it stays; [`Error::LeftWritten`] if something wrote into it when it was too late to
/// move it back, and it is kept under another name; [`Error::Locked`] if somebody locked it.
pub fn remove_unchanged(repo: &Path, worktree: &Path, seen: &Seen) -> Result<(), Error> {
    refuse_locked(&Repository::open(repo)?, &path::place(worktree)?)?;
    take_down(repo, worktree, Some(seen))
}

fn take_down(repo: &Path, worktree: &Path, seen: Option<&Seen>) -> Result<(), Error> {
    let repository = Repository::open(repo)?;
    let common = repository.common();
    let place = path::place(worktree)?;
    let refuse = || Error::NotAWorktree {
        path: place.clone(),
        repo: repository.root().to_owned(),
    };
    if place == path::place(repository.root())? || common.starts_with(&place) {
        return Err(refuse());
    }
    let Some(_) = Standing::read(&common, &place).ok_or_else(refuse)?.known() else {
        return Ok(());
    };
    let lock = lock_worktree(&common, &place)?;
    // Another engine may have finished the same removal in the meantime.
    let now = Standing::read(&common, &place).ok_or_else(refuse)?.known();
    let Some(Standing { record, notes, ours }) = now else {
        return Record::erase(&common, &place);
    };
    // Before anything is deleted, because half a worktree is useless.
    owners::check(&place)?;
    let before = record.clone().map(Record::standing);
    let record = record.unwrap_or_else(|| Record::of_removal(&place));
    record.at(&common, Stage::Removing)?;
    point("remove-recorded", &place)?;
    let aside = aside(&place);
    if ours && let Err(error) = move_aside(&place, &aside) {
        restore(&common, &place, before)?;
        return Err(error);
    }
    point("remove-moved", &place)?;
    let (mut last, mut late) = (None, None);
    if let (Some(seen), Some(notes), true) = (seen, &notes, path::exists(&aside)) {
        let now = Seen::at(&aside, notes);
        late = now.newer_than(seen);
        if let Some(path) = late.clone()
            && move_back(&common, &place, before)?
        {
            return Err(Error::Written { place, path });
        }
        last = Some(now);
    }
    if let Some(notes) = notes {
        let _registrations = lock_repository(&common)?;
        admin::forget(&notes)?;
    }
    point("remove-unregistered", &place)?;
    let late = late.or_else(|| last.and_then(|last| last.written(&aside)));
    let left = delete(&aside, late).err();
    point("remove-deleted", &place)?;
    Record::erase(&common, &place)?;
    drop(lock);
    left.map_or(Ok(()), Err)
}

/// The state of a worktree that is to be removed.
struct Standing {
    record: Option<Record>,
    /// Git's administrative directory of the worktree.
    notes: Option<PathBuf>,
    /// Whether its folder exists and belongs to the repository.
    ours: bool,
}

impl Standing {
    /// Reads the state; `None` if something else is in its place.
    fn read(common: &Path, place: &Path) -> Option<Self> {
        let record = Record::load(common, place);
        let ours = admin::belongs(common, place);
        let is_begun = record
            .as_ref()
            .is_some_and(|record| record.stage == Stage::Removing);
        let is_other = path::exists(place) && !ours && !is_begun;
        (!is_other).then(|| Self {
            notes: admin::find(common, place),
            record,
            ours,
        })
    }

    /// Returns `None` if nothing is left of the worktree.
    fn known(self) -> Option<Self> {
        (self.ours || self.record.is_some() || self.notes.is_some()).then_some(self)
    }
}

/// Deletes the folder that was moved aside, or keeps it if something was written `late`.
fn delete(aside: &Path, late: Option<PathBuf>) -> Result<(), Error> {
    match late {
        Some(path) => Err(Error::LeftWritten {
            at: set_apart(aside),
            path,
        }),
        None => tree::remove(aside).map_err(|error| Error::Left {
            path: set_apart(aside),
            reason: error.to_string(),
        }),
    }
}

/// Moves a worktree back that was moved aside. Returns whether that was possible: a process that writes by
/// the full path may have created the folder again, with files in it.
fn move_back(common: &Path, place: &Path, before: Option<Record>) -> Result<bool, Error> {
    let _ = std::fs::remove_dir(place);
    if path::exists(place) || std::fs::rename(aside(place), place).is_err() {
        return Ok(false);
    }
    restore(common, place, before).map(|()| true)
}

/// Writes the earlier record: the worktree stays and can be used.
fn restore(common: &Path, place: &Path, before: Option<Record>) -> Result<(), Error> {
    match before {
        Some(record) => record.store(common),
        None => Record::erase(common, place),
    }
}

fn move_aside(place: &Path, aside: &Path) -> Result<(), Error> {
    tree::remove(aside)?;
    std::fs::rename(place, aside).map_err(Error::io("move aside (close what uses it)", place))
}

/// Renames a folder that could not be deleted to a free name: the worktree itself is gone, and can be created
/// again in its place.
fn set_apart(aside: &Path) -> PathBuf {
    let name = aside.file_name().unwrap_or_default().to_string_lossy();
    let free = (1..1000).map(|number| aside.with_file_name(format!("{name}-left-{number}")));
    let free = free.into_iter().find(|free| !path::exists(free));
    let moved = free.filter(|free| std::fs::rename(aside, free).is_ok());
    moved.unwrap_or_else(|| aside.to_owned())
}

/// Deletes a branch. Refuses the default branch, a branch that is checked out, and one with commits that
/// nothing else reaches, neither a branch, a remote, a tag nor a backup. A missing branch is not an error.
pub fn delete_branch(repo: &Path, branch: &str) -> Result<(), Error> {
    let repository = Repository::open(repo)?;
    let kept = |reason: &str| {
        let shown = branch.chars().take(80).collect();
        Err(Error::BranchKept {
            branch: shown,
            reason: reason.to_owned(),
        })
    };
    if !git2::Branch::name_is_valid(branch).unwrap_or(false) {
        return kept("that is not a branch name");
    }
    let full = format!("refs/heads/{branch}");
    // Locked before the checks, so that their results still hold when the branch is deleted.
    let _lock = lock_repository(&repository.common())?;
    let Ok(tip) = repository.git2().refname_to_id(&full) else {
        return Ok(());
    };
    if repository.default_branch()? == branch {
        return kept("it is the project's default branch");
    }
    let heads = admin::heads(&repository.common(), repository.root());
    if let Some((_, at)) = heads.iter().find(|(head, _)| *head == full) {
        return kept(&format!(
            "it is checked out in {}; remove that worktree first",
            at.display()
        ));
    }
    let others = |name: &[u8]| name != full.as_bytes();
    if are_lonely(repository.git2(), &[tip], others).map_err(Error::read(repository.root()))? {
        return kept("it has commits that no other reference contains; merge, push or save them first");
    }
    below::check_reference(&repository.common(), &full)?;
    let output = Git::new(repository.root(), "branch")
        .args(["-D", "--quiet", "--", branch])
        .output()?;
    if output.status.success() || repository.git2().refname_to_id(&full).is_err() {
        return Ok(());
    }
    kept(&said(&output))
}
