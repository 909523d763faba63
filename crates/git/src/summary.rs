//! Tells in a few lines what was done in a worktree, for whoever goes on with it.

use crate::Error;
use crate::shadow::Shadow;
use std::path::Path;

/// Lines of each part.
const LINES: usize = 40;

/// What a worktree holds, as git words it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Summary {
    /// Commits since the base, newest first.
    pub commits: Vec<String>,
    /// `git status`, a line per file.
    pub status: Vec<String>,
    /// How many files `status` is about, also where it is cut.
    pub files: usize,
    /// Changed lines per file since the last commit.
    pub changes: Vec<String>,
}

/// Looks at a worktree of `repo` that began at `base`; an unknown base has no commits since.
///
/// # Errors
/// Where git cannot read the worktree, or its `.git` names another directory than was recorded.
pub fn summary(repo: &Path, worktree: &Path, base: Option<&str>) -> Result<Summary, Error> {
    let shadow = Shadow::of(repo, worktree)?;
    let known = base.filter(|base| base.bytes().all(|b| b.is_ascii_hexdigit()) && !base.is_empty());
    let commits = match known {
        // The base may be gone by now: then nothing is known of what came since.
        Some(base) => shadow
            .git("log")
            .args(["--oneline", "--no-decorate", "--no-show-signature"])
            .arg(format!("{base}..HEAD"))
            .run()
            .map(lines)
            .unwrap_or_default(),
        None => Vec::new(),
    };
    // A submodule is looked at by a git of its own, with its own configuration.
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
        // Git writes no name over two lines.
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
