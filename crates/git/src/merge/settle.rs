//! Brings a partly updated checkout to one of the two commits, after a kill or a failure. Only files that git
//! has written, or begun to write, are touched; one with any other content is a person's, and stays.

use crate::blobs::GITLINK;
use crate::command::Git;
use crate::fresh::FreshIndex;
use crate::index::Listed;
use crate::merge::compare::{Match, compare, runs_alike};
use crate::merge::delta::{Change, Delta, Side, Version};
use crate::merge::update::{Update, is_at};
use crate::path::{from_bytes, to_text};
use crate::shadow::private_folder;
use crate::{Error, below};
use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;
use tempfile::TempDir;

/// The state of a file that differs between the two commits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Old,
    New,
    /// Missing although both commits have it, or cut off.
    Between,
    /// Something that git did not write.
    Other,
}

/// A checkout with the states of its files.
pub(crate) struct Mixed<'a> {
    update: &'a Update,
    delta: &'a Delta,
    entries: BTreeMap<Vec<u8>, Listed>,
    states: BTreeMap<&'a [u8], State>,
}

impl<'a> Mixed<'a> {
    /// Determines the states by letting git write both versions of each file elsewhere.
    pub(crate) fn of(update: &'a Update, delta: &'a Delta) -> Result<Self, Error> {
        let mut mixed = Self {
            entries: update.entries(delta)?,
            states: BTreeMap::new(),
            update,
            delta,
        };
        let old = mixed.written(Side::Old)?;
        let new = mixed.written(Side::New)?;
        for (path, change) in &delta.0 {
            let state = mixed.state(path, change, old.path(), new.path());
            mixed.states.insert(path, state);
        }
        Ok(mixed)
    }

    /// Whether the checkout's index has one side of every path.
    pub(crate) fn is_indexed(&self, side: Side) -> bool {
        is_at(&self.entries, self.delta, side)
    }

    /// Returns the paths whose content git did not write.
    pub(crate) fn others(&self) -> Vec<Vec<u8>> {
        let others = self.states.iter().filter(|(_, state)| **state == State::Other);
        others.map(|(path, _)| path.to_vec()).collect()
    }

    /// Brings the files and the index to one side, except for the files that git did not write.
    pub(crate) fn settle(&self, side: Side, lock: &File) -> Result<(), Error> {
        self.index(side, None)?;
        let mut to_write = Vec::new();
        for (path, change) in &self.delta.0 {
            let state = self.states.get(path.as_slice()).copied();
            let is_done = match side {
                Side::Old => state == Some(State::Old),
                // Git may have been killed between a file and its folder.
                Side::New => state == Some(State::New) && change.new.is_some(),
            };
            if is_done || state == Some(State::Other) {
                continue;
            }
            match change.at(side) {
                Some(_) if self.is_left_out(path) => {}
                Some(_) => to_write.push(path),
                None => self.delete(path)?,
            }
        }
        let mut names = Vec::new();
        for path in to_write {
            let at = self.update.place.join(from_bytes(path));
            // Git would delete a folder in its place with everything in it.
            let blocked = at.read_dir().is_ok_and(|mut all| all.next().is_some()) && !at.is_symlink();
            if !blocked {
                names.extend_from_slice(path);
                names.push(0);
            }
        }
        if !names.is_empty() {
            let git = self.update.git("checkout-index");
            let git = git.args(["-z", "--stdin", "--quiet", "--force", "--index"]);
            git.input(names).run()?;
        }
        // Its exit code only says that some files differ.
        let refresh = self.update.git("update-index").args(["-q", "--refresh"]);
        refresh.holding(lock)?.output()?;
        self.update.keep_index()
    }

    /// Whether a sparse checkout leaves a file out.
    fn is_left_out(&self, path: &[u8]) -> bool {
        self.entries.get(path).is_some_and(|entry| entry.tag == b'S')
    }

    /// Sets the entries in `other`, or in the copy of the index. Where a folder comes, that removes a file of its name.
    fn index(&self, side: Side, other: Option<&FreshIndex>) -> Result<(), Error> {
        let (mut gone, mut there) = (Vec::new(), Vec::new());
        let (mut left_out, none) = (Vec::new(), "0".repeat(40));
        for (path, change) in &self.delta.0 {
            let (lines, head) = match change.at(side) {
                None => (&mut gone, format!("0 {none}\t")),
                Some((mode, id)) => (&mut there, format!("{mode:o} {id}\t")),
            };
            lines.extend_from_slice(head.as_bytes());
            lines.extend_from_slice(path);
            lines.push(0);
            if change.at(side).is_some() && self.is_left_out(path) {
                left_out.extend_from_slice(path);
                left_out.push(0);
            }
        }
        // A file goes before a folder of its name comes.
        gone.extend(there);
        let git = |args: &[&str]| self.git("update-index", other).args(args);
        git(&["-z", "--index-info"]).input(gone).run()?;
        if !left_out.is_empty() {
            git(&["-z", "--skip-worktree", "--stdin"]).input(left_out).run()?;
        }
        Ok(())
    }

