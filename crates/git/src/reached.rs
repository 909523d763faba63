//! Whether a commit is an ancestor of others, from the commit objects alone: a replacement, a graft, a
//! boundary of a shallow clone or a commit-graph that somebody wrote into the repository does not count.
//! Therefore libgit2's own walk is not used: it uses all of these except replacements.

use crate::{Error, Repository};
use git2::{ObjectType, Odb, Oid};
use std::collections::{BinaryHeap, HashSet};
use std::path::Path;

/// The time by which a commit may claim to be younger than its descendants, in seconds. A commit that claims
/// more is not found, and the person is asked.
const WRONG_CLOCK: i64 = 30 * 24 * 3600;

/// The maximum number of commits to visit. Beyond it the person is asked.
const MOST: usize = 1_000_000;

/// Returns the commits of `default` and of the remote branches, at most `most`: the default
/// branch first, then the newest.
///
/// # Errors
/// Fails if the repository cannot be read.
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

/// Whether `commit` is one of `from` or an ancestor of one of them. Missing commits in `from` are ignored.
///
/// # Errors
/// Fails if the repository or the commit cannot be read.
pub fn is_reached(repo: &Path, commit: &str, from: &[String]) -> Result<bool, Error> {
    if from.iter().any(|tip| tip == commit) {
        return Ok(true);
    }
    let repository = Repository::open(repo)?;
    let reached = || -> Result<bool, git2::Error> {
        let objects = repository.git2().odb()?;
        comes_before(&objects, Oid::from_str(commit)?, from)
    };
    reached().map_err(Error::read(repo))
}

/// Whether `commit` is an ancestor of `tip`, whatever their times claim. Reads the whole history of `tip` if it
/// is not, up to a million commits.
///
/// # Errors
/// Fails if `commit` cannot be read.
pub(crate) fn descends(repository: &Repository, tip: Oid, commit: Oid) -> Result<bool, Error> {
    let reached = || -> Result<bool, git2::Error> {
        let objects = repository.git2().odb()?;
        Link::read(&objects, commit)?;
        Ok(search(&objects, commit, vec![tip], i64::MIN))
    };
    reached().map_err(Error::read(repository.root()))
}

/// The parents and the time of a commit, from its own object.
struct Link {
    parents: Vec<Oid>,
    /// The time of the commit in seconds since 1970, by its committer's clock.
    time: i64,
}

impl Link {
    /// Reads the commit object. libgit2 verifies its hash.
    fn read(objects: &Odb<'_>, id: Oid) -> Result<Self, git2::Error> {
        let object = objects.read(id)?;
        if object.kind() != ObjectType::Commit {
            return Err(git2::Error::from_str("not a commit"));
        }
        let lines = object.data().split(|byte| *byte == b'\n');
        let (mut parents, mut time) = (Vec::new(), 0);
        for line in lines.take_while(|line| !line.is_empty()) {
            if let Some(parent) = line.strip_prefix(b"parent ") {
                parents.push(Oid::from_str(&String::from_utf8_lossy(parent))?);
            } else if let Some(who) = line.strip_prefix(b"committer ") {
                let who = String::from_utf8_lossy(who);
                let seconds = who.rsplit(' ').nth(1).and_then(|word| word.parse().ok());
                time = seconds.unwrap_or_default();
            }
        }
        Ok(Self { parents, time })
    }
}

/// Searches the ancestors of `from` for a commit, newest first. Unreadable commits are skipped.
fn comes_before(objects: &Odb<'_>, commit: Oid, from: &[String]) -> Result<bool, git2::Error> {
    let oldest = Link::read(objects, commit)?.time.saturating_sub(WRONG_CLOCK);
    let from = from.iter().filter_map(|tip| Oid::from_str(tip).ok()).collect();
    Ok(search(objects, commit, from, oldest))
}

/// Searches commits and their ancestors, newest first, until one is older than `oldest`.
fn search(objects: &Odb<'_>, commit: Oid, from: Vec<Oid>, oldest: i64) -> bool {
    let (mut seen, mut pending) = (HashSet::new(), BinaryHeap::new());
    let mut found = from;
    loop {
        for id in found {
            if id == commit {
                return true;
            }
            if seen.insert(id)
                && let Ok(link) = Link::read(objects, id)
            {
                pending.push((link.time, link.parents));
            }
        }
        match pending.pop() {
            Some((time, parents)) if time >= oldest && seen.len() < MOST => found = parents,
            _ => return false,
        }
    }
}
