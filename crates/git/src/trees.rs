//! Looks at trees before anything walks them. A forged tree of ten objects can hold billions of paths, and one with the names
//! `..` or `a` twice leads out of the folder that it is written to: git creates neither, and nothing checks them when a
//! commit is added to a repository. Each tree is looked at once, however often it is in others.

use crate::path::{folded, from_bytes, is_inside};
use git2::{Error, FileMode, ObjectType, Oid, Repository, Tree};
use std::collections::{HashMap, HashSet};
use unicode_normalization::UnicodeNormalization as _;

/// The maximum number of files and folders of a tree.
pub(crate) const MOST: usize = 2_000_000;

/// The maximum depth of trees, as in git (`core.maxTreeDepth`).
pub(crate) const DEEPEST: usize = 2048;

/// Whether disks ignore case and the form of accents here.
const FOLDS: bool = cfg!(any(windows, target_os = "macos"));

/// Returns the error about a path with too many folders.
pub(crate) fn too_deep(path: &str) -> Error {
    let begin: String = path.chars().take(80).collect();
    Error::from_str(&format!("{begin:?}… is nested more than {DEEPEST} levels deep"))
}

/// The trees that were looked at.
#[derive(Debug, Default)]
pub(crate) struct Trees {
    known: HashMap<Oid, Size>,
    /// Whether names are checked, too.
    named: bool,
}

#[derive(Debug, Clone, Copy, Default)]
struct Size {
    entries: usize,
    height: usize,
}

/// A tree of which some folders were not counted yet.
struct Open {
    id: Oid,
    size: Size,
    folders: Vec<Oid>,
}

impl Trees {
    /// Checks names, too: for trees that are written to a disk.
    pub(crate) fn to_write() -> Self {
        Self {
            named: true,
            ..Self::default()
        }
    }

    /// Refuses a tree that holds too much, or whose names are not those of files inside of it.
    ///
    /// # Errors
    /// Fails, with the reason, if so, or if an object is missing.
    pub(crate) fn check(&mut self, repository: &Repository, tree: Oid) -> Result<(), Error> {
        if self.known.contains_key(&tree) {
            return Ok(());
        }
        // An explicit stack instead of recursion, because nothing limits the depth of trees.
        let mut open = vec![self.open(repository, tree)?];
        while let Some(mut last) = open.pop() {
            let Some(folder) = last.folders.pop() else {
                self.known.insert(last.id, last.size);
                if let Some(above) = open.last_mut() {
                    above.size.add(last.size)?;
                }
                continue;
            };
            let known = self.known.get(&folder).copied();
            if let Some(size) = known {
                last.size.add(size)?;
            }
            open.push(last);
            if known.is_none() {
                if open.len() > DEEPEST {
                    return Err(too_deep(&folder.to_string()));
                }
                let next = self.open(repository, folder)?;
                open.push(next);
            }
        }
        Ok(())
    }

    fn open(&self, repository: &Repository, id: Oid) -> Result<Open, Error> {
        let tree = repository.find_tree(id)?;
        if self.named {
            check_names(&tree)?;
        }
        let entries = tree.len();
        let size = Size { entries, height: 1 };
        let folders = tree.iter().filter(|entry| entry.kind() == Some(ObjectType::Tree));
        let folders = folders.map(|entry| entry.id()).collect();
        Ok(Open { id, size, folders })
    }
}

impl Size {
    /// Adds what a folder holds.
    fn add(&mut self, folder: Size) -> Result<(), Error> {
        self.entries = self.entries.saturating_add(folder.entries);
        self.height = self.height.max(folder.height + 1);
        if self.entries > MOST {
            let why = format!("a commit holds more than {MOST} files and folders");
            return Err(Error::from_str(&why));
        }
        match self.height > DEEPEST {
            true => Err(too_deep("a folder of a commit")),
            false => Ok(()),
        }
    }
}

/// Refuses names that lead out of a tree or into git's own directory, and a folder that a link of the same name would
/// redirect.
fn check_names(tree: &Tree<'_>) -> Result<(), Error> {
    let (mut links, mut folders, mut all) = (HashSet::new(), HashSet::new(), HashSet::new());
    for entry in tree {
        let bytes = entry.name_bytes();
        let name = from_bytes(bytes);
        if bytes.contains(&b'/') || !is_inside(&name) {
            return Err(forged(bytes, "is not the name of a file"));
        }
        if !all.insert(bytes.to_vec()) {
            return Err(forged(bytes, "is there twice"));
        }
        let is_folder = entry.kind() == Some(ObjectType::Tree);
        if is_folder || entry.filemode() == i32::from(FileMode::Link) {
            let names = if is_folder { &mut folders } else { &mut links };
            names.insert(same_file(bytes));
        }
    }
    match folders.intersection(&links).next() {
        Some(name) => Err(forged(name, "is both a folder and a link")),
        None => Ok(()),
    }
}

