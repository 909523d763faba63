//! Lists the files of a worktree by name, without those that are ignored.

use crate::Error;
use crate::path::{fields, from_bytes, to_text};
use crate::shadow::Shadow;
use std::path::Path;

/// Returns the paths of the files in `worktree` that are tracked, or untracked and not ignored, relative to it and with
/// `/`. `repo` is the repository of the worktree, or `worktree` is the primary checkout of `repo`.
///
/// # Errors
/// Fails if git cannot read the worktree, or if its `.git` names a directory other than the recorded one.
pub fn files(repo: &Path, worktree: &Path) -> Result<Vec<String>, Error> {
    let shadow = Shadow::of(repo, worktree)?;
    let list = shadow.git("ls-files").args([
        "--cached",
        "--others",
        "--exclude-standard",
        "--deduplicate",
        "-z",
    ]);
    let out = list.run()?;
    Ok(fields(&out).map(|name| to_text(&from_bytes(name))).collect())
}
