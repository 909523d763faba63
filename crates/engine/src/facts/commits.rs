//! Notices that a session has a newer commit than the one that its checks ran on, or that was reviewed. No event reports commits:
//! an agent, a person or a script may make them.

use crate::decide::{checks, reviews};
use crate::host::blocking;
use crate::session::row;
use crate::state::context::Engine;
use downbeat_model::SessionId;
use downbeat_model::session::ReportStatus;
use downbeat_store::SessionRow;
use downbeat_wire::ApiError;
use std::path::PathBuf;

/// The number of commits since a review that are counted.
const NEWER: usize = 200;

/// Whether somebody reads whether a session's result is of its newest commit: it reported its task as done, or was reviewed.
pub fn matters(row: &SessionRow) -> bool {
    let reported = row.result.as_ref();
    let is_done = reported.is_some_and(|last| last.report.status == ReportStatus::Done);
    let is_read = is_done && row.checks.last.is_some() || row.review.is_some();
    is_read && row.workspace_path.is_some() && row.archived_at.is_none()
}

/// Looks which commit a session's worktree is at, and records it if that is news.
///
/// # Errors
/// Fails if it cannot be recorded.
pub async fn look(engine: &Engine, id: &SessionId) -> Result<(), ApiError> {
    let row = engine.row(id)?;
    if !matters(&row) {
        return Ok(());
    }
    let Some(head) = head(engine, &row).await else {
        return Ok(());
    };
    let review = row.review.as_ref().filter(|review| review.head != head);
    if row.checks.head.as_ref() == Some(&head) && review.is_none() {
        return Ok(());
    }
    let noted = match review {
        Some(review) => {
            let newer = newer(engine, &row, &review.commit, &head).await;
            Some((review.number, newer))
        }
        None => None,
    };
    let seen_with = row.checks.last.as_ref().map(|last| last.finished_at);
    let written = engine.ledger.write(|draft| {
        if let Some((number, newer)) = noted {
            reviews::note_head(draft, id, number, (&head, newer))?;
        }
        checks::note_head(draft, id, seen_with, head)
    });
    written.await
}

/// Returns the number of commits since the one that was reviewed; `None` if they cannot be counted.
async fn newer(engine: &Engine, row: &SessionRow, reviewed: &str, head: &str) -> Option<u32> {
    let project = engine.project(&row.project_id).ok()?;
    let (repo, reviewed, head) = (PathBuf::from(&project.path), reviewed.to_owned(), head.to_owned());
    let count = move || downbeat_git::commits_between(&repo, &reviewed, &head, NEWER);
    let found = blocking::in_time(&project.path, count).await.ok()?.ok()?;
    u32::try_from(found.commits.len()).ok()
}

/// Returns the commit that a session's worktree is at; `None` if it cannot be read.
pub async fn head(engine: &Engine, row: &SessionRow) -> Option<String> {
    let project = engine.project(&row.project_id).ok()?;
    let worktree = row::path_of(row).ok()?;
    let read = move || downbeat_git::head(&worktree);
    let head = blocking::in_time(&project.path, read).await.ok()??;
    Some(head.commit)
}
