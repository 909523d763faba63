//! The worktree in which a project's checks run: exactly the files of one commit, and the ignored files of earlier
//! runs, such as build output. Nobody works in it, so nothing in it is saved. Not how checks run.

use crate::command::Programs;
use crate::outside::check_real;
use crate::record::{Record, Stage, clear_index_lock, lock_worktree};
use crate::register::Order;
use crate::trees::Trees;
use crate::{Error, Repository, admin, checkout, ordinary, path, remove, setup, tree};
use git2::build::CheckoutBuilder;
use git2::{Commit, ErrorCode, Oid, StatusOptions, TreeWalkMode, TreeWalkResult};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The name of the worktree in place of a branch.
const NAME: &str = "checks";

/// The lock reason of the worktree, for people who ask git.
const REASON: &str = "runs the project's checks here";

/// A worktree that holds exactly the files of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckTree {
    /// The actual location.
    pub path: PathBuf,
    /// The full id of the commit's tree.
    pub tree: String,
    /// The names and ids of the lockfiles in the root of the tree. What set-up installs depends on them.
    pub lockfiles: String,
}

/// Puts the worktree at `place` to `commit`, and creates it if it does not exist: tracked files are as in the commit,
/// other files that are not ignored are removed, ignored files stay. A worktree that earlier commands damaged is
/// created anew. No program of the repository runs: neither hooks nor filters, so files in Git LFS are pointers, and
/// submodules are empty. Can be repeated after a kill.
///
/// # Errors
/// [`Error::UnknownRef`] if the repository does not have the commit. Also fails if the commit is forged: if what it holds would
/// be written outside of the worktree, or is too much.
pub fn check_tree(repo: &Path, place: &Path, commit: &str) -> Result<CheckTree, Error> {
    let repository = Repository::open(repo)?;
    let unknown = || Error::UnknownRef {
        name: commit.chars().take(80).collect(),
        near: Vec::new(),
    };
    let oid = Oid::from_str(commit).map_err(|_| unknown())?;
    let found = repository.git2().find_commit(oid).map_err(|_| unknown())?;
    let content = found.tree().map_err(|_| unknown())?;
    let place = path::place(place)?;
    Trees::to_write()
        .check(repository.git2(), content.id())
        .map_err(|error| failed(&place, &error))?;
    if !is_ours(&repository.common(), &place) || update(&repository, &place, oid).is_err() {
        clear(repo, &place)?;
        create(repo, &place, commit)?;
        update(&repository, &place, oid)?;
    }
    let lockfiles = setup::lockfiles().filter_map(|name| Some((name, content.get_name(name)?.id())));
    Ok(CheckTree {
        path: place,
        tree: content.id().to_string(),
        lockfiles: lockfiles.map(|(name, id)| format!("{name} {id}\n")).collect(),
    })
}

/// Puts the tracked files of the worktree at `place` back to `commit`, so that a check does not see what the one before it
/// changed in them. What is not tracked stays, such as what one check builds for the next.
///
/// # Errors
/// Fails if a file cannot be written.
pub fn restore_tracked(repo: &Path, place: &Path, commit: &str) -> Result<(), Error> {
    let repository = Repository::open(repo)?;
    let unknown = |error: git2::Error| failed(place, &error);
    let commit = Oid::from_str(commit).map_err(unknown)?;
    check_real(repository.root(), place)?;
    let _mine = lock_worktree(&repository.common(), place)?;
    let inner = ordinary::open(place)?;
    clear_index_lock(inner.path());
    let target = inner.find_commit(commit).map_err(unknown)?;
    unlink(place, &folders(&inner, &target).map_err(unknown)?)?;
    let mut options = CheckoutBuilder::new();
    options.force().recreate_missing(true);
    inner
        .checkout_tree(target.as_object(), Some(&mut options))
        .map_err(unknown)
}

fn failed(place: &Path, error: &git2::Error) -> Error {
    Error::Git {
        command: "checkout".into(),
        path: place.to_owned(),
        output: error.message().to_owned(),
        is_ended: error.code() == ErrorCode::User,
    }
}

/// Removes the worktree at `place` with everything in it. Does nothing if there is none.
pub fn remove_check_tree(repo: &Path, place: &Path) -> Result<(), Error> {
    clear(repo, &path::place(place)?)
}

