//! Intents: requests that take longer than a write. They are written down first, so that the next engine
//! finishes what a crash interrupted. Not how they are carried out.

use serde::{Deserialize, Serialize};

/// A requested change of a session that is under way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "what")]
pub enum Intent {
    /// End the processes gracefully.
    Stop,
    /// End the processes immediately.
    Kill,
    /// Resume the agent; in effect until the agent shows itself.
    Resume,
    /// Remove the worktree.
    Remove(RemovalChoices),
    /// Restore the worktree.
    Restore {
        /// The backup to restore from; `None` if nothing had to be saved.
        backup: Option<PinnedBackup>,
    },
}

/// The choices of a removal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RemovalChoices {
    /// Whether to delete the branch as well.
    pub delete_branch: bool,
    /// Whether to take the session off the list as well.
    pub forget: bool,
    /// Whether the person accepted what would be lost.
    #[serde(default)]
    pub force: bool,
}

/// A backup, pinned by its name and its commit: an agent that may commit may move the reference.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PinnedBackup {
    /// The name that the backup is listed by.
    pub name: String,
    /// The commit of the backup; `None` if it was not recorded.
    pub commit: Option<String>,
}

impl Intent {
    /// Returns whether the session's processes are to end.
    #[must_use]
    pub fn ends(&self) -> bool {
        matches!(self, Self::Stop | Self::Kill)
    }

    /// Returns whether the intent removes or restores the worktree, and so can be taken back.
    #[must_use]
    pub fn is_of_worktree(&self) -> bool {
        matches!(self, Self::Remove(_) | Self::Restore { .. })
    }
}
