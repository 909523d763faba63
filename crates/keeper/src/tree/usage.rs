//! What a session's processes take, and which processes bear the mark of one. How that is found out is
//! in a file for each kind of system. Only looks.

#[cfg_attr(unix, path = "usage_unix.rs")]
#[cfg_attr(windows, path = "usage_windows.rs")]
mod seen;

pub use seen::{marked, usage};

use downbeat_model::id::SessionId;

/// What the tree of a keeper takes, without the keeper.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Usage {
    /// Processes.
    pub processes: u32,
    /// Bytes of memory that they hold, shared ones counted for each.
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
