//! What differs between two states of a worktree, for people who read it: the files, their hunks, their pictures. Changes
//! nothing, and runs nothing that the repository names: git compares through a git directory of our own (`shadow`), so that
//! attributes, line endings and the person's own filters apply, and its output is parsed here.
//!
//! * `compared`: the two states, and the commands that compare them
//! * `base`: the commits that a session is compared with
//! * `list`: the files that differ
//! * `patch`: a unified diff as hunks
//! * `file`: the hunks or the pictures of one file

mod base;
mod compared;
mod file;
mod list;
mod patch;

pub use base::{compared_base, find_commit, first_parent};
pub use compared::Compared;
pub use file::{FileContent, Unshown, file_diff};
pub use list::{Change, FileChange, Listing, list_files};
pub use patch::{Hunk, Row, RowKind};
