//! Where a session comes from and who had it before: a fork's first conversation, earlier agents; and what a session is
//! stopped for (see [`crate::effect::Work::GoOn`]).

use crate::{PermissionMode, SessionId};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// Where a session comes from.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Lineage {
    /// The session that it was forked from.
    pub forked: Option<Forked>,
    /// The agents that had it before, the first one first.
    pub earlier: Vec<EarlierAgent>,
    /// What the agent that has it now is told first, until it takes that up.
    pub first: Option<String>,
    /// Those below it that were taken off the list: what they used counts here for good.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub forgotten: Vec<SessionId>,
    /// Whether an agent that asks before it runs something chose the commit it starts at: then
    /// nothing that the commit holds runs without the person's word.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub by_agent: bool,
    /// Whether files come along that such an agent may have written and no commit holds: then set-up, which
    /// may run them, waits for the person's word.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub brings_work: bool,
}

/// A fork's beginning.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Forked {
    /// The session it was forked from.
    pub id: SessionId,
    /// Its name then.
    pub name: String,
    /// The conversation that is still to be copied; `None` once the fork said something of its own.
    pub conversation: Option<String>,
    /// A backup of the other's uncommitted work that its worktree is made from; `None` for none.
    pub backup: Option<String>,
    /// The commit that the backup was then: its reference may be moved meanwhile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backup_commit: Option<String>,
}

/// An agent that had the session before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EarlierAgent {
    /// The agent's id.
    pub agent: String,
    /// The model it was asked for.
    pub model: Option<String>,
    /// Its own id of the conversation.
    pub conversation: Option<String>,
    /// Until when.
    pub until: Timestamp,
}

/// What happens once a session's agent has ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "what")]
pub enum Then {
    /// The same agent goes on.
    Resume {
        /// Another model.
        model: Option<String>,
        /// Another permission mode.
        permission: Option<PermissionMode>,
    },
    /// Another agent goes on.
    HandOver {
        /// Its id.
        agent: String,
        /// The model to ask it for.
        model: Option<String>,
        /// What the person wants it to know.
        note: Option<String>,
        /// How the session was before it was stopped.
        was: String,
    },
}

impl Lineage {
    /// The conversation that the next start copies, and that is the session's own from then on.
    #[must_use]
    pub fn to_copy(&self) -> Option<&str> {
        self.forked.as_ref()?.conversation.as_deref()
    }

    /// The agent took up a task: what it was to begin with has happened.
    pub fn begun(&mut self) {
        self.first = None;
        self.copied();
    }

    /// The conversation was copied, or is not wanted any more.
    pub fn copied(&mut self) {
        if let Some(forked) = &mut self.forked {
            forked.conversation = None;
        }
    }

    /// The uncommitted work that was to come along is there.
    pub fn brought(&mut self) {
        if let Some(forked) = &mut self.forked {
            forked.backup = None;
        }
    }
}
