//! Makes a worktree again of which nothing had to be saved: from its branch, or from the commit it
//! had where the branch is gone or it was on none. One with saved work comes back by [`crate::restore()`].

use crate::command::Programs;
use crate::record::Record;
use crate::register::Order;
use crate::{Error, Repository, WorktreeMade, admin, checkout, ordinary, path};
use std::path::Path;

/// Why a worktree that was made again is locked.
const REASON: &str = "Downbeat session (made again)";

/// Where a worktree stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// The branch that is checked out; absent where HEAD is detached.
    pub branch: Option<String>,
    /// Its commit, in full.
    pub commit: String,
}

/// Where a worktree stands; `None` where it is gone or has no commit. It runs nothing, so whatever
/// its `.git` names is read as it is.
pub fn head(worktree: &Path) -> Option<Head> {
    let inner = ordinary::open(worktree).ok()?;
    let head = inner.head().ok()?;
    let branch = head.shorthand().ok().filter(|_| head.is_branch());
    let branch = branch.map(str::to_owned);
    let commit = head.peel_to_commit().ok()?.id().to_string();
    Some(Head { branch, commit })
}

/// Makes a worktree at `worktree` as its branch is now. Where the branch is gone, it is made again
/// at `commit`; where another checkout has it, a new branch
/// does, which the answer names. `programs` says whether the repository's own run at the commit that it comes
/// to stand at.
/// Can be repeated after a kill.
///
/// # Errors
/// [`Error::UnknownRef`] where neither the branch nor the commit is there any more.
pub fn recreate(
    repo: &Path,
    worktree: &Path,
    branch: &str,
    commit: Option<&str>,
    programs: impl FnOnce(&str) -> Result<Programs, Error>,
) -> Result<WorktreeMade, Error> {
    let repository = Repository::open(repo)?;
    let place = path::place(worktree)?;
    let tip = tip(&repository, branch);
    let is_here = |commit: &&str| {
        let id = git2::Oid::from_str(commit);
        id.is_ok_and(|id| repository.git2().find_commit(id).is_ok())
    };
    let commit = commit.filter(is_here);
    let full = format!("refs/heads/{branch}");
    let in_use = admin::heads(&repository.common(), repository.root())
        .iter()
        .any(|(head, at)| *head == full && *at != place);
    // One that is in use may be another's by now.
    let base = match in_use {
        true => commit.or(tip.as_deref()),
        false => tip.as_deref().or(commit),
    };
    let base = base.ok_or_else(|| Error::UnknownRef {
        name: branch.chars().take(80).collect(),
        near: Vec::new(),
    })?;
    let order = Order {
        repo,
        path: worktree,
        wanted: branch,
        base,
        reason: REASON,
        programs: programs(base)?,
        existing: (tip.is_some() && !in_use).then_some(branch),
        detached: false,
        restored: None,
    };
    fill(&order)
}

/// Makes a worktree at `worktree` that stands at `commit`, on no branch. `name` is what the answer
/// calls its branch; it is not looked at and not made. Can be repeated after a kill.
///
/// # Errors
/// [`Error::UnknownRef`] where the commit is not there any more.
pub fn recreate_detached(
    repo: &Path,
    worktree: &Path,
    name: &str,
    commit: &str,
    programs: Programs,
) -> Result<WorktreeMade, Error> {
    fill(&Order {
        repo,
        path: worktree,
        wanted: name,
        base: commit,
        reason: REASON,
        programs,
        existing: None,
        detached: true,
        restored: None,
    })
}

fn fill(order: &Order<'_>) -> Result<WorktreeMade, Error> {
    let (made, _) = order.fulfil()?;
    let common = Repository::open(order.repo)?.common();
    let record = Record::load(&common, &made.path);
    // Begun before a kill, it stands where it was to stand then.
    let is_asked = record.is_some_and(|record| record.base == order.base);
    let programs = if is_asked { order.programs } else { Programs::Skip };
    checkout(&made.path, programs)?;
    Ok(made)
}

fn tip(repository: &Repository, branch: &str) -> Option<String> {
    let valid = git2::Branch::name_is_valid(branch).unwrap_or(false) && !branch.starts_with('-');
    let found = repository.git2().refname_to_id(&format!("refs/heads/{branch}"));
    found.ok().filter(|_| valid).map(|id| id.to_string())
}
