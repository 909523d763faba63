//! The resource usage of a session's processes, the processes with a session's mark, and those in a folder. The implementations
//! are in one file per kind of system. Nothing here changes a process.

#[cfg_attr(unix, path = "usage_unix.rs")]
#[cfg_attr(windows, path = "usage_windows.rs")]
mod seen;

pub use seen::{count, marked, usage, working_in};

use downbeat_model::id::SessionId;

/// The resource usage of the tree of a keeper, without the keeper.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Usage {
    /// The number of processes.
    pub processes: u32,
    /// The memory of the processes in bytes; shared memory counts for each.
    pub bytes: u64,
}

/// A process that works in a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Working {
    /// The process id.
    pub pid: u32,
    /// The name of the process.
    pub name: String,
}

/// A process with the mark of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Marked {
    /// The process id.
    pub pid: u32,
    /// The name of the process.
    pub name: String,
    /// The session.
    pub session: SessionId,
}
