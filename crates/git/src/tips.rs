//! The commits that a repository names, read from its files: references, packed references,
//! reflogs and the state files of operations. Reads no configuration and runs no program, so the
//! repository need not be trusted.

use crate::path::{from_bytes, to_bytes};
use git2::Oid;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The largest file that is searched for object names.
const LARGEST: u64 = 64 << 20;

/// The largest depth to which folders of references and reflogs are followed.
const DEEPEST: usize = 32;

/// The largest `.git` file, `commondir` file and the like.
const POINTER: u64 = 64 << 10;

/// The length of an object name in hexadecimal digits.
const DIGITS: usize = 40;

/// The files that the git directory has while an operation is in progress, with the name of the operation.
pub(crate) const OPERATIONS: &[(&str, &str)] = &[
    ("rebase-merge", "a rebase"),
    ("rebase-apply", "a rebase"),
    ("MERGE_HEAD", "a merge"),
    ("MERGE_AUTOSTASH", "a merge"),
    ("CHERRY_PICK_HEAD", "a cherry-pick"),
    ("REVERT_HEAD", "a revert"),
    ("sequencer", "a cherry-pick or revert"),
    ("BISECT_LOG", "a bisection"),
];

/// The objects that a repository names.
#[derive(Debug, Default)]
pub(crate) struct Tips {
    /// Objects that possibly only this git directory names.
    pub(crate) own: BTreeSet<Oid>,
    /// Objects that a remote had, or that the main repository of a linked worktree names.
    pub(crate) elsewhere: BTreeSet<Oid>,
    /// The references by full name.
    refs: BTreeMap<Vec<u8>, Oid>,
    /// The content of `HEAD`.
    head: Vec<u8>,
}

impl Tips {
    /// Reads the objects that the git directory `dir` names. For a linked worktree,
    /// `common` is a different directory.
    pub(crate) fn read(dir: &Path, common: &Path) -> Self {
        let mut tips = Self::default();
        if dir != common {
            tips.references(common);
            tips.elsewhere = tips.refs.values().copied().collect();
        }
        tips.own = tips.references(dir);
        each_file(&dir.join("logs"), 0, &mut |file| tips.reflog(dir, file));
        tips.head = contents(&dir.join("HEAD"), POINTER).unwrap_or_default();
        tips.own.extend(objects(&tips.head));
        for entry in dir.read_dir().into_iter().flatten().flatten() {
            let name = entry.file_name();
            // Fetched commits belong to a remote.
            if name.to_string_lossy().ends_with("_HEAD") && name != "FETCH_HEAD" {
                tips.own.extend(named(&entry.path()));
            }
        }
        tips
    }

    /// Returns the commit of HEAD; `None` if there is none yet.
    pub(crate) fn head(&self) -> Option<Oid> {
        match self.head.strip_prefix(b"ref: ") {
            Some(name) => self.refs.get(name.trim_ascii()).copied(),
            None => object(self.head.trim_ascii()),
        }
    }

    /// Returns every object that a reference names.
    pub(crate) fn referenced(&self) -> impl Iterator<Item = Oid> {
        self.refs.values().copied()
    }

    /// Reads the references of one directory, and returns those that are not remote-tracking.
    fn references(&mut self, home: &Path) -> BTreeSet<Oid> {
        let mut found = Vec::new();
        let packed = contents(&home.join("packed-refs"), LARGEST).unwrap_or_default();
        for line in packed.split(|byte| *byte == b'\n') {
            if let Some((id, name)) = line.split_at_checked(DIGITS + 1)
                && let Some(id) = object(&id[..DIGITS])
            {
                found.push((name.to_vec(), id));
            }
        }
        // A loose reference overrides a packed one.
        each_file(&home.join("refs"), 0, &mut |file| {
            let name = to_bytes(file.strip_prefix(home).unwrap_or(file));
            let text = contents(file, POINTER).unwrap_or_default();
            found.extend(text.get(..DIGITS).and_then(object).map(|id| (name, id)));
        });
        let mut own = BTreeSet::new();
        for (name, id) in found {
            match name.starts_with(b"refs/remotes/") {
                true => self.elsewhere.insert(id),
                false => own.insert(id),
            };
            self.refs.insert(name, id);
        }
        own
    }

