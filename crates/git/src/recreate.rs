//! Recreates a worktree that had nothing to save: from its branch, or from its commit if the branch is gone
//! or HEAD was detached. [`crate::restore()`] restores a worktree with saved work.

use crate::command::Programs;
use crate::record::Record;
use crate::register::Order;
use crate::{Error, Repository, WorktreeMade, admin, checkout, ordinary, path};
use std::path::Path;

/// The lock reason of a recreated worktree.
const REASON: &str = "session (made again)";

/// The position of a worktree's HEAD.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// The branch that is checked out; absent if HEAD is detached.
    pub branch: Option<String>,
    /// The full id of the commit.
    pub commit: String,
}

/// Returns the position of a worktree's HEAD; `None` if the worktree is gone or has no commit. Runs nothing,
/// so the target of its `.git` need not be trusted.
pub fn head(worktree: &Path) -> Option<Head> {
    let inner = ordinary::open(worktree).ok()?;
    let head = inner.head().ok()?;
    let branch = head.shorthand().ok().filter(|_| head.is_branch());
    let branch = branch.map(str::to_owned);
    let commit = head.peel_to_commit().ok()?.id().to_string();
    Some(Head { branch, commit })
}

/// Recreates a worktree at `worktree` from the current state of its branch. A missing branch is
/// created again at `commit`; if another checkout has the branch, a new one is created, which the
/// result names. `programs` decides whether the repository's programs run at the commit that is
/// checked out. Can be repeated after a kill.
///
/// # Errors
/// [`Error::UnknownRef`] if neither the branch nor the commit exists any more.
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
    // A branch that is in use may belong to somebody else by now.
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

/// Recreates a worktree at `worktree` with a detached HEAD at `commit`. `name` is only returned as the name
/// of the branch, which is neither read nor created. Can be repeated after a kill.
///
/// # Errors
/// [`Error::UnknownRef`] if the commit does not exist any more.
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
    // If it was begun before a kill, it has the base that was chosen then.
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
