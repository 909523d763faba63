//! The paths that differ between two commits, with both versions of each.

use crate::blobs::GITLINK;
use crate::merge::objects::Objects;
use crate::path::{from_bytes, is_inside};
use crate::trees::DEEPEST;
use crate::{Error, path};
use git2::{Oid, Tree};
use std::collections::BTreeMap;

/// The mode and object of a path; `None` if it does not exist.
pub(crate) type Version = Option<(u32, Oid)>;

/// A path that differs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Change {
    pub(crate) old: Version,
    pub(crate) new: Version,
}

/// One of the two commits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Old,
    New,
}

impl Change {
    pub(crate) fn at(&self, side: Side) -> Version {
        match side {
            Side::Old => self.old,
            Side::New => self.new,
        }
    }

    /// Whether either version is a submodule.
    pub(crate) fn has_submodule(&self) -> bool {
        [self.old, self.new]
            .into_iter()
            .flatten()
            .any(|(mode, _)| mode == GITLINK)
    }
}

/// The differences between two commits, by path as git writes it.
#[derive(Debug, Default)]
pub(crate) struct Delta(pub(crate) BTreeMap<Vec<u8>, Change>);

impl Delta {
    /// Compares the trees of two commits.
    ///
    /// # Errors
    /// [`Error::OutsidePath`] if a path leads out of a checkout or into git's own directory, as only a forged
    /// tree can contain.
    pub(crate) fn between(objects: &Objects, old: Oid, new: Oid) -> Result<Self, Error> {
        let mut delta = Self::default();
        let tree = |id| objects.git2().find_commit(id)?.tree();
        let mut compared = || -> Result<(), git2::Error> {
            let (old, new) = (tree(old)?, tree(new)?);
            objects.check_size(old.id())?;
            objects.check_size(new.id())?;
            delta.compare(objects, &mut Vec::new(), Some(&old), Some(&new), 0)
        };
        compared().map_err(objects.failed())?;
        match delta
            .0
            .keys()
            .map(|path| from_bytes(path))
            .find(|path| !is_inside(path))
        {
            Some(path) => Err(Error::OutsidePath {
                path: path::to_text(&path),
            }),
            None => Ok(delta),
        }
    }

    fn compare(
        &mut self,
        objects: &Objects,
        prefix: &mut Vec<u8>,
        old: Option<&Tree<'_>>,
        new: Option<&Tree<'_>>,
        depth: usize,
    ) -> Result<(), git2::Error> {
        if depth > DEEPEST {
            return Err(git2::Error::from_str("its folders are nested too deep"));
        }
        let mut names: BTreeMap<Vec<u8>, Change> = BTreeMap::new();
        for (tree, is_new) in [(old, false), (new, true)] {
            for entry in tree.into_iter().flat_map(Tree::iter) {
                let mode = u32::try_from(entry.filemode()).unwrap_or_default();
                let change = names.entry(entry.name_bytes().to_vec()).or_default();
                let side = if is_new { &mut change.new } else { &mut change.old };
                *side = Some((mode, entry.id()));
            }
        }
        for (name, change) in names.into_iter().filter(|(_, change)| change.old != change.new) {
            let length = prefix.len();
            prefix.extend_from_slice(&name);
            let folder = |version: Version| match version {
                Some((mode, id)) if mode == FOLDER => objects.git2().find_tree(id).map(Some),
                _ => Ok(None),
            };
            let file = |version: Version| version.filter(|(mode, _)| *mode != FOLDER);
            let files = Change {
                old: file(change.old),
                new: file(change.new),
            };
            if files != Change::default() {
                self.0.insert(prefix.clone(), files);
            }
            let (old, new) = (folder(change.old)?, folder(change.new)?);
            if old.is_some() || new.is_some() {
                prefix.push(b'/');
                self.compare(objects, prefix, old.as_ref(), new.as_ref(), depth + 1)?;
            }
            prefix.truncate(length);
        }
        Ok(())
    }

    /// Whether an edit of `path` cannot stay: the path differs, or a file of one is a folder of the other. Git would
    /// drop a staged file whose path is needed for a folder, and the other way round, without a word.
    pub(crate) fn overlaps(&self, path: &[u8]) -> bool {
        let becomes_file = |at: usize| {
            let change = self.0.get(&path[..at]);
            change.is_some_and(|change| change.new.is_some())
        };
        let mut folders = (0..path.len()).filter(|at| path[*at] == b'/');
        self.0.contains_key(path) || self.is_folder(path) || folders.any(becomes_file)
    }

    /// Whether a path below the given one differs.
    pub(crate) fn is_folder(&self, path: &[u8]) -> bool {
        let below = [path, b"/"].concat();
        let mut after = self.0.range(below.clone()..);
        after.next().is_some_and(|(next, _)| next.starts_with(&below))
    }

    /// Returns the submodules that have to be updated by hand afterwards.
    pub(crate) fn submodules(&self) -> Vec<String> {
        let changed = self.0.iter().filter(|(_, change)| change.has_submodule());
        changed
            .map(|(path, _)| path::to_text(&from_bytes(path)))
            .take(SUBMODULES)
            .collect()
    }
}

/// The maximum number of submodules that are named.
const SUBMODULES: usize = 100;

/// The mode of a folder in a tree.
const FOLDER: u32 = 0o040_000;
