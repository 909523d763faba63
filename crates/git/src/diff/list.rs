//! The files that differ between two states.

use crate::Error;
use crate::blobs::GITLINK;
use crate::diff::compared::Compared;
use crate::path::{fields, from_bytes, to_text};
use sha2::{Digest as _, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The maximum number of files in a list.
const MOST: usize = 3_000;

/// The number of bytes of the worktree's files that are read for a list: to tell contents apart, and to count lines.
const READ: u64 = 64 << 20;

/// The largest file that is read for that.
const LARGEST: u64 = 4 << 20;

/// What became of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// It is new.
    Added,
    /// Its content or its mode is another.
    Modified,
    /// It is gone.
    Deleted,
    /// It was moved.
    Renamed,
    /// It is a copy of a file that changed, too.
    Copied,
    /// It is something else now, such as a link.
    TypeChanged,
    /// A merge left conflicts in it.
    Conflict,
    /// It is new, and git does not know it yet.
    Untracked,
}

/// A file that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    /// The path relative to the worktree.
    pub path: String,
    /// The path that it had, if it was renamed or copied.
    pub old_path: Option<String>,
    /// What became of it.
    pub change: Change,
    /// The number of added lines; absent if they cannot be counted.
    pub added: Option<u32>,
    /// The number of removed lines; absent if they cannot be counted.
    pub removed: Option<u32>,
    /// The mode before, as git writes it; 0 if there was no file.
    pub old_mode: u32,
    /// The mode after.
    pub new_mode: u32,
    /// Whether it is a submodule, or a repository inside the worktree.
    pub is_submodule: bool,
    /// Equal for the same change of the same content; absent if the file is too large to tell.
    pub id: Option<String>,
    /// The object before, if git has one.
    pub(super) old_object: Option<String>,
    /// The object after, if git has one.
    pub(super) new_object: Option<String>,
}

/// The files that differ, sorted by path.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Listing {
    /// The files.
    pub files: Vec<FileChange>,
    /// Whether there are more than 3,000.
    pub has_more: bool,
}

/// Lists the files that differ.
///
/// # Errors
/// Fails if git cannot read the states, or if it takes too long.
pub fn list_files(compared: &Compared<'_>) -> Result<Listing, Error> {
    let mut files = differing(compared, &[])?;
    let has_more = files.len() > MOST;
    files.truncate(MOST);
    let mut left = READ;
    for file in &mut files {
        file.look(compared, &mut left);
    }
    Ok(Listing { files, has_more })
}

/// Returns the files that differ, sorted by path, without reading untracked ones; only those at `paths`, if there are any.
pub(super) fn differing(compared: &Compared<'_>, paths: &[&Path]) -> Result<Vec<FileChange>, Error> {
    let shadow = compared.open()?;
    let out = compared
        .diff(&shadow, &["--raw", "--no-abbrev", "--numstat", "-z"], paths)
        .run()?;
    let mut files = parse(&out);
    if let Some(untracked) = compared.untracked(&shadow, paths) {
        let unmerged = shadow.git("ls-files").args(["--unmerged", "-z"]).run()?;
        let conflicts: BTreeSet<String> = fields(&unmerged).filter_map(unmerged_path).collect();
        for file in files.values_mut().filter(|file| conflicts.contains(&file.path)) {
            file.change = Change::Conflict;
        }
        for name in fields(&untracked.run()?) {
            let file = FileChange::untracked(name);
            // A file that is new since `from` and unknown to the index, such as one that was removed from it.
            let known = files.entry(file.path.clone()).or_insert(file);
            if known.change == Change::Deleted {
                known.change = Change::Untracked;
            }
        }
    }
    Ok(files.into_values().collect())
}

/// Parses a field of `ls-files --unmerged -z`: mode, object and stage, a tab, the path.
fn unmerged_path(field: &[u8]) -> Option<String> {
    let at = field.iter().position(|byte| *byte == b'\t')?;
    Some(to_text(&from_bytes(field.get(at + 1..)?)))
}

/// Parses the output of `--raw --numstat -z`: first the records that begin with a colon, then the numbers.
fn parse(out: &[u8]) -> BTreeMap<String, FileChange> {
    let mut files = BTreeMap::new();
    let mut all = fields(out).peekable();
    while let Some(record) = all.next_if(|field| field.starts_with(b":")) {
        let Some(file) = FileChange::of_record(record, &mut all) else {
            break;
        };
        let path = file.path.clone();
        // A path with a conflict is listed twice.
        let before = files.insert(path.clone(), file);
        if before.is_some_and(|before: FileChange| before.change == Change::Conflict)
            && let Some(file) = files.get_mut(&path)
        {
            file.change = Change::Conflict;
        }
    }
    while let Some(numbers) = all.next() {
        let mut parts = numbers.splitn(3, |byte| *byte == b'\t');
        let mut number = || {
            let text = std::str::from_utf8(parts.next().unwrap_or_default());
            text.ok().and_then(|text| text.parse().ok())
        };
        let (added, removed) = (number(), number());
        let path = match parts.next() {
            // Of a renamed file, both paths follow.
            Some(b"") => all.nth(1),
            other => other,
        };
        if let Some(file) = path.and_then(|path| files.get_mut(&text(path))) {
            (file.added, file.removed) = (added, removed);
        }
    }
    files
}

