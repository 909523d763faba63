//! Notices that a session has a newer commit than the one that its checks ran on. No event reports commits: an agent, a
//! person or a script may make them.

use crate::decide::checks;
use crate::host::blocking;
use crate::session::row;
use crate::state::context::Engine;
use downbeat_model::SessionId;
use downbeat_model::session::ReportStatus;
use downbeat_store::SessionRow;
use downbeat_wire::ApiError;

/// Whether somebody reads whether a session's result is of its newest commit: it reported its task as done.
pub fn matters(row: &SessionRow) -> bool {
    let reported = row.result.as_ref();
    let is_done = reported.is_some_and(|last| last.report.status == ReportStatus::Done);
    is_done && row.checks.last.is_some() && row.workspace_path.is_some() && row.archived_at.is_none()
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
    if row.checks.head.as_ref() == Some(&head) {
        return Ok(());
    }
    let seen_with = row.checks.last.as_ref().map(|last| last.finished_at);
    engine
        .ledger
        .write(|draft| checks::note_head(draft, id, seen_with, head))
        .await
}

/// Returns the commit that a session's worktree is at; `None` if it cannot be read.
pub async fn head(engine: &Engine, row: &SessionRow) -> Option<String> {
    let project = engine.project(&row.project_id).ok()?;
    let worktree = row::path_of(row).ok()?;
    let read = move || downbeat_git::head(&worktree);
    let head = blocking::in_time(&project.path, read).await.ok()??;
    Some(head.commit)
}
