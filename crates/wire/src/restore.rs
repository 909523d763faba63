//! Going on with a session's work: what can be restored, restart in place, fork, another agent.

use downbeat_model::{PermissionMode, SessionId};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Whether the agent still has a session's conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "kebab-case")]
pub enum ConversationState {
    /// It is there, or nothing says that it is not: the agent itself tells at its start.
    Kept,
    /// Nothing was said in it yet: a new one loses nothing.
    Empty,
    /// The agent has no record of it any more.
    Gone,
}

/// How it stands with a session's directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "kebab-case")]
pub enum PlaceState {
    /// It is there.
    There,
    /// It was removed by Downbeat; Resume makes it again.
    Removed,
    /// It was deleted by hand: what was committed can come back.
    Deleted,
    /// All that is around it is missing, too: its disk may be away.
    Unreachable,
}

/// What an ended session still has, so that a person can choose how to go on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct RestoreState {
    /// The session.
    pub id: SessionId,
    /// Its conversation.
    pub conversation: ConversationState,
    /// Its directory.
    pub place: PlaceState,
    /// One sentence for the person, where something is missing.
    pub detail: Option<String>,
}

/// Ends a live session's agent gracefully and resumes it in the same conversation. One that is over
/// is resumed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RestartSession {
    /// Id or readable name.
    pub id: String,
    /// The model from now on.
    #[serde(default)]
    #[ts(optional)]
    pub model: Option<String>,
    /// The permission mode from now on. Capped by the parent's.
    #[serde(default)]
    #[ts(optional)]
    pub permission_mode: Option<PermissionMode>,
}

/// Asks for a new session that begins with the conversation of another one, in a worktree of its own
/// that starts at the other's commit.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ForkSession {
    /// Id or readable name of the session to fork.
    pub id: String,
    /// What people see; default the other's, with "(fork)".
    #[serde(default)]
    #[ts(optional)]
    pub title: Option<String>,
    /// A readable name; default the title's slug.
    #[serde(default)]
    #[ts(optional)]
    pub name: Option<String>,
    /// The task of the fork; default nothing yet.
    #[serde(default)]
    #[ts(optional)]
    pub prompt: Option<String>,
    /// Whether a copy of the other's uncommitted work comes along. Needed where there is some.
    #[serde(default)]
    #[ts(optional)]
    pub bring: Option<bool>,
}

/// Gives a session's worktree and task to another agent, with a written summary. The agent that has
/// it now is ended gracefully.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HandOverSession {
    /// Id or readable name.
    pub id: String,
    /// The agent that takes over.
    pub agent: String,
    /// The model to request; default the agent's own.
    #[serde(default)]
    #[ts(optional)]
    pub model: Option<String>,
    /// What the person wants it to know beside the summary.
    #[serde(default)]
    #[ts(optional)]
    pub note: Option<String>,
}

/// The session that a fork began with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct ForkedFrom {
    /// Its identifier; it may be off the list by now.
    pub id: SessionId,
    /// Its readable name then.
    pub name: String,
}

/// An agent that had a session before the one that has it now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct EarlierAgent {
    /// The agent's id.
    pub agent: String,
    /// Until when.
    #[ts(type = "string")]
    pub until: Timestamp,
}
