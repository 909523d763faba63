//! Reads what `git` recorded in a session: the files that were copied into its worktree, and those that its
//! set-up made there. Only `git` interprets these records; the session stores them as they are.

use downbeat_git::CopyRecord;
use downbeat_store::SessionRow;
use downbeat_wire::ApiError;
use serde_json::Value;

/// Returns the record of what was copied into a session's worktree, empty if nothing was yet.
///
/// # Errors
/// If the record cannot be read: a forgotten copy would be taken for work, or be lost.
pub fn copied(row: &SessionRow) -> Result<CopyRecord, ApiError> {
    read(row.copies.as_ref(), row, "what was copied into its worktree")
}

/// Returns the record of what the session's set-up commands made.
///
/// # Errors
/// If the record cannot be read.
pub fn made(row: &SessionRow) -> Result<CopyRecord, ApiError> {
    read(row.run.made.as_ref(), row, "what its set-up made")
}

/// Converts a record to the form that a session stores.
///
/// # Errors
/// Never, for a record of `git`.
pub fn recorded(record: &CopyRecord) -> Result<Value, ApiError> {
    serde_json::to_value(record)
        .map_err(|error| ApiError::failed("what was copied cannot be recorded", error))
}

fn read(kept: Option<&Value>, row: &SessionRow, what: &str) -> Result<CopyRecord, ApiError> {
    let Some(kept) = kept else {
        return Ok(CopyRecord::default());
    };
    serde_json::from_value(kept.clone())
        .map_err(|error| ApiError::failed(&format!("{what} cannot be read (of {})", row.name), error))
}
