//! Cleaning up: which worktrees can go, and what becomes of them.

use downbeat_model::SessionId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Removes the worktrees of sessions that have ended, were merged or whose issue is closed, after saving them, and archives these
/// sessions.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CleanUp {
    /// Only sessions of this project, by id or name.
    #[serde(default)]
    #[ts(optional)]
    pub project: Option<String>,
    /// Only these sessions, by id or name, such as those that a look listed. All if it is absent.
    #[serde(default)]
    #[ts(optional)]
    pub sessions: Option<Vec<String>>,
    /// Keeps the sessions and their worktrees, and deletes only build output in worktrees of ended sessions.
    #[serde(default)]
    #[ts(optional)]
    pub build_output: Option<bool>,
    /// Only says what would be removed.
    #[serde(default)]
    #[ts(optional)]
    pub dry_run: Option<bool>,
}

/// Why a worktree can go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub enum CleanupReason {
    /// Its work was merged.
    Merged,
    /// Its issue is closed.
    IssueClosed,
    /// Its session has ended.
    Ended,
    /// Only its build output goes.
    BuildOutput,
}

impl CleanupReason {
    /// Returns the reason in words.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Merged => "merged",
            Self::IssueClosed => "issue closed",
            Self::Ended => "ended",
            Self::BuildOutput => "build output",
        }
    }
}

/// A worktree in a cleanup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct CleanupTree {
    /// The session.
    pub id: SessionId,
    /// Its name.
    pub name: String,
    /// The size of its worktree, in bytes.
    #[ts(type = "number")]
    pub bytes: u64,
    /// The size of the build output in it, in bytes.
    #[ts(type = "number")]
    pub build_bytes: u64,
    /// Why it can go; absent if nothing lets it go.
    pub because: Option<CleanupReason>,
    /// Why it stays; absent if it goes, or went.
    pub kept: Option<String>,
}
