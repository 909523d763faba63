//! What `git` recorded in a session: what was copied into its worktree, and what its set-up made there. Only `git`
//! reads these records; the session keeps them as they are.

use downbeat_git::CopyRecord;
use downbeat_store::SessionRow;
use downbeat_wire::ApiError;
use serde_json::Value;

/// What was copied into the worktree of a session; nothing where nothing was yet.
///
/// # Errors
/// Where the record cannot be read: a copy that was forgotten would be taken for work, or be lost.
pub fn copied(row: &SessionRow) -> Result<CopyRecord, ApiError> {
    read(row.copies.as_ref(), row, "what was copied into its worktree")
}

/// What its set-up commands made.
///
/// # Errors
/// Where the record cannot be read.
pub fn made(row: &SessionRow) -> Result<CopyRecord, ApiError> {
    read(row.run.made.as_ref(), row, "what its set-up made")
}

/// A record as a session keeps it.
///
/// # Errors
/// Never, for what `git` recorded.
pub fn recorded(record: &CopyRecord) -> Result<Value, ApiError> {
    serde_json::to_value(record).map_err(|error| ApiError::failed("what was copied cannot be noted", error))
}

fn read(kept: Option<&Value>, row: &SessionRow, what: &str) -> Result<CopyRecord, ApiError> {
    let Some(kept) = kept else {
        return Ok(CopyRecord::default());
    };
    serde_json::from_value(kept.clone())
        .map_err(|error| ApiError::failed(&format!("{what} cannot be read (of {})", row.name), error))
}
