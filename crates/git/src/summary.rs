//! Summarizes the work in a worktree in a few lines, for whoever continues it.

use crate::Error;
use crate::shadow::Shadow;
use std::path::Path;

/// The maximum number of lines of each part.
const LINES: usize = 40;

/// The work in a worktree, in git's wording.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Summary {
    /// The commits since the base, newest first.
    pub commits: Vec<String>,
    /// The output of `git status`, one line per file.
    pub status: Vec<String>,
    /// The number of files in the complete `git status`.
    pub files: usize,
    /// The number of changed lines per file since the last commit.
    pub changes: Vec<String>,
}

/// Summarizes a worktree of `repo` that started at `base`. If the base is unknown, no commits are listed.
///
/// # Errors
/// Fails if git cannot read the worktree, or if its `.git` names a directory other than the recorded one.
pub fn summary(repo: &Path, worktree: &Path, base: Option<&str>) -> Result<Summary, Error> {
    let shadow = Shadow::of(repo, worktree)?;
    let known = base.filter(|base| base.bytes().all(|b| b.is_ascii_hexdigit()) && !base.is_empty());
    let commits = match known {
        // The base may be gone; then the commits since are unknown.
        Some(base) => shadow
            .git("log")
            .args(["--oneline", "--no-decorate", "--no-show-signature"])
            .arg(format!("{base}..HEAD"))
            .run()
            .map(lines)
            .unwrap_or_default(),
        None => Vec::new(),
    };
    // A submodule would be inspected by another git process with the submodule's own configuration.
    let status = shadow
        .git("status")
        .args(["--short", "--untracked-files=all", "--ignore-submodules=dirty"])
        .run()?;
    let changes = shadow.git("diff").args([
        "--stat",
        "--no-ext-diff",
        "--no-textconv",
        "--ignore-submodules=dirty",
        "HEAD",
        "--",
    ]);
    Ok(Summary {
        commits,
        // Git quotes line feeds in names.
        files: status
            .split(|byte| *byte == b'\n')
            .filter(|line| !line.is_empty())
            .count(),
        status: lines(status),
        changes: changes.run().map(lines)?,
    })
}

fn lines(out: Vec<u8>) -> Vec<String> {
    let text = String::from_utf8_lossy(&out);
    let mut all = text.lines().map(|line| line.trim_end().to_owned());
    let mut kept: Vec<String> = all.by_ref().take(LINES).collect();
    match all.count() {
        0 => {}
        more => kept.push(format!("… and {more} more lines")),
    }
    kept
}
