//! What a session's processes take: not told on Windows yet, where a job holds them and ends them.

use downbeat_model::id::SessionId;
use std::path::Path;

/// What the tree of a keeper takes, without the keeper.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Usage {
    /// Processes.
    pub processes: u32,
    /// Bytes of memory that they hold.
    pub bytes: u64,
}

/// A process that bears the mark of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Marked {
    /// Its id.
    pub pid: u32,
    /// What it calls itself.
    pub name: String,
    /// The session.
    pub session: SessionId,
}

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
