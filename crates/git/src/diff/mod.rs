//! What differs between two states of a worktree, for people who read it: the files, their hunks, their pictures. Only
//! `discard` changes anything, and nothing that the repository names runs: git compares through a git directory of our own (`shadow`), so that
//! attributes, line endings and the person's own filters apply, and its output is parsed here.
//!
//! * `compared`: the two states, and the commands that compare them
//! * `base`: the commits that a session is compared with
//! * `list`: the files that differ
//! * `patch`: a unified diff as hunks
//! * `file`: the hunks or the pictures of one file
//! * `discard`: discards a change of one file, and undoes that

mod base;
mod compared;
mod discard;
mod file;
mod list;
mod patch;

pub use base::{compared_base, find_commit, first_parent};
pub use compared::Compared;
pub(crate) use compared::RULES;
pub use discard::{Discard, HunkAt, discard, undo_discard};
pub use file::{FileContent, Unshown, file_diff};
pub use list::{Change, FileChange, Listing, list_files};
pub use patch::{Hunk, Row, RowKind};