/// Whether a complete worktree of the repository is at `place`, as it was recorded.
fn is_ours(common: &Path, place: &Path) -> bool {
    let record = Record::load(common, place);
    record.is_some_and(|record| record.stage == Stage::Ready) && admin::check(common, place).is_ok()
}

fn clear(repo: &Path, place: &Path) -> Result<(), Error> {
    match remove(repo, place) {
        // What commands left there instead of the worktree.
        Err(Error::NotAWorktree { .. }) => tree::remove(place),
        done => done,
    }
}

fn create(repo: &Path, place: &Path, commit: &str) -> Result<(), Error> {
    let order = Order {
        repo,
        path: place,
        wanted: NAME,
        base: commit,
        reason: REASON,
        programs: Programs::Skip,
        existing: None,
        detached: true,
        restored: None,
    };
    let (made, _) = order.fulfil()?;
    checkout(&made.path, Programs::Skip)
}

/// Sets the files to those of the commit. Libgit2 writes only files that differ, so that build tools see the others as
/// unchanged, and it runs no program. The first checkout removes what only the earlier commit has; before the second one,
/// the index is filled anew, so that each file is compared by its content: commands can restore size and time of a file
/// that they changed, and can write to the index.
fn update(repository: &Repository, place: &Path, commit: Oid) -> Result<(), Error> {
    let common = repository.common();
    check_real(repository.root(), place)?;
    let _mine = lock_worktree(&common, place)?;
    let inner = ordinary::open(place)?;
    let failed = |error: git2::Error| failed(place, &error);
    clear_index_lock(inner.path());
    inner.cleanup_state().map_err(failed)?;
    let target = inner.find_commit(commit).map_err(failed)?;
    let folders = folders(&inner, &target).map_err(failed)?;
    unlink(place, &folders)?;
    inner.set_head_detached(commit).map_err(failed)?;
    let checkout = || {
        let mut options = CheckoutBuilder::new();
        options.force().remove_untracked(true).recreate_missing(true);
        inner.checkout_tree(target.as_object(), Some(&mut options))
    };
    checkout().map_err(failed)?;
    let refill = || {
        let mut index = inner.index()?;
        index.clear()?;
        index.read_tree(&target.tree()?)?;
        index.write()
    };
    refill().map_err(failed)?;
    checkout().map_err(failed)?;
    remove_nested(&inner, place)
}

/// Removes repositories that commands created, which a checkout leaves alone.
fn remove_nested(inner: &git2::Repository, place: &Path) -> Result<(), Error> {
    let mut options = StatusOptions::new();
    options.include_untracked(true).exclude_submodules(true);
    let left = inner.statuses(Some(&mut options)).map_err(Error::read(place))?;
    for entry in left.iter().filter(|entry| entry.status().is_wt_new()) {
        tree::remove(&place.join(path::from_bytes(entry.path_bytes())))?;
    }
    Ok(())
}

/// Returns the folders that hold files of the index or of a commit, each after those that it is in.
///
/// # Errors
/// Also fails if the commit is forged (see [`Trees`]), or if the index names a file outside of the worktree: commands can write
/// to the index.
fn folders(inner: &git2::Repository, commit: &Commit<'_>) -> Result<BTreeSet<PathBuf>, git2::Error> {
    let mut folders = BTreeSet::new();
    let mut add = |path: &Path| folders.extend(path.ancestors().skip(1).map(Path::to_owned));
    for entry in inner.index()?.iter() {
        let path = path::from_bytes(&entry.path);
        if !path::is_inside(&path) {
            return Err(git2::Error::from_str("its index names a file outside of it"));
        }
        add(&path);
    }
    Trees::to_write().check(inner, commit.tree_id())?;
    commit.tree()?.walk(TreeWalkMode::PreOrder, |folder, entry| {
        add(&path::from_bytes(
            &[folder.as_bytes(), entry.name_bytes()].concat(),
        ));
        TreeWalkResult::Ok
    })?;
    folders.remove(Path::new(""));
    Ok(folders)
}

/// Removes the links among these folders. Libgit2 would write and delete files behind them, which are others'.
fn unlink(place: &Path, folders: &BTreeSet<PathBuf>) -> Result<(), Error> {
    for folder in folders {
        let at = place.join(folder);
        if at.symlink_metadata().is_ok_and(|meta| !meta.is_dir()) {
            std::fs::remove_file(&at)
                .or_else(|_| std::fs::remove_dir(&at))
                .map_err(Error::io("remove", &at))?;
        }
    }
    Ok(())
}
