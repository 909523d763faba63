//! The unsaved work in a worktree, as shown before its removal. Changes
//! nothing; saving is in [`crate::save`].

use crate::held::Held;
use crate::ignored::IgnoredWork;
use crate::locked::refuse_locked;
use crate::record::{Record, Stage};
use crate::{CopyRecord, Error, Repository, admin, fault, gone, owners, path, saved, tree};
use std::path::Path;

/// The maximum number of dirty files that are listed.
const NAMED: usize = 50;

/// The work in a worktree that a removal would lose without a backup.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WorkState {
    /// Files with uncommitted changes, untracked files, and repositories with work; at most 50.
    pub dirty: Vec<String>,
    /// Their total number.
    pub dirty_count: usize,
    /// The number of commits that neither the base nor any remote has.
    pub unpushed: u32,
    /// Copied files that were changed, files that were added to copied directories, and new `.env*` files,
    /// all of them ignored by git.
    pub changed_copies: Vec<String>,
    /// Other ignored files that no tool can regenerate, unsaved ones first.
    pub ignored: Vec<IgnoredWork>,
    /// The reason that the worktree cannot be removed, with a remedy.
    pub blocked: Option<String>,
    /// The size on disk in bytes, without files that have several hard links.
    pub bytes: u64,
}

/// Returns the unsaved work in a worktree. If its folder is gone, reads what
/// git's directory for it still has.
///
/// # Errors
/// [`Error::Failed`] if git failed for a reason outside of the worktree.
pub fn work_state(
    repo: &Path,
    worktree: &Path,
    base_commit: &str,
    copies: &CopyRecord,
) -> Result<WorkState, Error> {
    look(repo, worktree, base_commit, copies).map_err(|error| fault::reported(worktree, error))
}

fn look(repo: &Path, worktree: &Path, base_commit: &str, copies: &CopyRecord) -> Result<WorkState, Error> {
    if !path::exists(worktree) {
        return gone(repo, worktree, base_commit);
    }
    if !worktree.is_dir() {
        return Ok(WorkState::default());
    }
    let repository = Repository::open(repo)?;
    if !worktree.join(".git").exists() {
        return match is_whole(&repository, worktree)? {
            true => Err(Error::NotAWorktree {
                path: worktree.to_owned(),
                repo: repository.root().to_owned(),
            }),
            false => Ok(WorkState::default()),
        };
    }
    admin::check(&repository.common(), worktree)?;
    let bytes = tree::bytes(worktree);
    let blocked = |error: &Error| {
        Ok(WorkState {
            blocked: Some(error.to_string()),
            bytes,
            ..WorkState::default()
        })
    };
    let movable = refuse_locked(&repository, &path::place(worktree)?);
    if let Err(error) = movable.and_then(|()| owners::check(worktree)) {
        return blocked(&error);
    }
    let held = match Held::of(worktree, copies) {
        Err(error @ (Error::Unreadable { .. } | Error::NotOrdinary { .. } | Error::TooSlow { .. })) => {
            return blocked(&error);
        }
        held => held?,
    };
    let inner = git2::Repository::open(worktree).map_err(Error::read(worktree))?;
    let unpushed = unpushed(&repository, &inner, base_commit)?;
    Ok(from_held(worktree, held, unpushed, bytes))
}

/// Like [`work_state`], for a worktree whose folder is gone: reads what git's directory for it still has.
fn gone(repo: &Path, worktree: &Path, base_commit: &str) -> Result<WorkState, Error> {
    // If the repository is gone too, nothing is left to inspect.
    if !path::exists(repo) {
        return Ok(WorkState::default());
    }
    let repository = Repository::open(repo)?;
    let place = path::place(worktree)?;
    let Some(inner) = gone::open(&repository, &place)? else {
        return Ok(WorkState::default());
    };
    let held = Held::of_gone(&inner, &place)?;
    let unpushed = unpushed(&repository, &inner, base_commit)?;
    let mut state = from_held(&place, held, unpushed, 0);
    if let Err(error) = refuse_locked(&repository, &place) {
        state.blocked = Some(error.to_string());
    }
    Ok(state)
}

fn from_held(worktree: &Path, held: Held, unpushed: u32, bytes: u64) -> WorkState {
    let inner = held.inner();
    let is_new = |text: &String| !inner.contains(text);
    let dirty: Vec<String> = held
        .files
        .dirty
        .iter()
        .filter(|text| is_new(text))
        .chain(&inner)
        .cloned()
        .collect();
    WorkState {
        dirty_count: dirty.len(),
        dirty: dirty.into_iter().take(NAMED).collect(),
        unpushed,
        blocked: saved::check(worktree, &held).err().map(|error| error.to_string()),
        changed_copies: held.copied.into_iter().chain(held.ignored.added).collect(),
        ignored: held.ignored.work,
        bytes,
    }
}

/// Whether a non-empty folder was a worktree whose creation was completed.
fn is_whole(repository: &Repository, worktree: &Path) -> Result<bool, Error> {
    let record = Record::load(&repository.common(), &path::place(worktree)?);
    let is_made = record.is_some_and(|record| record.stage == Stage::Ready);
    Ok(is_made
        && worktree
            .read_dir()
            .is_ok_and(|mut entries| entries.next().is_some()))
}

/// Counts the commits of HEAD that neither the base nor any remote has.
fn unpushed(repository: &Repository, inner: &git2::Repository, base: &str) -> Result<u32, Error> {
    let count = || -> Result<usize, git2::Error> {
        let head = match inner.head().and_then(|head| head.peel_to_commit()) {
            Ok(head) => head.id(),
            Err(error) if error.code() == git2::ErrorCode::UnbornBranch => return Ok(0),
            Err(error) => return Err(error),
        };
        // The directory that all worktrees share has the boundaries of a shallow clone.
        let mut walk = repository.git2().revwalk()?;
        walk.push(head)?;
        if let Ok(base) = git2::Oid::from_str(base) {
            // A missing base (rewritten, pruned) hides nothing, so the count is too high rather than too low.
            let _ = walk.hide(base);
        }
        walk.hide_glob("refs/remotes/*")?;
        Ok(walk.count())
    };
    let count = count().map_err(Error::read(repository.root()))?;
    Ok(u32::try_from(count).unwrap_or(u32::MAX))
}
