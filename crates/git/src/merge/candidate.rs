//! Makes the commit that a merge would give, in the object database: no checkout, index, hook, filter or merge driver
//! of the repository takes part. The commit is kept by a reference until it is dropped. Moves no branch.

use crate::{Error, Repository};
use git2::{Commit, Index, MergeOptions, Oid, Sort, Tree};
use std::path::Path;

/// The prefix of the references that keep candidates.
const KEPT: &str = "refs/downbeat/queue/";

/// The maximum number of conflicting files that are named.
const NAMED: usize = 100;

/// The maximum number of commits that a rebase takes over.
const MOST: usize = 1000;

/// How the commits of a branch get into another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strategy {
    /// With a merge commit.
    Merge,
    /// As one commit.
    Squash,
    /// One by one, each on top of the one before.
    Rebase,
}

/// The description of a merge.
#[derive(Debug, Clone, Copy)]
pub struct MergeOrder<'a> {
    /// The repository.
    pub repo: &'a Path,
    /// The full id of the commit that is merged into: a branch's, or another candidate.
    pub target: &'a str,
    /// The full id of the commit whose work is merged.
    pub head: &'a str,
    /// How the commits get in.
    pub strategy: Strategy,
    /// The message of a merge commit or of the one commit; a rebase keeps its messages.
    pub message: &'a str,
    /// The name by which the candidate is kept: letters, digits and `-`.
    pub name: &'a str,
}

/// The result of a merge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Candidate {
    /// The commit was made.
    Made {
        /// The full id of the commit.
        commit: String,
        /// The full id of its tree.
        tree: String,
    },
    /// The target already contains the work.
    Contained,
    /// Both sides changed the same.
    Conflict {
        /// The files, at most 100 of them.
        files: Vec<String>,
        /// The number of all of them.
        count: usize,
    },
}

/// Makes the candidate, or finds that there is nothing to merge or that both sides are in conflict. Repeated, it
/// replaces an earlier candidate of the same name.
///
/// # Errors
/// [`Error::UnknownRef`] if the repository lacks a commit; [`Error::Unmergeable`] if the strategy does not apply, or if
/// git knows no name and address for a new commit.
pub fn candidate(order: &MergeOrder<'_>) -> Result<Candidate, Error> {
    let repository = Repository::open(order.repo)?;
    let inner = repository.git2();
    let (target, head) = (commit(inner, order.target)?, commit(inner, order.head)?);
    let read = |error: git2::Error| Error::read(repository.root())(error);
    let is_above =
        |one: Oid, other: Oid| one == other || inner.graph_descendant_of(one, other).unwrap_or(false);
    if is_above(target.id(), head.id()) {
        return Ok(Candidate::Contained);
    }
    let made = match order.strategy {
        Strategy::Rebase => rebased(&repository, &target, &head)?,
        Strategy::Merge | Strategy::Squash => {
            let mut index = inner
                .merge_commits(&target, &head, Some(&options()))
                .map_err(read)?;
            if index.has_conflicts() {
                return conflict(&index).map_err(read);
            }
            let tree = index
                .write_tree_to(inner)
                .and_then(|id| inner.find_tree(id))
                .map_err(read)?;
            let parents: &[&Commit<'_>] = match order.strategy {
                Strategy::Merge => &[&target, &head],
                _ => &[&target],
            };
            if order.strategy == Strategy::Squash && tree.id() == target.tree_id() {
                return Ok(Candidate::Contained);
            }
            Rebased::Made(write(&repository, &tree, parents, order.message, None)?)
        }
    };
    let made = match made {
        Rebased::Made(id) => id,
        Rebased::Conflict(conflict) => return Ok(conflict),
    };
    if made == target.id() {
        return Ok(Candidate::Contained);
    }
    let name = format!("{KEPT}{}", order.name);
    inner
        .reference(&name, made, true, "downbeat: candidate")
        .map_err(read)?;
    let tree = inner.find_commit(made).map_err(read)?.tree_id();
    Ok(Candidate::Made {
        commit: made.to_string(),
        tree: tree.to_string(),
    })
}

