//! The role of a session, and the directory in which it runs. Not its status: see `status.rs`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// The part a session plays.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub enum Role {
    /// A session with the orchestration tools and a briefing to delegate.
    Conductor,
    /// A session that another session spawned.
    Worker,
    /// Any other session: an agent or a shell that a person started.
    #[default]
    Session,
}

/// The directory a session runs in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "kebab-case")]
pub enum Workspace {
    /// A git worktree of its own.
    #[default]
    Worktree,
    /// The project's own checkout, shared with the person.
    InPlace,
}
