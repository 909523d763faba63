//! What is left of a worktree that was removed.

use serde::{Deserialize, Serialize};

/// What a worktree was when it was removed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Removed {
    /// Where it stood: agents file their conversations by that path.
    pub path: String,
    /// The branch that was checked out; `None` where it stood on none.
    pub branch: Option<String>,
    /// Its commit; `None` where the worktree was never made or had been deleted by hand.
    pub commit: Option<String>,
    /// Nothing had to be saved.
    pub clean: bool,
    /// The work that was saved with this removal.
    pub backup: Option<String>,
    /// The commit of that.
    pub backup_commit: Option<String>,
    /// Where its folder is, if nothing of it could be saved and it was moved aside.
    pub kept: Option<String>,
}

impl Removed {
    /// The commit that it stood at on no branch.
    #[must_use]
    pub fn detached(&self) -> Option<&str> {
        self.commit.as_deref().filter(|_| self.branch.is_none())
    }

    /// The worktree stands again: what was saved of it is not what its next end leaves.
    pub fn brought_back(&mut self) {
        self.backup = None;
        self.backup_commit = None;
    }
}