    fn git(&self, name: &'static str, other: Option<&FreshIndex>) -> Git {
        let git = self.update.git(name);
        match other {
            Some(other) => other.of(git),
            None => git,
        }
    }

    /// Lets git write one side of every path into a private folder. If it fails at a file, it has failed
    /// there in the checkout, too, and has not written the files after it.
    fn written(&self, side: Side) -> Result<TempDir, Error> {
        let home = private_folder()?;
        // What somebody staged in the place of these files stays in the copy.
        let index = self.update.another_index()?;
        self.index(side, Some(&index))?;
        let mut names = Vec::new();
        for (path, change) in &self.delta.0 {
            if change.at(side).is_some_and(|(mode, _)| mode != GITLINK) {
                names.extend_from_slice(path);
                names.push(0);
            }
        }
        let mut prefix = std::ffi::OsString::from("--prefix=");
        prefix.push(home.path());
        prefix.push("/");
        let write = self
            .git("checkout-index", Some(&index))
            .args(["-z", "--stdin", "--quiet"]);
        let output = write.arg(prefix).input(names).output()?;
        if !output.status.success() {
            tracing::warn!("{}", crate::command::said(&output));
        }
        Ok(home)
    }

    fn state(&self, path: &[u8], change: &Change, old: &Path, new: &Path) -> State {
        let inside = from_bytes(path);
        let at = match below::way(&self.update.place, &inside) {
            Ok(at) => at,
            // A file or link where one of the two commits has a folder.
            Err(_) if self.is_below_a_change(path) => return absent(change),
            Err(_) => return State::Other,
        };
        let Ok(about) = at.symlink_metadata() else {
            return absent(change);
        };
        if about.is_dir() {
            let is_submodule = |version: Version| version.is_some_and(|(mode, _)| mode == GITLINK);
            return match (is_submodule(change.old), is_submodule(change.new)) {
                // Their checkouts are not updated.
                (true, true) => State::New,
                (true, false) => State::Old,
                (false, true) => State::New,
                _ if self.delta.is_folder(path) || is_empty(&at) => absent(change),
                _ => State::Other,
            };
        }
        let [before, after] = [old, new].map(|home| (compare(&at, &home.join(&inside)), home.join(&inside)));
        match (before.0, after.0) {
            (Match::Same, Match::Same) if !runs_alike(&at, &before.1) => State::New,
            (Match::Same, _) => State::Old,
            (_, Match::Same) => State::New,
            (Match::Beginning, _) | (_, Match::Beginning) => State::Between,
            _ => State::Other,
        }
    }

    fn is_below_a_change(&self, path: &[u8]) -> bool {
        let slashes = (0..path.len()).filter(|at| path[*at] == b'/');
        let mut above = slashes.map(|at| &path[..at]);
        above.any(|above| self.delta.0.contains_key(above))
    }

    /// Deletes a file, and the folders that are empty then.
    fn delete(&self, path: &[u8]) -> Result<(), Error> {
        let inside = from_bytes(path);
        let Ok(at) = below::way(&self.update.place, &inside) else {
            return Ok(());
        };
        if at.is_dir() && !at.is_symlink() {
            // An empty submodule.
            let _ = std::fs::remove_dir(&at);
            return Ok(());
        }
        match std::fs::remove_file(&at) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(Error::io("delete", &at)(error));
            }
            _ => {}
        }
        let folders = inside
            .ancestors()
            .skip(1)
            .filter(|folder| *folder != Path::new(""));
        for folder in folders {
            match std::fs::remove_dir(self.update.place.join(folder)) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => break,
                _ => {}
            }
        }
        Ok(())
    }
}

/// The state of a path at which nothing is.
fn absent(change: &Change) -> State {
    match (change.old, change.new) {
        (None, _) => State::Old,
        (_, None) => State::New,
        _ => State::Between,
    }
}

fn is_empty(folder: &Path) -> bool {
    folder
        .read_dir()
        .is_ok_and(|mut entries| entries.next().is_none())
}

/// Formats paths for people.
pub(crate) fn shown(paths: &[Vec<u8>]) -> Vec<String> {
    let text = |path: &Vec<u8>| to_text(&from_bytes(path));
    paths.iter().take(SHOWN).map(text).collect()
}

/// The maximum number of paths that are named.
const SHOWN: usize = 50;
