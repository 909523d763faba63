//! Lists the files that a worktree changed since its base, with the numbers of changed lines, committed or
//! not. Changes nothing.

use crate::Error;
use crate::command::Git;
use crate::diff::RULES;
use crate::path::{fields, from_bytes, to_text};
use crate::shadow::Shadow;
use std::io::Read;
use std::path::Path;
use std::time::Duration;

/// The maximum number of untracked files whose lines are counted; of further and of
/// larger ones, only names are listed.
const COUNTED: usize = 500;

/// The largest untracked file whose lines are counted.
const LARGEST: u64 = 4 << 20;

/// The time limit of each command of a count, which nobody waits for.
const COUNTING: Duration = Duration::from_secs(10);

/// The number of bytes of untracked files that a count reads.
const READ: u64 = 64 << 20;

/// The maximum number of files that a count names, and the bytes of their names.
const NAMED: (usize, usize) = (300, 16 << 10);

/// How much a worktree changed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChangeCount {
    /// The number of files that differ.
    pub files: u32,
    /// The number of added lines, in files whose lines can be counted.
    pub added: u64,
    /// The number of removed lines.
    pub removed: u64,
    /// Whether there are more changes than could be counted in time; the numbers are then the least that there are.
    pub is_many: bool,
    /// The files by name, at most 300. A renamed file has both of its names, and is one file.
    pub paths: Vec<String>,
}

impl ChangeCount {
    fn file(&mut self, from: Option<String>, path: String) {
        self.files = self.files.saturating_add(1);
        for name in from.into_iter().chain([path]) {
            self.name(name);
        }
    }

    fn name(&mut self, path: String) {
        let bytes: usize = self.paths.iter().map(String::len).sum();
        let has_room = self.paths.len() < NAMED.0 && bytes + path.len() <= NAMED.1;
        if has_room && !self.paths.contains(&path) {
            self.paths.push(path);
        }
    }
}

/// A file that differs from the base.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedFile {
    /// The path relative to the worktree.
    pub path: String,
    /// The path before, of a file that was renamed or copied.
    pub from: Option<String>,
    /// The number of added lines; absent if they cannot be counted.
    pub added: Option<u32>,
    /// The number of removed lines; absent if they cannot be counted.
    pub removed: Option<u32>,
    /// Whether the file is untracked.
    pub is_untracked: bool,
}

/// Returns the files that differ between the commit `base` and the folder `worktree`, sorted by path. `repo`
/// is the repository of the worktree, or `worktree` is the primary checkout of `repo`.
///
/// # Errors
/// Fails if git cannot read the worktree, or if its `.git` names a directory other than the recorded one.
pub fn changes(repo: &Path, worktree: &Path, base: &str) -> Result<Vec<ChangedFile>, Error> {
    let shadow = Shadow::of(repo, worktree)?;
    let out = numbers(&shadow, base).run()?;
    let mut files = counted(&out);
    for (index, name) in fields(&untracked(&shadow).run()?).enumerate() {
        let inside = from_bytes(name);
        let lines = (index < COUNTED)
            .then(|| lines(&worktree.join(&inside)))
            .flatten();
        files.push(ChangedFile {
            path: to_text(&inside),
            from: None,
            added: lines,
            removed: lines.map(|_| 0),
            is_untracked: true,
        });
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

/// Counts what [`changes`] would list, with bounded work: what takes too long, or is too much, is counted as many.
///
/// # Errors
/// Fails as [`changes`] does.
pub fn count_changes(repo: &Path, worktree: &Path, base: &str) -> Result<ChangeCount, Error> {
    let shadow = Shadow::of(repo, worktree)?;
    let mut count = ChangeCount::default();
    let Some(out) = in_time(numbers(&shadow, base).within(COUNTING).run())? else {
        count.is_many = true;
        return Ok(count);
    };
    for file in counted(&out) {
        count.added += u64::from(file.added.unwrap_or(0));
        count.removed += u64::from(file.removed.unwrap_or(0));
        count.file(file.from, file.path);
    }
    let Some(names) = in_time(untracked(&shadow).within(COUNTING).run())? else {
        count.is_many = true;
        return Ok(count);
    };
    let mut left = READ;
    for (index, name) in fields(&names).enumerate() {
        count.file(None, to_text(&from_bytes(name)));
        let file = worktree.join(from_bytes(name));
        let size = file.symlink_metadata().map_or(0, |meta| meta.len());
        if index >= COUNTED || size > left {
            count.is_many = true;
            continue;
        }
        left -= size;
        count.added += u64::from(lines(&file).unwrap_or(0));
    }
    Ok(count)
}

/// Returns the output of a command that finished within its time limit.
fn in_time(output: Result<Vec<u8>, Error>) -> Result<Option<Vec<u8>>, Error> {
    match output {
        Err(Error::TooSlow { .. }) => Ok(None),
        other => other.map(Some),
    }
}

/// The command that counts the changed lines of each tracked file, by the rules of the diff that is shown of them.
fn numbers(shadow: &Shadow, base: &str) -> Git {
    shadow
        .git("diff")
        .args(["--numstat", "-z", "--no-relative", "--ignore-submodules=dirty"])
        .args(RULES)
        .args([base, "--"])
}

/// The command that lists the untracked files that are not ignored; a nested repository is listed as its folder.
fn untracked(shadow: &Shadow) -> Git {
    shadow
        .git("ls-files")
        .args(["--others", "--exclude-standard", "-z"])
}

/// Parses the output of `--numstat -z`: for each file added, removed and name, separated by tabs, with `-` for the numbers of
/// binary files. The name of a renamed or copied file is empty, and followed by its old and its new name.
fn counted(out: &[u8]) -> Vec<ChangedFile> {
    let mut files = Vec::new();
    let mut names = fields(out);
    while let Some(field) = names.next() {
        let mut parts = field.splitn(3, |byte| *byte == b'\t');
        let mut number = || std::str::from_utf8(parts.next()?).ok()?.parse().ok();
        let (added, removed) = (number(), number());
        let text = |name: &[u8]| to_text(&from_bytes(name));
        let (from, path) = match parts.next() {
            Some([]) => match (names.next(), names.next()) {
                (Some(from), Some(path)) => (Some(text(from)), text(path)),
                _ => break,
            },
            Some(name) => (None, text(name)),
            None => continue,
        };
        files.push(ChangedFile {
            path,
            from,
            added,
            removed,
            is_untracked: false,
        });
    }
    files
}

/// Counts the lines of a text file; `None` for a binary file, or one that is too large. A symbolic link counts as one line: its target.
fn lines(path: &Path) -> Option<u32> {
    let meta = path.symlink_metadata().ok()?;
    if meta.is_symlink() {
        return Some(1);
    }
    if !meta.is_file() || meta.len() > LARGEST {
        return None;
    }
    let mut bytes = Vec::new();
    let file = downbeat_files::open(path).ok()?.0;
    file.take(LARGEST).read_to_end(&mut bytes).ok()?;
    if bytes.contains(&0) {
        return None;
    }
    let ends = bytes.iter().filter(|byte| **byte == b'\n').count();
    let unended = usize::from(bytes.last().is_some_and(|last| *last != b'\n'));
    u32::try_from(ends + unended).ok()
}
