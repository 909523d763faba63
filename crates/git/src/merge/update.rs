//! Updates one checkout from the old commit to the new one: first all checks, then git's own two-tree merge
//! (`git read-tree -m -u`). Both work on a copy of the index, which replaces the original in one step.

use crate::command::{Git, Programs, said};
use crate::fresh::FreshIndex;
use crate::index::{Listed, listed};
use crate::inspect::clean;
use crate::merge::checkouts::Checkout;
use crate::merge::delta::{Delta, Side};
use crate::merge::obstacle::obstacles;
use crate::merge::refusal::{Cause, Refusal};
use crate::path::{self, fields, from_bytes, is_inside};
use crate::shadow::Shadow;
use crate::{Error, ordinary};
use git2::Oid;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs::File;
use std::path::{Path, PathBuf};

/// Settings for git in the repository's own git directory.
const SETTINGS: &[&str] = &["core.splitIndex=false", "submodule.recurse=false"];

/// A checkout that is being updated, with its copy of the index. The caller holds git's lock on the original.
pub(crate) struct Update {
    pub(crate) place: PathBuf,
    notes: PathBuf,
    shadow: Option<Shadow>,
    index: FreshIndex,
}

impl Update {
    /// Copies the index. Filters that the repository's own configuration names run only with
    /// [`Programs::Run`]; its hooks never do.
    pub(crate) fn of(checkout: &Checkout, programs: Programs) -> Result<Self, Error> {
        let inner = ordinary::open(&checkout.place)?;
        let shadow = match programs {
            Programs::Run => None,
            Programs::Skip => Some(Shadow::new(&inner, &checkout.place)?),
        };
        let notes = clean(inner.path());
        Ok(Self {
            place: checkout.place.clone(),
            index: FreshIndex::copy_of(&notes)?,
            notes,
            shadow,
        })
    }

    /// Creates the command `git <name>` for the checkout, with the copy of the index.
    pub(crate) fn git(&self, name: &'static str) -> Git {
        let git = match &self.shadow {
            Some(shadow) => shadow.git(name),
            None => {
                let settings: Vec<OsString> = SETTINGS.iter().map(OsString::from).collect();
                Git::configured(&self.place, name, &settings)
                    .env("GIT_DIR", &self.notes)
                    .env("GIT_WORK_TREE", &self.place)
            }
        };
        self.index.of(git)
    }

    /// Returns the reason why the checkout cannot be updated, if there is one. Changes nothing.
    ///
    /// # Errors
    /// [`Error::OutsidePath`] if the index names a file outside of the checkout: git would trust it.
    pub(crate) fn refusal(&self, delta: &Delta, old: Oid, new: Oid) -> Result<Option<Refusal>, Error> {
        let names = self.git("ls-files").args(["--cached", "-z"]).run()?;
        let mut outside = fields(&names).map(from_bytes).filter(|name| !is_inside(name));
        if let Some(name) = outside.next() {
            return Err(Error::OutsidePath {
                path: path::to_text(&name),
            });
        }
        let refused = |cause| Refusal::new(cause).at(&self.place);
        let status = self.status()?;
        if !status.unmerged.is_empty() {
            return Ok(Some(refused(Cause::Conflicts).naming(&status.unmerged)));
        }
        // Git would accept an edit that is staged and the same as in the candidate. Undoing the landing would
        // lose it.
        let edits: Vec<&Vec<u8>> = status
            .changed
            .iter()
            .filter(|path| delta.overlaps(path))
            .collect();
        if !edits.is_empty() {
            return Ok(Some(refused(Cause::Edits).naming(edits)));
        }
        let added = delta.0.iter().filter(|(_, change)| change.old.is_none());
        let added = added.map(|(path, _)| path);
        let in_the_way = obstacles(&self.place, delta, added);
        if !in_the_way.is_empty() {
            return Ok(Some(refused(Cause::InTheWay).naming(in_the_way)));
        }
        let tried = self.merge(&["--dry-run"], old, new).output()?;
        let words = || Cause::Git(said(&tried));
        Ok((!tried.status.success()).then(|| refused(words())))
    }

