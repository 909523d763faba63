//! The usage of a session's processes on Windows: not reported yet. A job holds the processes and ends them.

use super::{Marked, Usage, Working};
use std::path::Path;

/// Returns `None`: the usage is not reported yet.
#[must_use]
pub fn usage(_pid: u32) -> Option<Usage> {
    None
}

/// Returns `None`: the number of processes is not reported yet.
#[must_use]
pub fn count(_pid: u32) -> Option<usize> {
    None
}

/// Returns nothing: no process outlives its job.
#[must_use]
pub fn marked(_keepers: &Path) -> Vec<Marked> {
    Vec::new()
}

/// Returns nothing: Windows itself refuses to move a folder in which a process works.
#[must_use]
pub fn working_in(_folder: &Path, _keeper: Option<u32>) -> Vec<Working> {
    Vec::new()
}
