//! Lists the files that a worktree changed since its base, with the numbers of changed lines, committed or
//! not. Changes nothing.

use crate::Error;
use crate::path::{fields, from_bytes, to_text};
use crate::shadow::Shadow;
use std::io::Read;
use std::path::Path;

/// The maximum number of untracked files whose lines are counted; of further and of
/// larger ones, only names are listed.
const COUNTED: usize = 500;

/// The largest untracked file whose lines are counted.
const LARGEST: u64 = 4 << 20;

/// A file that differs from the base.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedFile {
    /// The path relative to the worktree.
    pub path: String,
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
    let diff = shadow.git("diff").args([
        "--numstat",
        "-z",
        "--no-renames",
        // Programs that the person configured for all repositories are disabled, too: only lines are counted.
        "--no-ext-diff",
        "--no-textconv",
        "--ignore-submodules=dirty",
        base,
        "--",
    ]);
    let out = diff.run()?;
    let mut files: Vec<ChangedFile> = fields(&out).filter_map(counted).collect();
    let others = shadow
        .git("ls-files")
        .args(["--others", "--exclude-standard", "-z"]);
    for (index, name) in fields(&others.run()?).enumerate() {
        let inside = from_bytes(name);
        let lines = (index < COUNTED)
            .then(|| lines(&worktree.join(&inside)))
            .flatten();
        files.push(ChangedFile {
            path: to_text(&inside),
            added: lines,
            removed: lines.map(|_| 0),
            is_untracked: true,
        });
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

/// Parses a field of `--numstat -z`: added, removed and name, separated by tabs; `-` for binary files.
fn counted(field: &[u8]) -> Option<ChangedFile> {
    let mut parts = field.splitn(3, |byte| *byte == b'\t');
    let mut number = || {
        std::str::from_utf8(parts.next()?)
            .ok()
            .map(|text| text.parse().ok())
    };
    let (added, removed) = (number()?, number()?);
    Some(ChangedFile {
        path: to_text(&from_bytes(parts.next()?)),
        added,
        removed,
        is_untracked: false,
    })
}

/// Counts the lines of a text file; `None` for a binary file, a link, or a file that is too large.
fn lines(path: &Path) -> Option<u32> {
    let meta = path.symlink_metadata().ok()?;
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
