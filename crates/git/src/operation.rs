//! The files that git keeps for one worktree besides the working files: operations in progress, the
//! reflog of HEAD, its own references, sparse patterns. They are collected before a worktree is
//! removed, so that they can be restored.

use crate::path::{exists, folded, to_text};
use crate::{split, tips};
use git2::{ObjectType, Oid, Repository};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Files that are created anew with a worktree, or saved in another way.
const LEFT_OUT: &[&str] = &["HEAD", "commondir", "gitdir", "index", "locked", "modules"];

/// The prefix of the names of our own files in that directory.
const OURS: &str = "downbeat-";

/// The state of one worktree.
#[derive(Debug, Default)]
pub(crate) struct State {
    /// The files with the state, relative to the worktree's git directory.
    pub(crate) files: Vec<PathBuf>,
    /// The commits that these files name and HEAD does not reach, without those that another one reaches.
    pub(crate) commits: Vec<Oid>,
    /// The other objects that the files name.
    pub(crate) objects: BTreeSet<Oid>,
    /// Whether the state has more than a reflog of HEAD.
    pub(crate) is_work: bool,
}

impl State {
    /// Reads the state in `notes`, the git directory of a worktree whose HEAD is at `tip`.
    pub(crate) fn read(repository: &Repository, notes: &Path, tip: Option<Oid>) -> Result<Self, git2::Error> {
        let mut state = Self::default();
        let mut commits = BTreeSet::new();
        tips::each_file(notes, 0, &mut |file| {
            let inside = file.strip_prefix(notes).unwrap_or(file);
            // The shared file of a split index is saved with the index.
            if !is_kept(inside) || to_text(inside).starts_with(split::NAME) {
                return;
            }
            for id in tips::named(file) {
                match repository.odb().and_then(|all| all.read_header(id)) {
                    Ok((_, ObjectType::Commit)) => {
                        commits.insert(id);
                    }
                    Ok(_) => {
                        state.objects.insert(id);
                    }
                    Err(_) => {}
                }
            }
            state.files.push(inside.to_owned());
        });
        state.files.sort();
        let has_refs = state.files.iter().any(|file| file.starts_with("refs"));
        state.is_work =
            tips::operation(notes).is_some() || has_refs || exists(&notes.join("info/sparse-checkout"));
        state.commits = heads(repository, commits, tip)?;
        Ok(state)
    }
}

/// Whether a file in a worktree's git directory is part of its state.
pub(crate) fn is_kept(inside: &Path) -> bool {
    let first = inside
        .components()
        .next()
        .map(|first| first.as_os_str().to_string_lossy());
    // Names are folded, because a backup may be forged.
    let first = folded(&first.unwrap_or_default());
    !LEFT_OUT.iter().any(|name| first.eq_ignore_ascii_case(name))
        && !first.starts_with(OURS)
        && !to_text(inside).ends_with(".lock")
}

/// Returns the smallest set of commits that reaches everything which `tip` does not reach.
fn heads(repository: &Repository, commits: BTreeSet<Oid>, tip: Option<Oid>) -> Result<Vec<Oid>, git2::Error> {
    // Only the directory that all worktrees share has the boundaries of a shallow clone.
    let repository = Repository::open(repository.commondir())?;
    let mut walk = repository.revwalk()?;
    for id in &commits {
        walk.push(*id)?;
    }
    if let Some(tip) = tip {
        walk.hide(tip)?;
    }
    let (mut beyond, mut parents) = (BTreeSet::new(), BTreeSet::new());
    for id in walk {
        let id = id?;
        beyond.insert(id);
        parents.extend(repository.find_commit(id)?.parent_ids());
    }
    Ok(commits
        .into_iter()
        .filter(|id| beyond.contains(id) && !parents.contains(id))
        .collect())
}
