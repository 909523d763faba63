//! Writes the commits of a head again, one after the other on top of the target. Authors, their dates and
//! messages stay; the committer is the person, at the time that was given.

use crate::Error;
use crate::merge::combine::{Combined, pick};
use crate::merge::conflict::Conflict;
use crate::merge::history::{CommitInfo, walk};
use crate::merge::objects::Objects;
use crate::merge::write::{New, at, field};
use git2::{Commit, Diff, Oid, Sort};
use jiff::Zoned;
use std::collections::{BTreeMap, BTreeSet};

/// The maximum number of commits that are written again.
const MOST: usize = 1_000;

/// The maximum number of the target's commits that are searched for the same changes.
const SEARCHED: usize = 1_000;

/// The maximum number of files of a commit whose changes are compared with those of other commits.
const FILES: usize = 500;

/// A head and the target on which its commits are written.
pub(crate) struct Rebase<'a> {
    pub(crate) objects: &'a Objects,
    pub(crate) target: Oid,
    pub(crate) head: Oid,
    /// The person as committer, if configured; otherwise each commit keeps its committer's name.
    pub(crate) committer: Option<&'a [u8]>,
    pub(crate) time: &'a Zoned,
}

/// The result of a rebase.
pub(crate) enum Rebased {
    /// The last commit, and those that the target already has.
    Commit(Oid, Vec<CommitInfo>),
    Conflict(Box<Conflict>),
}

impl Rebase<'_> {
    /// Writes the commits. Merges of other branches into the head are left out, as `git rebase` does.
    ///
    /// # Errors
    /// [`Error::TooManyCommits`].
    pub(crate) fn run(&self) -> Result<Rebased, Error> {
        let list = self.list().map_err(self.objects.failed())?;
        if list.len() > MOST {
            return Err(Error::TooManyCommits { most: MOST });
        }
        self.replay(&list).map_err(self.objects.failed())
    }

    /// Returns the first merge among the commits of the head.
    pub(crate) fn merge(&self) -> Result<Option<Oid>, git2::Error> {
        for id in self.all()?.take(MOST) {
            let id = id?;
            if self.objects.git2().find_commit(id)?.parent_count() > 1 {
                return Ok(Some(id));
            }
        }
        Ok(None)
    }

    fn all(&self) -> Result<impl Iterator<Item = Result<Oid, git2::Error>> + use<'_>, git2::Error> {
        let order = Sort::TOPOLOGICAL | Sort::REVERSE;
        walk(self.objects, self.head, self.target, order)
    }

    fn list(&self) -> Result<Vec<Commit<'_>>, git2::Error> {
        let mut list = Vec::new();
        for id in self.all()?.take(MOST * 2) {
            let commit = self.objects.git2().find_commit(id?)?;
            if commit.parent_count() < 2 {
                list.push(commit);
            }
        }
        Ok(list)
    }

    fn replay(&self, list: &[Commit<'_>]) -> Result<Rebased, git2::Error> {
        let (mut onto, mut skipped) = (self.objects.git2().find_commit(self.target)?, Vec::new());
        let there = self.there(list)?;
        for commit in list {
            if commit.parent_ids().eq([onto.id()]) && commit.tree_id() != onto.tree_id() {
                onto = commit.clone();
                continue;
            }
            if there.contains(&commit.id()) {
                skipped.push(CommitInfo::of(commit));
                continue;
            }
            let tree = match pick(self.objects, commit, &onto)? {
                Combined::Tree(tree) => tree,
                Combined::Conflicts(index) => {
                    let sides = (self.target, self.head);
                    let conflict = Conflict::of(self.objects, &index, sides, Some(commit))?;
                    return Ok(Rebased::Conflict(Box::new(conflict)));
                }
            };
            if tree == onto.tree_id() {
                skipped.push(CommitInfo::of(commit));
                continue;
            }
            let id = self.write(commit, tree, onto.id())?;
            onto = self.objects.git2().find_commit(id)?;
        }
        Ok(Rebased::Commit(onto.id(), skipped))
    }

    fn write(&self, commit: &Commit<'_>, tree: Oid, parent: Oid) -> Result<Oid, git2::Error> {
        let committer = match self.committer {
            Some(person) => person.to_vec(),
            None => at(field(commit, "committer").unwrap_or_default(), self.time),
        };
        let new = New {
            tree,
            parents: &[parent],
            author: field(commit, "author").unwrap_or_default(),
            committer: &committer,
            encoding: field(commit, "encoding"),
            message: commit.message_raw_bytes(),
        };
        new.write(self.objects)
    }

    /// Returns the commits whose changes a commit of the target makes, too, as `git rebase` finds them: by the
    /// changed lines and their surroundings. An earlier landing of the same branch left such commits.
    fn there(&self, list: &[Commit<'_>]) -> Result<BTreeSet<Oid>, git2::Error> {
        let mut wanted: BTreeMap<Vec<Vec<u8>>, Vec<(Oid, Oid)>> = BTreeMap::new();
        for commit in list {
            let diff = self.diff(commit)?;
            if let Some(files) = files(&diff) {
                wanted
                    .entry(files)
                    .or_default()
                    .push((commit.id(), diff.patchid(None)?));
            }
        }
        let mut found = BTreeSet::new();
        for id in walk(self.objects, self.target, self.head, Sort::TIME)?.take(SEARCHED) {
            let commit = self.objects.git2().find_commit(id?)?;
            if commit.parent_count() > 1 {
                continue;
            }
            let diff = self.diff(&commit)?;
            let Some(same) = files(&diff).and_then(|files| wanted.get(&files)) else {
                continue;
            };
            let changes = diff.patchid(None)?;
            found.extend(
                same.iter()
                    .filter(|(_, other)| *other == changes)
                    .map(|(id, _)| *id),
            );
        }
        Ok(found)
    }

    fn diff(&self, commit: &Commit<'_>) -> Result<Diff<'_>, git2::Error> {
        let before = match commit.parent_count() {
            0 => None,
            _ => Some(commit.parent(0)?.tree()?),
        };
        let after = commit.tree()?;
        for tree in before.iter().chain([&after]) {
            self.objects.check_size(tree.id())?;
        }
        let git2 = self.objects.git2();
        git2.diff_tree_to_tree(before.as_ref(), Some(&after), None)
    }
}

/// Returns the changed files; `None` if nothing is changed, or too much to be compared.
fn files(diff: &Diff<'_>) -> Option<Vec<Vec<u8>>> {
    let all = diff.deltas();
    if all.len() == 0 || all.len() > FILES {
        return None;
    }
    let path = |delta: git2::DiffDelta<'_>| delta.new_file().path_bytes().map(<[u8]>::to_vec);
    Some(all.filter_map(path).collect())
}
