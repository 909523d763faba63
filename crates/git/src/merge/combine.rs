//! Three-way merges of trees in memory, by libgit2's own text merge. Of the attribute `merge` it knows `union`,
//! and files that are never merged (`-merge`, `binary`); any other driver counts as the text merge, and no
//! program runs.

use crate::merge::objects::Objects;
use git2::{Commit, Index, MergeOptions, Oid, Tree};

/// The maximum number of files that are compared to find renamed ones, on each side.
const RENAMES: u32 = 1_000;

/// The maximum number of merge bases that are merged to get a single one, as for criss-cross merges.
const BASES: u32 = 16;

/// The result of a merge.
pub(crate) enum Combined {
    /// Everything was merged; the tree is written.
    Tree(Oid),
    /// Some files conflict; nothing is written.
    Conflicts(Index),
}

/// Merges two commits from their merge base.
pub(crate) fn merge(
    objects: &Objects,
    ours: &Commit<'_>,
    theirs: &Commit<'_>,
) -> Result<Combined, git2::Error> {
    let base = objects.git2().merge_base(ours.id(), theirs.id());
    let base = base.and_then(|base| objects.git2().find_commit(base));
    for commit in [Some(ours), Some(theirs), base.ok().as_ref()]
        .into_iter()
        .flatten()
    {
        objects.check_size(commit.tree_id())?;
    }
    let index = objects.git2().merge_commits(ours, theirs, Some(&options()))?;
    written(objects, index)
}

/// Merges two trees that have an ancestor in common.
pub(crate) fn merge_trees(
    objects: &Objects,
    ancestor: &Tree<'_>,
    ours: &Tree<'_>,
    theirs: &Tree<'_>,
) -> Result<Combined, git2::Error> {
    for tree in [ancestor, ours, theirs] {
        objects.check_size(tree.id())?;
    }
    let index = objects
        .git2()
        .merge_trees(ancestor, ours, theirs, Some(&options()))?;
    written(objects, index)
}

/// Applies the changes of a commit without a second parent on top of another.
pub(crate) fn pick(
    objects: &Objects,
    commit: &Commit<'_>,
    onto: &Commit<'_>,
) -> Result<Combined, git2::Error> {
    for one in [Some(commit), commit.parent(0).ok().as_ref(), Some(onto)]
        .into_iter()
        .flatten()
    {
        objects.check_size(one.tree_id())?;
    }
    let index = objects
        .git2()
        .cherrypick_commit(commit, onto, 0, Some(&options()))?;
    written(objects, index)
}

fn written(objects: &Objects, mut index: Index) -> Result<Combined, git2::Error> {
    match index.has_conflicts() {
        true => Ok(Combined::Conflicts(index)),
        false => index.write_tree_to(objects.git2()).map(Combined::Tree),
    }
}

fn options() -> MergeOptions {
    let mut options = MergeOptions::new();
    options
        .find_renames(true)
        .target_limit(RENAMES)
        .recursion_limit(BASES);
    options
}
