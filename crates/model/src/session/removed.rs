//! The remains of a worktree that was removed.

use serde::{Deserialize, Serialize};

/// The state of a worktree when it was removed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Removed {
    /// The path of the worktree: agents file their conversations by it.
    pub path: String,
    /// The branch that was checked out; `None` for a detached HEAD.
    pub branch: Option<String>,
    /// The commit; `None` if the worktree was never made or had been deleted by hand.
    pub commit: Option<String>,
    /// Whether nothing had to be saved.
    pub clean: bool,
    /// The backup that was saved with this removal.
    pub backup: Option<String>,
    /// The commit of the backup.
    pub backup_commit: Option<String>,
    /// The new path of the folder, if nothing of it could be saved and it was moved aside.
    pub kept: Option<String>,
}

impl Removed {
    /// Returns the commit of a worktree that had no branch checked out.
    #[must_use]
    pub fn detached(&self) -> Option<&str> {
        self.commit.as_deref().filter(|_| self.branch.is_none())
    }

    /// Records that the worktree was restored: its backup says nothing about its next removal.
    pub fn brought_back(&mut self) {
        self.backup = None;
        self.backup_commit = None;
    }
}
