//! What a worktree holds that is not safe yet, as it is told before a removal. Looks only; saving is in
//! [`crate::save`].

use crate::held::Held;
use crate::ignored::IgnoredWork;
use crate::record::{Record, Stage};
use crate::{CopyRecord, Error, Repository, admin, fault, gone, owners, path, saved, tree};
use std::path::Path;

/// How many dirty files are named.
const NAMED: usize = 50;

/// What a worktree holds that a removal would lose if it were not saved.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WorkState {
    /// Files with uncommitted changes, untracked ones and repositories with work too; at most 50.
    pub dirty: Vec<String>,
    /// How many that is in all.
    pub dirty_count: usize,
    /// Commits that neither the base nor any remote has.
    pub unpushed: u32,
    /// Copied files that were changed since, files that were added to copied directories, and new
    /// `.env*` files, all of them ignored by git.
    pub changed_copies: Vec<String>,
    /// Other files that git ignores and that no tool can make again; what is not saved first.
    pub ignored: Vec<IgnoredWork>,
    /// Why it cannot be removed, with the way out.
    pub blocked: Option<String>,
    /// Bytes on disk, without what is shared by hard links.
    pub bytes: u64,
}

/// Says what a worktree holds. One whose folder is gone holds what git's directory for it still has.
///
/// # Errors
/// [`Error::Failed`] where git failed through no fault of the worktree.
pub fn work_state(
    repo: &Path,
    worktree: &Path,
    base_commit: &str,
    copies: &CopyRecord,
) -> Result<WorkState, Error> {
    look(repo, worktree, base_commit, copies).map_err(|error| fault::told(worktree, error))
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
    if let Err(error) = owners::check(worktree) {
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
    Ok(told(worktree, held, unpushed, bytes))
}

/// The same of a worktree whose folder is gone: what git's directory for it still has.
fn gone(repo: &Path, worktree: &Path, base_commit: &str) -> Result<WorkState, Error> {
    // Where the repository is gone too, there is nothing left to look at.
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
    Ok(told(&place, held, unpushed, 0))
}

fn told(worktree: &Path, held: Held, unpushed: u32, bytes: u64) -> WorkState {
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

/// Whether a folder with something in it was a worktree that we made to the end.
fn is_whole(repository: &Repository, worktree: &Path) -> Result<bool, Error> {
    let record = Record::load(&repository.common(), &path::place(worktree)?);
    let is_made = record.is_some_and(|record| record.stage == Stage::Ready);
    Ok(is_made
        && worktree
            .read_dir()
            .is_ok_and(|mut entries| entries.next().is_some()))
}

/// Commits of HEAD that neither the base nor any remote has.
fn unpushed(repository: &Repository, inner: &git2::Repository, base: &str) -> Result<u32, Error> {
    let count = || -> Result<usize, git2::Error> {
        let head = match inner.head().and_then(|head| head.peel_to_commit()) {
            Ok(head) => head.id(),
            Err(error) if error.code() == git2::ErrorCode::UnbornBranch => return Ok(0),
            Err(error) => return Err(error),
        };
        // The directory that all worktrees share says where the history of a shallow clone ends.
        let mut walk = repository.git2().revwalk()?;
        walk.push(head)?;
        if let Ok(base) = git2::Oid::from_str(base) {
            // A base that is gone (rewritten, pruned) hides nothing: rather too much is named.
            let _ = walk.hide(base);
        }
        walk.hide_glob("refs/remotes/*")?;
        Ok(walk.count())
    };
    let count = count().map_err(Error::read(repository.root()))?;
    Ok(u32::try_from(count).unwrap_or(u32::MAX))
}
