//! The complete content of a worktree: for the question before a removal, and for the backup. It is collected
//! by [`crate::present`], or by [`crate::gone`] if the folder is gone.

use crate::Error;
use crate::below::there;
use crate::blobs::{self, Entries, GITLINK};
use crate::ignored::Ignored;
use crate::index::{self, Listed};
use crate::inside::Inside;
use crate::marks::Found;
use crate::operation::State;
use crate::path::{from_bytes, from_text, to_text};
use crate::uncommitted::Uncommitted;
use git2::Oid;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};

/// The size of the largest file that is saved.
const LARGEST: u64 = 4_000_000_000;

/// The content of a worktree.
pub(crate) struct Held {
    pub(crate) inside: Inside,
    pub(crate) files: Uncommitted,
    /// Changed copies and new environment files; git ignores them.
    pub(crate) copied: Vec<String>,
    /// Unchanged copies whose original is gone or has changed; they are saved without a question.
    pub(crate) alone: Vec<String>,
    pub(crate) ignored: Ignored,
    /// Nested repositories with work of their own.
    pub(crate) nested: Vec<PathBuf>,
    /// Git directories of submodules with work but without a checkout, relative to git's own.
    pub(crate) forgotten: Vec<PathBuf>,
    pub(crate) found: Found,
    pub(crate) index: Vec<Listed>,
    /// The index as text.
    pub(crate) listing: Vec<u8>,
    /// Tracked files whose bytes are not in git's objects.
    pub(crate) own: BTreeSet<Vec<u8>>,
    /// Tracked files that git writes again byte for byte, through a program that converts them.
    pub(crate) by_git: BTreeSet<Vec<u8>>,
    /// The commit of HEAD.
    pub(crate) tip: Option<Oid>,
    pub(crate) state: State,
    /// Whether there is no index, because the worktree was never filled.
    pub(crate) is_unfilled: bool,
    /// Whether there is no folder, because the worktree was deleted or moved by hand.
    pub(crate) is_gone: bool,
}

impl Held {
    /// Whether a removal would lose anything other than commits of HEAD.
    pub(crate) fn is_work(&self) -> bool {
        let hidden = |entry: &Listed| entry.tag == b'S' || entry.tag.is_ascii_lowercase();
        !self.files.dirty.is_empty()
            || !self.copied.is_empty()
            || !self.alone.is_empty()
            || !self.ignored.added.is_empty()
            || !self.ignored.files.is_empty()
            || !self.inner().is_empty()
            || !self.own.is_empty()
            || self.found.marks.is_chosen()
            || self.index.iter().any(hidden)
            || self.state.is_work
    }

    /// Refuses a changed or new file that would take hours to save, such as a disk image or a core dump.
    ///
    /// # Errors
    /// [`Error::TooLarge`] names the file.
    pub(crate) fn check_sizes(&self, worktree: &Path) -> Result<(), Error> {
        for text in self.files.dirty.iter().chain(self.saved_untracked()) {
            let inside = from_text(text);
            let bytes = there(worktree, &inside).map_or(0, |meta| meta.len());
            if bytes > LARGEST {
                let path = worktree.join(inside);
                return Err(Error::TooLarge { path, bytes });
            }
        }
        Ok(())
    }

    /// Returns the nested repositories with work, as shown to people.
    pub(crate) fn inner(&self) -> Vec<String> {
        let nested = self.nested.iter().map(|path| format!("{}/", to_text(path)));
        let forgotten = self.forgotten.iter().map(|path| {
            let name = path.strip_prefix("modules").unwrap_or(path);
            format!("commits of the submodule {}", to_text(name))
        });
        nested.chain(forgotten).collect()
    }

    /// Returns the untracked files that are saved.
    pub(crate) fn saved_untracked(&self) -> impl Iterator<Item = &String> {
        let ignored = self
            .copied
            .iter()
            .chain(&self.alone)
            .chain(&self.ignored.added)
            .chain(&self.ignored.files);
        self.files.untracked.iter().chain(ignored)
    }

