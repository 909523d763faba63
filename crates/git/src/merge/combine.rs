//! Three-way merges of trees in memory, by libgit2's own text merge. Of the attribute `merge` it knows `union`,
//! and files that are never merged (`-merge`, `binary`); any other driver counts as the text merge, and no
//! program runs.

use crate::merge::objects::Objects;
use git2::{Commit, Index, MergeOptions, Oid, Tree};
use std::collections::BTreeSet;

/// The maximum number of files that are compared to find renamed ones, on each side.
const RENAMES: u32 = 1_000;

/// The maximum number of merge bases that are merged to get a single one, as for criss-cross merges.
const BASES: u32 = 16;

/// The maximum number of merge bases, and of their own, that are looked at.
const MOST_BASES: usize = 100;

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
    for id in bases(objects, ours.id(), theirs.id())? {
        objects.check_size(objects.git2().find_commit(id)?.tree_id())?;
    }
    let index = objects.git2().merge_commits(ours, theirs, Some(&options()))?;
    written(objects, index)
}

/// Returns two commits and all that libgit2 merges to get a single merge base of them: of several ones, it merges each with the
/// others, from their own bases.
///
/// # Errors
/// Also fails if those are too many.
fn bases(objects: &Objects, ours: Oid, theirs: Oid) -> Result<BTreeSet<Oid>, git2::Error> {
    let mut known = BTreeSet::from([ours, theirs]);
    let (mut pairs, mut followed) = (vec![(ours, theirs)], BTreeSet::new());
    while let Some((one, other)) = pairs.pop() {
        let found = match objects.git2().merge_bases(one, other) {
            Err(error) if error.code() == git2::ErrorCode::NotFound => continue,
            found => found?,
        };
        let found: BTreeSet<Oid> = found.iter().copied().collect();
        known.extend(&found);
        if known.len() > MOST_BASES {
            let why = format!("the commits have more than {MOST_BASES} merge bases");
            return Err(git2::Error::from_str(&why));
        }
        let each = found
            .iter()
            .flat_map(|one| found.range(..one).map(|other| (*one, *other)));
        pairs.extend(each.filter(|pair| followed.insert(*pair)));
    }
    Ok(known)
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

#[cfg(test)]
mod tests {
    use super::{bases, merge};
    use crate::Repository;
    use crate::merge::objects::Objects;
    use git2::{ObjectType, Oid, Repository as Git, Signature};

    fn commit(git: &Git, message: &str, tree: Oid, parents: &[Oid]) -> Oid {
        let (tree, who) = (git.find_tree(tree).unwrap(), Signature::now("a", "a@b").unwrap());
        let parents: Vec<_> = parents.iter().map(|id| git.find_commit(*id).unwrap()).collect();
        let parents: Vec<_> = parents.iter().collect();
        git.commit(None, &who, &who, message, &tree, &parents).unwrap()
    }

    /// Writes a tree of these entries.
    fn tree(git: &Git, mode: &str, names: std::ops::Range<u32>, id: Oid) -> Oid {
        let entry = |n: u32| [format!("{mode} {n}\0").as_bytes(), id.as_bytes()].concat();
        let bytes = names.map(entry).collect::<Vec<_>>().concat();
        git.odb().unwrap().write(ObjectType::Tree, &bytes).unwrap()
    }

    #[test]
    fn each_of_several_merge_bases_is_looked_at_before_it_is_merged() {
        let dir = tempfile::tempdir().unwrap();
        let git = Git::init(dir.path()).unwrap();
        let blob = git.blob(b"x").unwrap();
        let plain = tree(&git, "100644", 0..1, blob);
        // Billions of paths.
        let mut bottomless = tree(&git, "100644", 0..10, blob);
        for _ in 0..10 {
            bottomless = tree(&git, "40000", 0..10, bottomless);
        }
        for (inner, is_fine) in [(plain, true), (bottomless, false)] {
            let root = commit(&git, "root", plain, &[]);
            let (one, other) = (
                commit(&git, "one", plain, &[root]),
                commit(&git, "other", inner, &[root]),
            );
            let ours = commit(&git, "ours", plain, &[one, other]);
            let theirs = commit(&git, "theirs", tree(&git, "100644", 0..2, blob), &[other, one]);
            let repository = Repository::open(dir.path()).unwrap();
            let objects = Objects::of(&repository).unwrap();
            assert_eq!(
                bases(&objects, ours, theirs).unwrap().len(),
                5,
                "two, and their own"
            );
            let (ours, theirs) = (git.find_commit(ours).unwrap(), git.find_commit(theirs).unwrap());
            assert_eq!(merge(&objects, &ours, &theirs).is_ok(), is_fine);
        }
    }
}
