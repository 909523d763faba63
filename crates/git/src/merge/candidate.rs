//! Makes the commit that a verified head would become on its target, in the object database alone.

use crate::merge::combine::{Combined, merge};
use crate::merge::conflict::Conflict;
use crate::merge::history::CommitInfo;
use crate::merge::identity::Identity;
use crate::merge::objects::Objects;
use crate::merge::pin;
use crate::merge::rebase::{Rebase, Rebased};
use crate::merge::write::{New, message};
use crate::point::point;
use crate::{Error, Repository};
use git2::{Commit, Oid};
use jiff::Zoned;
use std::path::Path;

/// How a head is combined with its target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strategy {
    /// A commit with both as parents, also where the target could simply be moved to the head.
    Merge,
    /// One commit with all changes of the head.
    Squash,
    /// The commits of the head, one after the other.
    Rebase,
}

/// What to combine.
#[derive(Debug, Clone, Copy)]
pub struct CandidateSpec<'a> {
    /// The repository.
    pub repo: &'a Path,
    /// The id under which the candidate is kept: letters, digits, `-` and `_`, at most 64.
    pub id: &'a str,
    /// The full id of the target's commit, or of the candidate below this one in a batch.
    pub target: &'a str,
    /// The full id of the verified commit.
    pub head: &'a str,
    /// How they are combined.
    pub strategy: Strategy,
    /// The message of a merge or squash commit, at most 64 KiB. A rebase keeps the messages.
    pub message: &'a str,
    /// The time of the new commits. With the same time, the same commits get the same ids.
    pub time: &'a Zoned,
}

/// A commit that the target can be moved to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// Its full id.
    pub commit: String,
    /// The full id of its tree.
    pub tree: String,
    /// The full ids of its parents, in order.
    pub parents: Vec<String>,
    /// The commits of the head that a rebase left out, because the target has their changes; oldest first.
    pub skipped: Vec<CommitInfo>,
}

/// The result of combining a head with its target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Combination {
    /// There is a candidate, kept as `refs/downbeat/queue/<id>`.
    Candidate(Candidate),
    /// The target has everything already.
    AlreadyMerged,
    /// Both sides changed the same.
    Conflict(Box<Conflict>),
}

/// Combines a head with its target. Reads and writes objects and the reference that keeps the candidate,
/// nothing else. Can be repeated after a kill.
///
/// # Errors
/// * [`Error::UnknownRef`]: one of the commits is missing.
/// * [`Error::Unrelated`]: they have no commit in common.
/// * [`Error::NoIdentity`]: a merge or squash commit needs a name and an e-mail address.
/// * [`Error::MergeInRebase`], [`Error::TooManyCommits`]: a rebase would lose something, or take too long.
pub fn candidate(spec: &CandidateSpec<'_>) -> Result<Combination, Error> {
    let name = pin::name(spec.id)?;
    let repository = Repository::open(spec.repo)?;
    let objects = Objects::of(&repository)?;
    let maker = Maker {
        spec,
        repository: &repository,
        objects: &objects,
        target: objects.commit(spec.target)?,
        head: objects.commit(spec.head)?,
    };
    let made = maker.make()?;
    if let Combination::Candidate(made) = &made {
        point("candidate-made", repository.root())?;
        let commit = objects.commit(&made.commit)?.id();
        pin::pin(&repository, &name, commit)?;
        point("candidate-pinned", repository.root())?;
    }
    Ok(made)
}

struct Maker<'a> {
    spec: &'a CandidateSpec<'a>,
    repository: &'a Repository,
    objects: &'a Objects,
    target: Commit<'a>,
    head: Commit<'a>,
}

impl Maker<'_> {
    fn make(&self) -> Result<Combination, Error> {
        let (target, head) = (self.target.id(), self.head.id());
        let base = match self.objects.git2().merge_base(target, head) {
            Err(error) if error.code() == git2::ErrorCode::NotFound => {
                return Err(Error::Unrelated {
                    target: target.to_string(),
                    head: head.to_string(),
                });
            }
            found => found.map_err(self.objects.failed())?,
        };
        if base == head {
            return Ok(Combination::AlreadyMerged);
        }
        let tree = self.target.tree().map_err(self.objects.failed())?;
        self.objects
            .use_attributes(&tree)
            .map_err(self.objects.failed())?;
        let merged = merge(self.objects, &self.target, &self.head).map_err(self.objects.failed())?;
        if self.spec.strategy == Strategy::Rebase {
            return self.rebased(&merged);
        }
        let tree = match merged {
            Combined::Tree(tree) => tree,
            Combined::Conflicts(index) => {
                let conflict = Conflict::of(self.objects, &index, (target, head), None);
                let conflict = conflict.map_err(self.objects.failed())?;
                return Ok(Combination::Conflict(Box::new(conflict)));
            }
        };
        let is_squash = self.spec.strategy == Strategy::Squash;
        if is_squash && tree == self.target.tree_id() {
            return Ok(Combination::AlreadyMerged);
        }
        let identity = Identity::of(self.repository, self.spec.time)?;
        let parents: &[Oid] = if is_squash { &[target] } else { &[target, head] };
        let instead = format!("Merge commit {}", &self.spec.head[..12]);
        let new = New {
            tree,
            parents,
            author: &identity.author,
            committer: &identity.committer,
            encoding: None,
            message: &message(self.spec.message, &instead),
        };
        let commit = new.write(self.objects).map_err(self.objects.failed())?;
        self.found(commit, Vec::new())
    }

    /// Writes the commits of the head again. If merges are among them, what was resolved in these would get
    /// lost: then the result has to be the same as that of a merge.
    fn rebased(&self, merged: &Combined) -> Result<Combination, Error> {
        let whole = match merged {
            Combined::Tree(tree) if *tree == self.target.tree_id() => return Ok(Combination::AlreadyMerged),
            Combined::Tree(tree) => Some(*tree),
            Combined::Conflicts(_) => None,
        };
        let identity = Identity::of(self.repository, self.spec.time).ok();
        let rebase = Rebase {
            objects: self.objects,
            target: self.target.id(),
            head: self.head.id(),
            committer: identity.as_ref().map(|person| &*person.committer),
            time: self.spec.time,
        };
        let between = rebase.merge().map_err(self.objects.failed())?;
        let done = rebase.run()?;
        if let Some(between) = between {
            let tree = match &done {
                Rebased::Commit(commit, _) => {
                    let commit = self.objects.git2().find_commit(*commit);
                    Some(commit.map_err(self.objects.failed())?.tree_id())
                }
                Rebased::Conflict(_) => None,
            };
            if tree.is_none() || tree != whole {
                return Err(Error::MergeInRebase {
                    commit: between.to_string(),
                });
            }
        }
        match done {
            Rebased::Conflict(conflict) => Ok(Combination::Conflict(conflict)),
            Rebased::Commit(commit, _) if commit == self.target.id() => Ok(Combination::AlreadyMerged),
            Rebased::Commit(commit, skipped) => self.found(commit, skipped),
        }
    }

    fn found(&self, commit: Oid, skipped: Vec<CommitInfo>) -> Result<Combination, Error> {
        let commit = self.objects.git2().find_commit(commit);
        let commit = commit.map_err(self.objects.failed())?;
        Ok(Combination::Candidate(Candidate {
            commit: commit.id().to_string(),
            tree: commit.tree_id().to_string(),
            parents: commit.parent_ids().map(|id| id.to_string()).collect(),
            skipped,
        }))
    }
}
