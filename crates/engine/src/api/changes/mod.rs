//! Answers what a session changed: which files, and the lines of each. Reads the worktree, or, if that is gone, the session's
//! backup or its branch. Only `discard` changes anything, and nothing that the repository names runs.
//!
//! * `compared`: the commits and the folder that a request is about
//! * `answers`: what git found, as types of the wire
//! * `read`: reads, off the async threads
//! * `discard`: discards a change, and undoes that

mod answers;
mod compared;
mod discard;
mod read;

pub use discard::{discard, undo};
pub use read::{commits, file, list};