    fn reflog(&mut self, home: &Path, file: &Path) {
        let is_remote = file.starts_with(home.join("logs/refs/remotes"));
        for line in contents(file, LARGEST)
            .unwrap_or_default()
            .split(|byte| *byte == b'\n')
        {
            let (before, message) = split(line, b'\t');
            let ids = objects(before);
            match is_remote || message.starts_with(b"clone: from ") {
                true => self.elsewhere.extend(ids),
                false => self.own.extend(ids),
            }
        }
    }
}

/// Returns a description of the operation in progress in a git directory.
pub(crate) fn operation(dir: &Path) -> Option<&'static str> {
    let mut all = OPERATIONS.iter();
    all.find(|(file, _)| crate::path::exists(&dir.join(file)))
        .map(|(_, what)| *what)
}

/// Returns every object that a file names in full.
pub(crate) fn named(file: &Path) -> Vec<Oid> {
    objects(&contents(file, LARGEST).unwrap_or_default())
}

/// Returns the git directory of a checkout from its `.git`, or `None` if that is
/// neither a folder nor a pointer.
pub(crate) fn directory(checkout: &Path) -> Option<PathBuf> {
    let dot = checkout.join(".git");
    if dot.is_dir() {
        return Some(dot);
    }
    let text = contents(&dot, POINTER)?;
    let to = text.strip_prefix(b"gitdir: ")?.trim_ascii_end();
    Some(checkout.join(from_bytes(to)))
}

/// Whether a folder is a git directory: a `.git`, or a bare repository.
pub(crate) fn is_git_directory(dir: &Path) -> bool {
    dir.join("HEAD").is_file() && dir.join("objects").is_dir() && dir.join("refs").is_dir()
}

/// Whether the repository stores its references in the reftable format, which is not read here.
pub(crate) fn has_tables(common: &Path) -> bool {
    crate::path::exists(&common.join("reftable"))
}

/// Returns the directory that the worktrees of a repository share.
pub(crate) fn common(dir: &Path) -> PathBuf {
    match contents(&dir.join("commondir"), POINTER) {
        Some(text) => dir.join(from_bytes(text.trim_ascii_end())),
        None => dir.to_owned(),
    }
}

/// Reads a regular file of at most `limit` bytes; never a device, a pipe or a link.
pub(crate) fn contents(file: &Path, limit: u64) -> Option<Vec<u8>> {
    downbeat_files::read(file, limit).ok()
}

/// Calls `found` for each regular file below `dir`; links are not followed.
pub(crate) fn each_file(dir: &Path, depth: usize, found: &mut impl FnMut(&Path)) {
    for entry in dir.read_dir().into_iter().flatten().flatten() {
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && depth < DEEPEST => each_file(&entry.path(), depth + 1, found),
            Ok(kind) if kind.is_file() => found(&entry.path()),
            _ => {}
        }
    }
}

fn split(line: &[u8], at: u8) -> (&[u8], &[u8]) {
    match line.iter().position(|byte| *byte == at) {
        Some(place) => (&line[..place], &line[place + 1..]),
        None => (line, &[]),
    }
}

/// Returns the object names in a text: words of exactly 40 hexadecimal digits.
fn objects(text: &[u8]) -> Vec<Oid> {
    text.split(|byte| !byte.is_ascii_alphanumeric())
        .filter_map(object)
        .collect()
}

fn object(word: &[u8]) -> Option<Oid> {
    let text = std::str::from_utf8(word)
        .ok()
        .filter(|text| text.len() == DIGITS)?;
    Oid::from_str(text).ok().filter(|id| !id.is_zero())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_complete_object_names_are_found() {
        let id = "0123456789abcdef0123456789abcdef01234567";
        let none = "0".repeat(40);
        let text = format!(
            "{none} {id} A U Thor <a@b> 1 +0000\tcommit: {id}\n{id}8 pick {id}, {}",
            &id[..39]
        );
        assert_eq!(objects(text.as_bytes()), [Oid::from_str(id).unwrap(); 3]);
    }
}
