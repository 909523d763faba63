//! The commit since which a session's changes are its own.

use downbeat_git::{Error, compared_base};
use downbeat_model::session::Base;
use std::path::Path;

/// Returns the commit with which the worktree of a session is compared, for a worktree that is at `head`. The changes of a session in
/// the project's own folder, which has no base, are those that are not committed.
///
/// # Errors
/// Fails if the repository cannot be read.
pub fn since(repo: &Path, base: Option<&Base>, head: Option<&str>) -> Result<String, Error> {
    match (base, head) {
        (Some(base), Some(head)) => compared_base(repo, &base.commit, &base.name, head),
        (Some(base), None) => Ok(base.commit.clone()),
        (None, _) => Ok("HEAD".to_owned()),
    }
}
