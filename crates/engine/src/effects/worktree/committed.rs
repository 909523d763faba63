//! What of a session's work is committed.

use crate::host::blocking;
use crate::session::row;
use crate::state::error;
use downbeat_git::Head;
use downbeat_store::{ProjectRow, SessionRow};
use downbeat_wire::{ApiError, Code};
use std::path::PathBuf;

/// Returns what is checked out in the worktree of a session, and the number of its uncommitted files.
///
/// # Errors
/// Fails if the worktree cannot be read, or has no commit.
pub async fn committed(project: &ProjectRow, row: &SessionRow) -> Result<(Head, u32), ApiError> {
    let (repo, worktree) = (PathBuf::from(&project.path), row::path_of(row)?);
    let look = move || {
        let head = downbeat_git::head(&worktree);
        let files = downbeat_git::summary(&repo, &worktree, None).map(|summary| summary.files)?;
        Ok((head, files))
    };
    let (head, files) = blocking::in_time(&project.path, look)
        .await?
        .map_err(error::git)?;
    let head = head.ok_or_else(|| {
        ApiError::new(Code::Conflict, format!("{} has no commit", row.name))
            .hint("commit something in its worktree first")
    })?;
    Ok((head, u32::try_from(files).unwrap_or(u32::MAX)))
}
