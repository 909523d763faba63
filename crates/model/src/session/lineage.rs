//! The lineage of a session: the session that it was forked from, its earlier agents, and how it continues
//! after an end (see [`crate::effect::Work::GoOn`]).

use crate::{PermissionMode, SessionId};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// The origin and the earlier agents of a session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Lineage {
    /// The fork that the session began as, if it did.
    pub forked: Option<Forked>,
    /// The agents that had the session before, the first one first.
    pub earlier: Vec<EarlierAgent>,
    /// The first prompt for the agent that has the session now, until the agent takes it.
    pub first: Option<String>,
    /// The descendants that were taken off the list: their usage counts here for good.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub forgotten: Vec<SessionId>,
    /// Whether an agent that asks before it runs something chose the commit that the session starts at: then
    /// nothing in the commit runs without the person's consent.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub by_agent: bool,
    /// Whether the session brings files along that such an agent may have written and no commit holds: then
    /// set-up, which may run them, waits for the person's consent.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub brings_work: bool,
}

/// The beginning of a fork.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Forked {
    /// The session that was forked.
    pub id: SessionId,
    /// The name of that session at the time.
    pub name: String,
    /// The conversation that is still to be copied; `None` once the fork has turns of its own.
    pub conversation: Option<String>,
    /// The backup of the other session's uncommitted work that the worktree is made from, if any.
    pub backup: Option<String>,
    /// The commit of the backup at the time: its reference may be moved meanwhile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backup_commit: Option<String>,
}

/// An agent that had the session before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EarlierAgent {
    /// The id of the agent.
    pub agent: String,
    /// The model that was requested.
    pub model: Option<String>,
    /// The agent's own id of the conversation.
    pub conversation: Option<String>,
    /// The time until which the agent had the session.
    pub until: Timestamp,
}

/// The continuation of a session after its agent has ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "what")]
pub enum Then {
    /// Resumes the same agent.
    Resume {
        /// The new model, if it changes.
        model: Option<String>,
        /// The new permission mode, if it changes.
        permission: Option<PermissionMode>,
    },
    /// Hands the session over to another agent.
    HandOver {
        /// The id of the new agent.
        agent: String,
        /// The model to request.
        model: Option<String>,
        /// The person's note to the new agent.
        note: Option<String>,
        /// The state of the session before it was stopped.
        was: String,
    },
}

impl Lineage {
    /// Returns the conversation that the next start copies, and that is the session's own from then on.
    #[must_use]
    pub fn to_copy(&self) -> Option<&str> {
        self.forked.as_ref()?.conversation.as_deref()
    }

    /// Records that the agent took up a task: its first prompt is delivered, its conversation copied.
    pub fn begun(&mut self) {
        self.first = None;
        self.copied();
    }

    /// Records that the conversation was copied, or is not wanted any more.
    pub fn copied(&mut self) {
        if let Some(forked) = &mut self.forked {
            forked.conversation = None;
        }
    }

    /// Records that the uncommitted work was brought along.
    pub fn brought(&mut self) {
        if let Some(forked) = &mut self.forked {
            forked.backup = None;
        }
    }
}
