//! Distinguishes the files that a copy put into a worktree from later changes. Each file is compared with its
//! record or with the primary checkout; a file never counts as copied by its path alone. The copying is in
//! [`crate::copy()`], the saving in [`crate::save`].

use crate::below::there;
use crate::copies::{CopyRecord, READ, environment_files};
use crate::inspect::{clean, primary};
use crate::path::{from_text, to_text};
use crate::setup::is_dependency_name;
use crate::{Error, ordinary, tips, tree};
use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// A worktree with the record of its copies.
pub(crate) struct Copied<'a> {
    worktree: &'a Path,
    record: &'a CopyRecord,
    /// The primary checkout, if there is one.
    primary: Option<PathBuf>,
}

impl<'a> Copied<'a> {
    pub(crate) fn of(worktree: &'a Path, record: &'a CopyRecord) -> Result<Self, Error> {
        let inner = ordinary::open(worktree)?;
        let root = primary(&inner).ok().and_then(|one| one.workdir().map(clean));
        Ok(Self {
            worktree,
            record,
            primary: root.filter(|root| root != worktree),
        })
    }

    /// Whether a file or link was put there by a copy and has not changed.
    pub(crate) fn is_unchanged(&self, inside: &Path) -> bool {
        let text = to_text(inside);
        if let Some(file) = self.record.files.get(&text) {
            return file.is(&self.worktree.join(inside));
        }
        let is_linked = self.record.links.contains(&text);
        is_linked && self.is_our_link(&text) || self.is_in_tree(inside) && self.is_as_in_primary(inside)
    }

    /// Returns copied files that were changed, files that replaced a link, and new `.env*` files.
    pub(crate) fn changed(&self) -> Result<Vec<String>, Error> {
        let there = |text: &str| self.worktree.join(from_text(text)).symlink_metadata();
        let is_file = |text: &str| there(text).is_ok_and(|meta| !meta.is_dir());
        let files = self.record.files.iter();
        let files = files
            .filter(|(text, file)| is_file(text.as_str()) && !file.is(&self.worktree.join(from_text(text))));
        let links = self.record.links.iter();
        let links = links.filter(|text| is_file(text.as_str()) && !self.is_our_link(text));
        let mut changed: Vec<String> = files.map(|(text, _)| text).chain(links).cloned().collect();
        for inside in environment_files(self.worktree)? {
            let text = to_text(&inside);
            let is_new = !self.record.files.contains_key(&text) && !self.is_unchanged(&inside);
            if is_new && !changed.contains(&text) {
                changed.push(text);
            }
        }
        changed.sort();
        Ok(changed)
    }

    /// Returns unchanged copies that the primary checkout no longer has with the
    /// same content, with their sizes.
    pub(crate) fn alone(&self) -> Vec<(String, u64)> {
        let alone = self.record.files.iter().filter(|(text, file)| {
            let inside = from_text(text);
            let at = self.worktree.join(&inside);
            let is_there = |root: &PathBuf| file.is(&root.join(&inside));
            !at.is_symlink() && file.is(&at) && !self.primary.as_ref().is_some_and(is_there)
        });
        alone.map(|(text, file)| (text.clone(), file.size)).collect()
    }

    /// Whether a file needs no inspection: changes of recorded files are in [`Self::changed`].
    pub(crate) fn answers_for(&self, inside: &Path) -> bool {
        self.record.files.contains_key(&to_text(inside)) || self.is_unchanged(inside)
    }

    /// Whether a path is a directory that was copied on purpose and must be inspected, whatever its name.
    pub(crate) fn is_place(&self, inside: &Path) -> bool {
        let text = to_text(inside);
        self.record.directories.contains(&text) || self.parts().any(|part| part == inside)
    }

    /// Whether a path is in such a directory.
    pub(crate) fn is_in_place(&self, inside: &Path) -> bool {
        let mut above = inside.ancestors().skip(1);
        self.parts().any(|part| inside == part) || above.any(|way| self.is_place(way))
    }

    /// Returns the outermost existing directories of this kind below a path.
    pub(crate) fn places_below(&self, inside: &Path) -> Vec<PathBuf> {
        let directories = self.record.directories.iter().map(|text| from_text(text));
        let all = directories.chain(self.parts());
        let mut below: Vec<PathBuf> = all
            .filter(|place| place != inside && place.starts_with(inside))
            .filter(|place| there(self.worktree, place).is_some())
            .collect();
        below.sort();
        below.dedup_by(|one, before| one.starts_with(before));
        below
    }

