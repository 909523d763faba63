//! Commands for a session's worktree: its set-up, its changes, its files in an editor, its removal and its restoring.

pub(in crate::command) mod cleanup;
pub(in crate::command) mod discard;
pub(in crate::command) mod edit;
pub(in crate::command) mod remove;
pub(in crate::command) mod restore_work;
pub(in crate::command) mod setup;