/// Drops the reference of a candidate; its commit stays as long as anything else reaches it. Does nothing if there is
/// none.
pub fn drop_candidate(repo: &Path, name: &str) -> Result<(), Error> {
    let repository = Repository::open(repo)?;
    let found = repository.git2().find_reference(&format!("{KEPT}{name}"));
    match found {
        Ok(mut reference) => reference.delete().map_err(Error::read(repository.root())),
        Err(_) => Ok(()),
    }
}

fn options() -> MergeOptions {
    let mut options = MergeOptions::new();
    options.find_renames(true);
    options
}

fn commit<'a>(inner: &'a git2::Repository, id: &str) -> Result<Commit<'a>, Error> {
    let found = Oid::from_str(id).and_then(|id| inner.find_commit(id));
    found.map_err(|_| Error::UnknownRef {
        name: id.chars().take(80).collect(),
        near: Vec::new(),
    })
}

enum Rebased {
    Made(Oid),
    Conflict(Candidate),
}

/// Applies the commits of `head` that `target` lacks, one by one, the oldest first. Those whose change the target
/// already has are left out.
fn rebased(repository: &Repository, target: &Commit<'_>, head: &Commit<'_>) -> Result<Rebased, Error> {
    let inner = repository.git2();
    let read = |error: git2::Error| Error::read(repository.root())(error);
    let commits = || -> Result<Vec<Oid>, git2::Error> {
        let mut walk = inner.revwalk()?;
        walk.set_sorting(Sort::TOPOLOGICAL | Sort::REVERSE)?;
        walk.push(head.id())?;
        walk.hide(target.id())?;
        walk.take(MOST + 1).collect()
    };
    let commits = commits().map_err(read)?;
    if commits.len() > MOST {
        return Err(unmergeable(format!(
            "it has more than {MOST} commits; choose merge or squash"
        )));
    }
    let mut onto = target.clone();
    for id in commits {
        let next = inner.find_commit(id).map_err(read)?;
        if next.parent_count() > 1 {
            let short = &id.to_string()[..8];
            let why = format!("{short} is a merge commit, which cannot be rebased; choose merge or squash");
            return Err(unmergeable(why));
        }
        if next.parent_id(0).ok() == Some(onto.id()) {
            // It is on top already, and stays as it is.
            onto = next;
            continue;
        }
        let mut index = inner
            .cherrypick_commit(&next, &onto, 0, Some(&options()))
            .map_err(read)?;
        if index.has_conflicts() {
            return conflict(&index).map(Rebased::Conflict).map_err(read);
        }
        let tree = index
            .write_tree_to(inner)
            .and_then(|id| inner.find_tree(id))
            .map_err(read)?;
        if tree.id() == onto.tree_id() {
            continue;
        }
        let message = String::from_utf8_lossy(next.message_bytes()).into_owned();
        let made = write(repository, &tree, &[&onto], &message, Some(&next))?;
        onto = inner.find_commit(made).map_err(read)?;
    }
    Ok(Rebased::Made(onto.id()))
}

/// Writes a commit of the person's, with the author of `of` if given.
fn write(
    repository: &Repository,
    tree: &Tree<'_>,
    parents: &[&Commit<'_>],
    message: &str,
    of: Option<&Commit<'_>>,
) -> Result<Oid, Error> {
    let inner = repository.git2();
    let me = inner.signature().map_err(|_| {
        let way = "git knows no name and address for a new commit: `git config --global user.name NAME`, and user.email";
        unmergeable(way.to_owned())
    })?;
    let author = of.map_or_else(|| me.clone(), |of| of.author().to_owned());
    let made = inner.commit(None, &author, &me, message, tree, parents);
    made.map_err(Error::read(repository.root()))
}

fn conflict(index: &Index) -> Result<Candidate, git2::Error> {
    let mut files = Vec::new();
    let mut count = 0;
    for conflict in index.conflicts()? {
        let conflict = conflict?;
        let entry = conflict.our.or(conflict.their).or(conflict.ancestor);
        count += 1;
        if let Some(entry) = entry.filter(|_| files.len() < NAMED) {
            files.push(String::from_utf8_lossy(&entry.path).into_owned());
        }
    }
    Ok(Candidate::Conflict { files, count })
}

fn unmergeable(why: String) -> Error {
    Error::Unmergeable { why }
}