    /// Returns the tree of the worktree's files, and writes the objects that git does not have yet.
    pub(crate) fn tree(&mut self, worktree: &Path, repository: &git2::Repository) -> Result<Entries, Error> {
        let mut all = self.never_written(worktree, repository)?;
        if self.is_gone {
            all.extend(index::files(&self.index, repository)?);
            return Ok(all);
        }
        let changed: HashSet<&String> = self.files.dirty.iter().collect();
        let mut tracked: BTreeMap<Vec<u8>, (u32, Oid)> = all.clone();
        for entry in &self.index {
            tracked.insert(entry.path.clone(), (entry.mode, entry.id));
        }
        let beside: Vec<String> = self.saved_untracked().cloned().collect();
        let holds_files = |link: &Path| beside.iter().any(|text| from_text(text).starts_with(link));
        for (path, (mode, id)) in tracked {
            let inside = from_bytes(&path);
            let at = worktree.join(&inside);
            if mode == GITLINK {
                let is_folder = there(worktree, &inside).is_some_and(|meta| meta.is_dir());
                if is_folder && !holds_files(&inside) {
                    all.insert(path, (mode, id));
                }
                continue;
            }
            let Some(meta) = there(worktree, &inside) else {
                continue;
            };
            if meta.is_dir() {
                all.remove(&path);
                continue;
            }
            if !meta.is_file() && !meta.is_symlink() {
                continue;
            }
            self.found.marks.note_way(worktree, &inside);
            let is_own = self.own.contains(&path) || changed.contains(&to_text(&inside));
            let now = kind(&meta, mode);
            // The object of a file does not describe a link that replaced it.
            let is_other = (now == blobs::LINK) != (mode == blobs::LINK);
            let id = match is_own || is_other || self.is_unfilled {
                true => blobs::store(repository, &at)?,
                false => id,
            };
            all.insert(path, (now, id));
        }
        self.add_untracked(&beside, &mut all, worktree, repository)?;
        Ok(all)
    }

    /// Returns the files of HEAD if the worktree is only partly filled: one that was never written is not a deleted one.
    fn never_written(&self, worktree: &Path, repository: &git2::Repository) -> Result<Entries, Error> {
        let Some(tip) = self.tip.filter(|_| self.is_unfilled) else {
            return Ok(Entries::new());
        };
        let commit = repository.find_commit(tip).map_err(Error::read(worktree))?;
        blobs::entries(repository, commit.tree_id())
    }

    /// Adds those of `untracked` that are files or links to a tree, and writes their objects.
    fn add_untracked(
        &mut self,
        untracked: &[String],
        tree: &mut Entries,
        worktree: &Path,
        repository: &git2::Repository,
    ) -> Result<(), Error> {
        for text in untracked {
            let inside = from_text(text);
            let Some(meta) = there(worktree, &inside).filter(|meta| meta.is_file() || meta.is_symlink())
            else {
                continue;
            };
            self.found.marks.note_way(worktree, &inside);
            let id = blobs::store(repository, &worktree.join(&inside))?;
            tree.insert(crate::path::to_bytes(&inside), (kind(&meta, blobs::FILE), id));
        }
        Ok(())
    }
}

/// Returns the mode of a file in a tree. On systems without an executable bit, the previous mode is kept.
pub(crate) fn kind(meta: &std::fs::Metadata, before: u32) -> u32 {
    if meta.is_symlink() {
        return blobs::LINK;
    }
    match runs(meta) {
        Some(true) => blobs::PROGRAM,
        Some(false) => blobs::FILE,
        None if before == blobs::PROGRAM => before,
        None => blobs::FILE,
    }
}

#[cfg(unix)]
fn runs(meta: &std::fs::Metadata) -> Option<bool> {
    use std::os::unix::fs::PermissionsExt;
    Some(meta.permissions().mode() & 0o100 != 0)
}

#[cfg(not(unix))]
fn runs(_meta: &std::fs::Metadata) -> Option<bool> {
    None
}
