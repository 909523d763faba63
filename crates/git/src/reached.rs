//! Whether one commit comes before others, by the commits alone: a replacement or a graft that
//! somebody wrote into the repository does not count.

use crate::{Error, Repository};
use std::path::Path;

/// The commits that `default` and the remotes' branches stand at, the default branch's first, then
/// the newest.
///
/// # Errors
/// Where the repository cannot be read.
pub fn shared_tips(repo: &Path, default: &str, most: usize) -> Result<Vec<String>, Error> {
    let repository = Repository::open(repo)?;
    let mut tips = Vec::new();
    if let Ok(base) = repository.base(default) {
        tips.push(base.commit);
    }
    for branch in repository.branches()?.into_iter().filter(|one| one.is_remote) {
        if tips.len() == most {
            break;
        }
        let found = repository
            .git2()
            .find_branch(&branch.name, git2::BranchType::Remote);
        let Ok(commit) = found.and_then(|found| found.get().peel_to_commit()) else {
            continue;
        };
        let commit = commit.id().to_string();
        if !tips.contains(&commit) {
            tips.push(commit);
        }
    }
    Ok(tips)
}

/// Whether `commit` is one of `from`, or comes before one of them. Those of `from` that are gone
/// count for nothing.
///
/// # Errors
/// Where the repository or the commit cannot be read.
pub fn is_reached(repo: &Path, commit: &str, from: &[String]) -> Result<bool, Error> {
    if from.iter().any(|tip| tip == commit) {
        return Ok(true);
    }
    let repository = Repository::open(repo)?;
    let read = Error::read(repo);
    let reached = || -> Result<bool, git2::Error> {
        let inner = repository.git2();
        let mut walk = inner.revwalk()?;
        walk.push(git2::Oid::from_str(commit)?)?;
        for tip in from {
            if let Ok(tip) = git2::Oid::from_str(tip)
                && inner.find_commit(tip).is_ok()
            {
                walk.hide(tip)?;
            }
        }
        walk.next().transpose().map(|left| left.is_none())
    };
    reached().map_err(read)
}