    /// Whether nothing at or below a path needs inspection. `untracked` are the new files that git reports.
    pub(crate) fn passes(&self, inside: &Path, meta: &Metadata, untracked: &[String]) -> bool {
        let text = to_text(inside);
        if !meta.is_dir() {
            return self.record.files.contains_key(&text) || self.is_link(&text);
        }
        let is_below = |new: &String| from_text(new).starts_with(inside);
        self.record.trees.contains(&text) && !untracked.iter().any(is_below)
    }

    /// Whether a bare repository was copied, and its original names every object
    /// that only the copy might name.
    pub(crate) fn is_copied_repository(&self, inside: &Path) -> bool {
        let (Some(root), true) = (&self.primary, self.is_in_tree(inside)) else {
            return false;
        };
        let (here, from) = (self.worktree.join(inside), root.join(inside));
        let is_bare = |at: &Path| !crate::path::exists(&at.join(".git")) && tips::is_git_directory(at);
        is_bare(&here) && is_bare(&from) && !tips::has_tables(&here) && {
            let (own, theirs) = (tips::Tips::read(&here, &here), tips::Tips::read(&from, &from));
            own.own.is_subset(&theirs.own)
        }
    }

    /// Returns directories that were copied with a dependency directory, but do not have the name of one.
    fn parts(&self) -> impl Iterator<Item = PathBuf> {
        let trees = self.record.trees.iter().map(|text| from_text(text));
        trees.filter(|tree| !tree.file_name().is_some_and(is_dependency_name))
    }

    fn is_in_tree(&self, inside: &Path) -> bool {
        let mut trees = self.record.trees.iter();
        trees.any(|tree| inside.starts_with(from_text(tree)))
    }

    fn is_link(&self, text: &String) -> bool {
        self.record.links.contains(text) && self.is_our_link(text)
    }

    /// Whether the created link is still there: one with another target belongs to somebody else.
    fn is_our_link(&self, text: &str) -> bool {
        let inside = from_text(text);
        let Ok(target) = self.worktree.join(&inside).read_link() else {
            return false;
        };
        let target = dunce::simplified(&target);
        match self.record.targets.get(text) {
            Some(made) => target == from_text(made),
            // Records of earlier versions have no targets.
            None => self.original(&inside).is_some_and(|from| target == from),
        }
    }

    /// Returns the path from which a file was copied, with the links to the checkout resolved.
    fn original(&self, inside: &Path) -> Option<PathBuf> {
        let root = dunce::canonicalize(self.primary.as_ref()?).ok()?;
        Some(root.join(inside))
    }

    /// Whether a file has the same bytes, or a link the same target, as in the primary checkout.
    fn is_as_in_primary(&self, inside: &Path) -> bool {
        let Some(from) = self.original(inside) else {
            return false;
        };
        let at = self.worktree.join(inside);
        let (Ok(before), Ok(now)) = (from.symlink_metadata(), at.symlink_metadata()) else {
            return false;
        };
        if now.is_symlink() {
            let target = at.read_link().ok();
            // A relative link whose target was not copied was changed to point to the original's target.
            let led = || dunce::canonicalize(&from).ok();
            return before.is_symlink()
                && target.is_some()
                && (target == from.read_link().ok() || target == led());
        }
        let is_dated = || now.len() > READ && tree::mtime(&now) == tree::mtime(&before);
        let is_same = || matches!((tree::hash(&at), tree::hash(&from)), (Ok(a), Ok(b)) if a == b);
        now.is_file() && before.is_file() && now.len() == before.len() && (is_dated() || is_same())
    }
}

/// Records the ignored `.env*` files and copies that differ from the originals and were last written by
/// `until`. If `until` is the end of set-up, set-up made these changes.
pub fn made_copies(worktree: &Path, copies: &CopyRecord, until: SystemTime) -> Result<CopyRecord, Error> {
    let mut names = Copied::of(worktree, copies)?.changed()?;
    names.retain(|name| {
        let meta = worktree.join(from_text(name)).symlink_metadata();
        meta.and_then(|meta| meta.modified())
            .is_ok_and(|written| written <= until)
    });
    CopyRecord::of(worktree, &names)
}
