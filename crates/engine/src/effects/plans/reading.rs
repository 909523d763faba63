//! Reads plans off the async threads: one of thousands of tasks takes a while, and much memory until it is read. So only a few are
//! read at a time in each project.

use crate::host::blocking;
use downbeat_store::ProjectRow;
use downbeat_wire::ApiError;

/// Runs what reads or makes the tasks of a plan.
///
/// # Errors
/// Fails if it takes too long.
pub(crate) async fn read<R: Send + 'static>(
    project: &ProjectRow,
    work: impl FnOnce() -> R + Send + 'static,
) -> Result<R, ApiError> {
    // The folder itself is not looked at, so that a plan is read while its disk does not respond.
    blocking::in_time(&format!("the reader of plans of {}", project.path), work).await
}
