//! Commits in brief, for people and agents, and bounded lists of them.

use crate::merge::objects::Objects;
use crate::{Error, Repository};
use git2::{Commit, Oid, Sort};
use jiff::Timestamp;
use std::path::Path;

/// The maximum length of a subject and of an author's name, in characters.
const SHOWN: usize = 200;

/// The maximum number of commits in a list.
const LISTED: usize = 1_000;

/// A commit in brief.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitInfo {
    /// The full id.
    pub id: String,
    /// The first line of its message, at most 200 characters.
    pub subject: String,
    /// The name of its author, at most 200 characters.
    pub author: String,
    /// The time at which it was committed.
    pub time: Timestamp,
}

/// A bounded list of commits.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Commits {
    /// The commits, newest first.
    pub commits: Vec<CommitInfo>,
    /// Whether there are more.
    pub has_more: bool,
}

impl CommitInfo {
    pub(crate) fn of(commit: &Commit<'_>) -> Self {
        let short = |bytes: &[u8]| String::from_utf8_lossy(bytes).chars().take(SHOWN).collect();
        Self {
            id: commit.id().to_string(),
            subject: short(commit.summary_bytes().unwrap_or_default()),
            author: short(commit.author().name_bytes()),
            time: Timestamp::from_second(commit.time().seconds()).unwrap_or(Timestamp::UNIX_EPOCH),
        }
    }
}

/// Lists the commits that the commit `to` reaches and the commit `from` does not (`git log from..to`), newest
/// first, at most `most` and never more than 1,000. Reads only objects.
///
/// # Errors
/// [`Error::UnknownRef`] if one of the commits does not exist; both are full ids.
pub fn commits_between(repo: &Path, from: &str, to: &str, most: usize) -> Result<Commits, Error> {
    let objects = Objects::of(&Repository::open(repo)?)?;
    let (from, to) = (objects.commit(from)?.id(), objects.commit(to)?.id());
    let list = || -> Result<Commits, git2::Error> {
        let mut list = Commits::default();
        for id in walk(&objects, to, from, Sort::TOPOLOGICAL | Sort::TIME)? {
            if list.commits.len() == most.min(LISTED) {
                list.has_more = true;
                break;
            }
            list.commits
                .push(CommitInfo::of(&objects.git2().find_commit(id?)?));
        }
        Ok(list)
    };
    list().map_err(objects.failed())
}

/// Walks the commits that `to` reaches and `from` does not.
pub(crate) fn walk(
    objects: &Objects,
    to: Oid,
    from: Oid,
    order: Sort,
) -> Result<impl Iterator<Item = Result<Oid, git2::Error>>, git2::Error> {
    let mut walk = objects.git2().revwalk()?;
    walk.set_sorting(order)?;
    walk.push(to)?;
    walk.hide(from)?;
    Ok(walk)
}