/// Returns a path of git's output as text.
fn text(bytes: &[u8]) -> String {
    to_text(&from_bytes(bytes))
}

impl FileChange {
    /// Parses a record of `--raw -z`: modes, objects and a letter; its paths are the next fields.
    fn of_record<'a>(record: &[u8], paths: &mut impl Iterator<Item = &'a [u8]>) -> Option<Self> {
        let record = String::from_utf8_lossy(record);
        let mut words = record.trim_start_matches(':').split(' ');
        let mut mode = || u32::from_str_radix(words.next().unwrap_or_default(), 8).unwrap_or(0);
        let (old_mode, new_mode) = (mode(), mode());
        let mut object = || {
            let id = words.next().filter(|id| id.bytes().any(|byte| byte != b'0'));
            id.map(str::to_owned)
        };
        let (old_object, new_object) = (object(), object());
        let change = match words.next().unwrap_or_default().chars().next() {
            Some('A') => Change::Added,
            Some('D') => Change::Deleted,
            Some('R') => Change::Renamed,
            Some('C') => Change::Copied,
            Some('T') => Change::TypeChanged,
            Some('U') => Change::Conflict,
            _ => Change::Modified,
        };
        let first = paths.next().map(text);
        let (old_path, path) = match change {
            Change::Renamed | Change::Copied => (first, paths.next().map(text)),
            _ => (None, first),
        };
        Some(Self {
            path: path?,
            old_path,
            change,
            added: Some(0),
            removed: Some(0),
            old_mode,
            new_mode,
            is_submodule: old_mode == GITLINK || new_mode == GITLINK,
            id: None,
            old_object,
            new_object,
        })
    }

    fn untracked(name: &[u8]) -> Self {
        Self {
            path: to_text(&from_bytes(name)),
            old_path: None,
            change: Change::Untracked,
            added: None,
            removed: None,
            old_mode: 0,
            new_mode: crate::blobs::FILE,
            is_submodule: name.ends_with(b"/"),
            id: None,
            old_object: None,
            new_object: None,
        }
    }

    /// Adds what only the file in the worktree says: its number of lines if git does not know it, and what it contains.
    pub(super) fn look(&mut self, compared: &Compared<'_>, left: &mut u64) {
        let is_in_worktree = compared.to.is_none() && self.change != Change::Deleted && !self.is_submodule;
        let mut content = None;
        if is_in_worktree && self.new_object.is_none() {
            content = read(compared.checkout, &self.path, LARGEST.min(*left));
            let Some(bytes) = &content else { return };
            *left = left.saturating_sub(u64::try_from(bytes.len()).unwrap_or(u64::MAX));
            if self.change == Change::Untracked && !is_binary(bytes) {
                self.added = Some(lines(bytes));
                self.removed = Some(0);
            }
        }
        let mut hash = Sha256::new();
        for part in [
            self.old_path.as_deref(),
            Some(&*self.path),
            self.old_object.as_deref(),
        ] {
            hash.update(part.unwrap_or_default());
            hash.update([0]);
        }
        hash.update(self.new_mode.to_le_bytes());
        match (&content, &self.new_object) {
            (Some(bytes), _) => hash.update(bytes),
            (None, Some(object)) => hash.update(object),
            (None, None) => {}
        }
        let digest = hash.finalize();
        self.id = Some(crate::path::hex(digest.get(..8).unwrap_or_default()));
    }
}

/// Returns whether content is not text.
pub(super) fn is_binary(bytes: &[u8]) -> bool {
    bytes.get(..8_000).unwrap_or(bytes).contains(&0)
}

fn lines(bytes: &[u8]) -> u32 {
    let ends = bytes.iter().filter(|byte| **byte == b'\n').count();
    let unended = usize::from(bytes.last().is_some_and(|last| *last != b'\n'));
    u32::try_from(ends + unended).unwrap_or(u32::MAX)
}

/// Reads a file of the worktree, or where a link leads; `None` if it is not there, larger than `most`, or outside.
pub(super) fn read(checkout: &Path, path: &str, most: u64) -> Option<Vec<u8>> {
    let inside = crate::path::from_text(path);
    if !crate::path::is_inside(&inside) {
        return None;
    }
    let file = checkout.join(inside);
    // A folder on the way may have become a link.
    let real = dunce::canonicalize(file.parent()?).ok()?;
    if !real.starts_with(dunce::canonicalize(checkout).ok()?) {
        return None;
    }
    let meta = file.symlink_metadata().ok()?;
    if meta.is_symlink() {
        return Some(crate::path::to_bytes(&file.read_link().ok()?));
    }
    downbeat_files::read(&file, most).ok()
}
