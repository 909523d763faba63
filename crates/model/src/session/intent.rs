//! What someone asked for that takes longer than a write: it is written down first, so that a crash in between is
//! finished by the next engine. Not how it is carried out.

use serde::{Deserialize, Serialize};

/// What is to happen to a session, and is under way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "what")]
pub enum Intent {
    /// Its processes are to end gracefully.
    Stop,
    /// Its processes are to end now.
    Kill,
    /// Its agent is to go on; stands until it shows itself.
    Resume,
    /// Its worktree is to go.
    Remove(RemovalChoices),
    /// Its worktree is to be made again.
    Restore {
        /// The backup that it is made from; `None` where nothing had to be saved.
        backup: Option<PinnedBackup>,
    },
}

/// What was chosen with a removal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RemovalChoices {
    /// The branch goes, too.
    pub delete_branch: bool,
    /// The session goes off the list, too.
    pub forget: bool,
    /// The person said yes to what would be lost.
    #[serde(default)]
    pub force: bool,
}

/// A backup, by its name and its commit: an agent that may commit may move the reference.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PinnedBackup {
    /// The name that it is listed by.
    pub name: String,
    /// Its commit; `None` where that was not written down.
    pub commit: Option<String>,
}

impl Intent {
    /// Whether the session's processes are to end.
    #[must_use]
    pub fn ends(&self) -> bool {
        matches!(self, Self::Stop | Self::Kill)
    }

    /// Whether its worktree is to go or to come back: a wish that can be taken back.
    #[must_use]
    pub fn is_of_worktree(&self) -> bool {
        matches!(self, Self::Remove(_) | Self::Restore { .. })
    }
}
