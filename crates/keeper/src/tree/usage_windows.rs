//! What a session's processes take: not told on Windows yet, where a job holds them and ends them.

use super::{Marked, Usage};
use std::path::Path;

/// What the processes below the keeper `pid` take.
#[must_use]
pub fn usage(_pid: u32) -> Option<Usage> {
    None
}

/// The processes of sessions whose keepers have their folders in `keepers`: none outlives its job.
#[must_use]
pub fn marked(_keepers: &Path) -> Vec<Marked> {
    Vec::new()
}