/// Returns what the names of the same file have in common where disks ignore case and the form of accents, and so may follow
/// a link for a folder. Elsewhere, a link `docs` beside a folder `Docs` is usual.
fn same_file(name: &[u8]) -> Vec<u8> {
    match FOLDS {
        true => {
            let same: String = folded(&String::from_utf8_lossy(name)).nfd().collect();
            same.into_bytes()
        }
        false => name.to_vec(),
    }
}

fn forged(name: &[u8], why: &str) -> Error {
    let name: String = String::from_utf8_lossy(name).chars().take(80).collect();
    Error::from_str(&format!(
        "{name:?} {why} in the commit, which git itself never writes: it is forged"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repository() -> (tempfile::TempDir, Repository) {
        let home = tempfile::tempdir().unwrap();
        let repository = Repository::init_bare(home.path()).unwrap();
        (home, repository)
    }

    /// Writes a tree as it is given, which libgit2's own builder would refuse.
    fn tree(repository: &Repository, entries: &[(&str, &str, Oid)]) -> Oid {
        let mut bytes = Vec::new();
        for (mode, name, id) in entries {
            bytes.extend_from_slice(format!("{mode} {name}\0").as_bytes());
            bytes.extend_from_slice(id.as_bytes());
        }
        repository.odb().unwrap().write(ObjectType::Tree, &bytes).unwrap()
    }

    #[test]
    fn a_tree_of_ten_objects_with_billions_of_paths_is_refused_at_once() {
        let (_home, repository) = repository();
        let blob = repository.blob(b"x").unwrap();
        let names: Vec<String> = (0..10).map(|n| n.to_string()).collect();
        let files: Vec<_> = names.iter().map(|name| ("100644", name.as_str(), blob)).collect();
        let mut at = tree(&repository, &files);
        for level in 0..10 {
            let sizes = Trees::default().check(&repository, at);
            assert_eq!(sizes.is_ok(), level < 6, "at level {level}");
            let folders: Vec<_> = names.iter().map(|name| ("40000", name.as_str(), at)).collect();
            at = tree(&repository, &folders);
        }
    }

    #[test]
    fn a_tree_deeper_than_git_allows_is_refused() {
        let (_home, repository) = repository();
        let mut at = tree(&repository, &[("100644", "f", repository.blob(b"x").unwrap())]);
        for _ in 0..DEEPEST - 1 {
            at = tree(&repository, &[("40000", "d", at)]);
        }
        Trees::default().check(&repository, at).unwrap();
        let deeper = tree(&repository, &[("40000", "d", at)]);
        Trees::default().check(&repository, deeper).unwrap_err();
    }

    #[test]
    fn names_that_lead_out_of_a_tree_are_refused_where_it_is_written() {
        let (_home, repository) = repository();
        let blob = repository.blob(b"x").unwrap();
        let folder = tree(&repository, &[("100644", "f", blob)]);
        let outside = |name: &str| vec![("40000", name.to_owned(), folder)];
        let pair = |link: &str, name: &str| {
            vec![
                ("120000", link.to_owned(), blob),
                ("40000", name.to_owned(), folder),
            ]
        };
        let rows = [
            (outside("d"), true),
            (outside(".."), false),
            (outside("."), false),
            (outside(".git"), false),
            (outside(".GIT"), false),
            (outside("a/b"), false),
            (pair("d", "d"), false),
            (pair("D", "d"), !FOLDS),
            (pair("\u{e9}", "e\u{301}"), !FOLDS),
            (pair("d", "e"), true),
            // Two files that differ only in case are usual.
            (
                vec![("100644", "A".to_owned(), blob), ("100644", "a".to_owned(), blob)],
                true,
            ),
        ];
        for (entries, is_fine) in rows {
            for reversed in [false, true] {
                let mut entries: Vec<_> = entries
                    .iter()
                    .map(|(mode, name, id)| (*mode, name.as_str(), *id))
                    .collect();
                if reversed {
                    entries.reverse();
                }
                let inner = tree(&repository, &entries);
                for at in [inner, tree(&repository, &[("40000", "above", inner)])] {
                    assert_eq!(
                        Trees::to_write().check(&repository, at).is_ok(),
                        is_fine,
                        "{entries:?}"
                    );
                    Trees::default().check(&repository, at).unwrap();
                }
            }
        }
    }
}
