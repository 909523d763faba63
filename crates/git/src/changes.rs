//! What a worktree changed since its base: which files, and how many lines of each. Committed or
//! not; looks only.

use crate::Error;
use crate::path::{fields, from_bytes, to_text};
use crate::shadow::Shadow;
use std::io::Read;
use std::path::Path;

/// Untracked files whose lines are counted; of more, and of larger ones, only the name is told.
const COUNTED: usize = 500;

/// The largest untracked file whose lines are counted.
const LARGEST: u64 = 4 << 20;

/// A file that differs from the base.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedFile {
    /// Where, relative to the worktree.
    pub path: String,
    /// Lines that were added; absent where they cannot be counted.
    pub added: Option<u32>,
    /// Lines that were removed; absent where they cannot be counted.
    pub removed: Option<u32>,
    /// Whether git does not know it yet.
    pub is_untracked: bool,
}

/// The files that differ between the commit `base` and what lies in `worktree`, by path.
/// `repo` is the repository that it is a worktree of, or its own primary checkout.
///
/// # Errors
/// Where git cannot read the worktree, or its `.git` names another directory than was recorded.
pub fn changes(repo: &Path, worktree: &Path, base: &str) -> Result<Vec<ChangedFile>, Error> {
    let shadow = Shadow::of(repo, worktree)?;
    let diff = shadow.git("diff").args([
        "--numstat",
        "-z",
        "--no-renames",
        // Nor those that the person named for all repositories: the lines are to be counted.
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

/// One field of `--numstat -z`: added, removed and name, with tabs between; `-` for binary files.
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

/// The lines of a text file; none of a binary one, of a link, or of one that is too large.
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
