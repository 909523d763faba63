//! Restores a saved worktree: its branch, its files as they were, uncommitted again, and the git operation
//! that was in progress.

use crate::backup::{BACKUPS, BackupInfo};
use crate::blobs::Entries;
use crate::command::Programs;
use crate::fresh::FreshIndex;
use crate::inspect::clean;
use crate::point::point;
use crate::record::{Record, Stage, clear_index_lock, lock_worktree};
use crate::register::Order;
use crate::saved::Saved;
use crate::shadow::Way;
use crate::{Error, Repository, WorktreeMade, admin, blobs, convert, ordinary, path, put_back, submodule};
use std::path::Path;

/// Creates a worktree at `worktree` from a backup. A missing branch is created again; if the branch has moved
/// on or is in use, the work is restored on a new branch, which the result names. If HEAD was detached, it is
/// detached again, and the result repeats `branch`. Uncommitted, staged and ignored files keep that state,
/// and an operation in progress can be continued. If the location is occupied, nothing is changed. Can be
/// repeated after a kill.
pub fn restore(
    repo: &Path,
    worktree: &Path,
    branch: &str,
    backup: &BackupInfo,
    programs: Programs,
) -> Result<WorktreeMade, Error> {
    make(repo, worktree, branch, backup, programs, true)
}

/// Creates a worktree at `worktree` with the files of another worktree's backup, on `branch` or on a branch
/// that the result names. Operations in progress are not taken along. Can be repeated after a kill.
pub fn bring(
    repo: &Path,
    worktree: &Path,
    branch: &str,
    backup: &BackupInfo,
    programs: Programs,
) -> Result<WorktreeMade, Error> {
    make(repo, worktree, branch, backup, programs, false)
}

fn make(
    repo: &Path,
    worktree: &Path,
    branch: &str,
    backup: &BackupInfo,
    programs: Programs,
    is_own: bool,
) -> Result<WorktreeMade, Error> {
    let repository = Repository::open(repo)?;
    let unknown = || Error::UnknownRef {
        name: backup.name.chars().take(120).collect(),
        near: Vec::new(),
    };
    let commit = git2::Oid::from_str(&backup.commit).and_then(|oid| repository.git2().find_commit(oid));
    let commit = commit.map_err(|_| unknown())?;
    if !backup.name.starts_with(BACKUPS) {
        return Err(unknown());
    }
    let saved = Saved::read(repository.git2(), &commit)?;
    let manifest = saved.as_ref().map(|saved| &saved.manifest);
    let is_unborn = manifest.is_some_and(|manifest| manifest.unborn);
    let is_detached = is_own && manifest.is_some_and(|manifest| manifest.branch.is_none() || is_unborn);
    let parent = match is_unborn {
        // Any commit will do at first: HEAD will be on a branch without one.
        true => repository.base(&repository.default_branch()?)?.commit,
        false => commit.parent_id(0).map_err(|_| unknown())?.to_string(),
    };
    let order = Order {
        repo,
        path: worktree,
        wanted: branch,
        base: &parent,
        reason: "session (restored)",
        programs,
        existing: (!is_detached && reusable(&repository, branch, &parent)).then_some(branch),
        detached: is_detached,
        restored: Some(&backup.commit),
    };
    let (made, stage) = order.fulfil()?;
    if stage == Stage::Registered {
        point("restore-registered", &made.path)?;
        match saved {
            Some(saved) => fill(&repository, &made, commit.tree_id(), &saved, programs, is_own)?,
            None => {
                let staged = commit.parent_id(1).ok().map(|id| id.to_string());
                fill_first_form(
                    &repository,
                    &made,
                    &backup.commit,
                    staged.as_deref().unwrap_or(&parent),
                    programs,
                )?;
            }
        }
    }
    Ok(made)
}

/// Whether the branch still points at the backup's parent and is not checked out.
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

/// Writes the complete content into a registered worktree.
fn fill(
    repository: &Repository,
    made: &WorktreeMade,
    tree: git2::Oid,
    saved: &Saved,
    programs: Programs,
    is_own: bool,
) -> Result<(), Error> {
    let (common, place) = (repository.common(), &made.path);
    let lock = lock_worktree(&common, place)?;
    let inner = ordinary::open(place)?;
    let notes = clean(inner.path());
    clear_index_lock(&notes);
    let manifest = &saved.manifest;
    manifest.files.open_up(place);
    manifest.inner.open_up(place);
    let (by_git, files): (Entries, Entries) = blobs::entries(&inner, tree)?
        .into_iter()
        .partition(|(path, _)| manifest.by_git.contains(&path::to_text(&path::from_bytes(path))));
    put_back::files(&inner, place, &files)?;
    let list: Vec<_> = by_git.clone().into_iter().collect();
    convert::write_by_git(&inner, place, &list, programs)?;
    manifest.files.make(place)?;
    point("restore-filled", place)?;
    put_back::inner(&inner, place, saved)?;
    put_back::state(&inner, &notes, saved, is_own)?;
    put_back::repoint(place, &notes, saved)?;
    put_back::permissions(place, &notes, &files, &by_git, saved, is_own)?;
    convert::filled_with(&notes, &by_git)?;
    if is_own {
        put_back::heads(repository, place, manifest)?;
    }
    put_back::index(&inner, place, saved, programs, is_own)?;
    let there: Vec<_> = manifest.nested.iter().map(|text| path::from_text(text)).collect();
    submodule::populate(&inner, &common, place, &there, programs, &lock)?;
    if let Some(record) = Record::load(&common, place) {
        record.at(&common, Stage::Ready)?;
    }
    point("restore-done", place)
}

/// Restores a backup of the first format, which has the staged content as its second parent,
/// and files after git's conversion.
fn fill_first_form(
    repository: &Repository,
    made: &WorktreeMade,
    commit: &str,
    index: &str,
    programs: Programs,
) -> Result<(), Error> {
    let common = repository.common();
    let place = &made.path;
    let lock = lock_worktree(&common, place)?;
    let inner = ordinary::open(place)?;
    clear_index_lock(&clean(inner.path()));
    let way = Way::new(&inner, place, programs)?;
    let fresh = FreshIndex::new()?;
    let read = fresh.of(way.git("read-tree")).arg(commit);
    read.holding(&lock)?.run()?;
    let write = fresh.of(way.git("checkout-index"));
    write
        .args(["--all", "--force", "--quiet"])
        .holding(&lock)?
        .run()?;
    point("restore-filled", place)?;
    way.git("read-tree").arg(index).holding(&lock)?.run()?;
    // Its exit code only says that some files differ, which is expected.
    way.git("update-index")
        .args(["-q", "--refresh"])
        .holding(&lock)?
        .output()?;
    submodule::populate(&inner, &common, place, &[], programs, &lock)?;
    if let Some(record) = Record::load(&common, place) {
        record.at(&common, Stage::Ready)?;
    }
    point("restore-done", place)
}
