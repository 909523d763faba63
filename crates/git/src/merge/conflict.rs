//! What conflicts, and the commits of both sides that changed it since they parted.

use crate::merge::history::{CommitInfo, Commits, walk};
use crate::merge::objects::Objects;
use crate::path::{from_bytes, to_text};
use git2::{Commit, Index, Oid, Sort};
use std::path::{Path, PathBuf};

/// The maximum number of conflicting files that are named.
const FILES: usize = 100;

/// The maximum number of commits that are named for each side.
const NAMED: usize = 20;

/// The maximum number of commits that are examined for each side.
const EXAMINED: usize = 2_000;

/// Why a head cannot be combined with its target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// The conflicting files by path, at most 100.
    pub files: Vec<ConflictFile>,
    /// Whether there are more.
    pub has_more: bool,
    /// The commit of the head that does not apply, when each is applied by itself (rebase).
    pub commit: Option<CommitInfo>,
    /// The commits of the target that touched these files since both sides parted; the newest, at most 20.
    pub target: Commits,
    /// The same for the head.
    pub head: Commits,
}

/// A file that conflicts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConflictFile {
    /// The path relative to the repository's root.
    pub path: String,
    /// What each side did to it.
    pub kind: ConflictKind,
}

/// What the two sides did to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConflictKind {
    /// Both changed the same place.
    BothChanged,
    /// Both added it, with different content.
    BothAdded,
    /// The target deleted or renamed it, the head changed it.
    DeletedInTarget,
    /// The head deleted or renamed it, the target changed it.
    DeletedInHead,
    /// Something else, such as a file against a folder, or two different new names.
    Other,
}

impl Conflict {
    /// Describes the conflicts in an index.
    pub(crate) fn of(
        objects: &Objects,
        index: &Index,
        (target, head): (Oid, Oid),
        commit: Option<&Commit<'_>>,
    ) -> Result<Self, git2::Error> {
        let (mut files, mut paths, mut has_more) = (Vec::new(), Vec::new(), false);
        for found in index.conflicts()? {
            let found = found?;
            let sides = [&found.our, &found.their, &found.ancestor];
            let Some(path) = sides.iter().find_map(|side| side.as_ref()).map(|one| &one.path) else {
                continue;
            };
            if files.len() == FILES {
                has_more = true;
                break;
            }
            let kind = match sides.map(Option::is_some) {
                [true, true, true] => ConflictKind::BothChanged,
                [true, true, false] => ConflictKind::BothAdded,
                [false, true, true] => ConflictKind::DeletedInTarget,
                [true, false, true] => ConflictKind::DeletedInHead,
                _ => ConflictKind::Other,
            };
            let path = to_text(&from_bytes(path));
            if files.iter().all(|file: &ConflictFile| file.path != path) {
                files.push(ConflictFile { path, kind });
            }
            for one in sides.into_iter().flatten() {
                let path = from_bytes(&one.path);
                if !paths.contains(&path) {
                    paths.push(path);
                }
            }
        }
        Ok(Self {
            files,
            has_more,
            commit: commit.map(CommitInfo::of),
            target: touching(objects, target, head, &paths)?,
            head: touching(objects, head, target, &paths)?,
        })
    }
}

/// Lists the commits that `tip` reaches and `other` does not, and that changed one of the paths.
fn touching(objects: &Objects, tip: Oid, other: Oid, paths: &[PathBuf]) -> Result<Commits, git2::Error> {
    let mut list = Commits::default();
    for (number, id) in walk(objects, tip, other, Sort::TOPOLOGICAL | Sort::TIME)?.enumerate() {
        let commit = objects.git2().find_commit(id?)?;
        if !touches(&commit, paths)? {
            continue;
        }
        if list.commits.len() == NAMED || number >= EXAMINED {
            list.has_more = true;
            break;
        }
        list.commits.push(CommitInfo::of(&commit));
    }
    Ok(list)
}

/// Whether a commit has another version of one of the paths than each of its parents.
fn touches(commit: &Commit<'_>, paths: &[PathBuf]) -> Result<bool, git2::Error> {
    let tree = commit.tree()?;
    let parents = commit.parents().map(|parent| parent.tree());
    let parents = parents.collect::<Result<Vec<_>, _>>()?;
    let version = |tree: &git2::Tree<'_>, path: &Path| {
        let entry = tree.get_path(path).ok()?;
        Some((entry.filemode(), entry.id()))
    };
    Ok(paths.iter().any(|path| {
        let own = version(&tree, path);
        let others = parents.iter().map(|parent| version(parent, path));
        match parents.is_empty() {
            true => own.is_some(),
            false => others.into_iter().all(|other| other != own),
        }
    }))
}
