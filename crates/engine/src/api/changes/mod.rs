//! Answers what a session changed: which files, and the lines of each. Reads the worktree, or, if that is gone, the session's
//! backup or its branch. Nothing is changed, and nothing that the repository names runs.
//!
//! * `compared`: the commits and the folder that a request is about
//! * `answers`: what git found, as types of the wire
//! * `read`: reads, off the async threads

mod answers;
mod compared;
mod read;

pub use read::{commits, file, list};