    /// Writes the files, and the copy of the index. If the process is killed meanwhile, git finishes, and the
    /// next landing waits for that: git inherits `lock`.
    pub(crate) fn write(&self, old: Oid, new: Oid, lock: &File) -> Result<(), Error> {
        self.merge(&[], old, new).holding(lock)?.run().map(drop)
    }

    fn merge(&self, how: &[&str], old: Oid, new: Oid) -> Git {
        let (old, new) = (old.to_string(), new.to_string());
        let git = self
            .git("read-tree")
            .args(["-m", "-u", "--no-recurse-submodules"]);
        git.args(how).args([old, new])
    }

    /// Copies the checkout's index once more.
    pub(crate) fn another_index(&self) -> Result<FreshIndex, Error> {
        FreshIndex::copy_of(&self.notes)
    }

    /// Replaces the checkout's index with the copy.
    pub(crate) fn keep_index(&self) -> Result<(), Error> {
        self.index.keep(&self.notes, Path::new("index"))
    }

    /// Returns the index entries of the paths in `delta`.
    pub(crate) fn entries(&self, delta: &Delta) -> Result<BTreeMap<Vec<u8>, Listed>, Error> {
        let listing = self.git("ls-files").args(["-v", "-s", "-z"]).run()?;
        let all = fields(&listing).filter_map(listed);
        let ours = all.filter(|entry| delta.0.contains_key(&entry.path));
        Ok(ours.map(|entry| (entry.path.clone(), entry)).collect())
    }

    /// Whether the index has one side of every path in `delta`.
    pub(crate) fn is_indexed(&self, delta: &Delta, side: Side) -> Result<bool, Error> {
        let entries = self.entries(delta)?;
        Ok(is_at(&entries, delta, side))
    }

    /// Compares checkout, index and HEAD, and notes in the copy of the index which files are unchanged.
    fn status(&self) -> Result<Status, Error> {
        let git = self.git("status").env("GIT_OPTIONAL_LOCKS", "1").args([
            "--porcelain=v2",
            "-z",
            "--untracked-files=no",
            "--ignore-submodules=dirty",
            "--no-renames",
            "--no-ahead-behind",
        ]);
        let mut status = Status::default();
        for line in fields(&git.run()?) {
            status.add(line);
        }
        Ok(status)
    }
}

/// Whether index entries are one side of every path.
pub(crate) fn is_at(entries: &BTreeMap<Vec<u8>, Listed>, delta: &Delta, side: Side) -> bool {
    let version = |path: &Vec<u8>| entries.get(path).map(|entry| (entry.mode, entry.id));
    let mut all = delta.0.iter();
    all.all(|(path, change)| version(path) == change.at(side))
}

/// The files that differ between checkout, index and HEAD, by path as git writes it.
#[derive(Debug, Default)]
struct Status {
    changed: BTreeSet<Vec<u8>>,
    unmerged: Vec<Vec<u8>>,
}

impl Status {
    /// Reads `1 XY sub mH mI mW hH hI path`, or `u XY sub m1 m2 m3 mW h1 h2 h3 path`.
    fn add(&mut self, line: &[u8]) {
        let words: Vec<&[u8]> = line.splitn(9, |byte| *byte == b' ').collect();
        match words.as_slice() {
            [b"1", _, _, _, _, _, _, _, path] => drop(self.changed.insert(path.to_vec())),
            [b"u", _, _, _, _, _, _, _, last] => {
                // Two more words precede the path.
                let path = last.splitn(3, |byte| *byte == b' ').last();
                self.unmerged.extend(path.map(<[u8]>::to_vec));
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_names_changed_and_unmerged_files() {
        let (one, zero) = ("1".repeat(40), "0".repeat(40));
        let mut status = Status::default();
        for line in [
            format!("1 .M N... 100644 100644 100755 {one} {one} a b c"),
            format!("1 D. N... 100644 000000 000000 {one} {zero} gone"),
            format!("u UU N... 100644 100644 100644 100644 {one} {one} {one} in two"),
        ] {
            status.add(line.as_bytes());
        }
        assert_eq!(
            Vec::from_iter(status.changed),
            [b"a b c".to_vec(), b"gone".to_vec()]
        );
        assert_eq!(status.unmerged, [b"in two".to_vec()]);
    }
}
