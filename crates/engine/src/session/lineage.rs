//! Where a session comes from and who had it before: a fork's first conversation, earlier agents,
//! and what it is stopped for. Stored with the session as JSON, so that the next engine goes on.
//! Pure; carrying it out is in [`crate::effects::session::end_then`], [`crate::effects::session::fork`] and [`crate::effects::session::handoff`].

use downbeat_model::{PermissionMode, SessionId};
use downbeat_store::SessionRow;
use downbeat_wire::restore::{EarlierAgent, ForkedFrom};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// What is kept.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Lineage {
    /// The session that it was forked from.
    pub forked: Option<Forked>,
    /// The agents that had it before, the first one first.
    pub earlier: Vec<Earlier>,
    /// What the agent that has it now is told first, until it takes that up.
    pub first: Option<String>,
    /// What happens once its agent has ended.
    pub then: Option<Then>,
    /// Those below it that were taken off the list: what they used counts here for good.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub forgotten: Vec<SessionId>,
    /// Whether an agent that asks before it runs something chose the commit it starts at: see
    /// [`crate::effects::worktree::vouched`].
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub by_agent: bool,
}

/// A fork's beginning.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Forked {
    /// The session it was forked from.
    pub id: SessionId,
    /// Its name then.
    pub name: String,
    /// The conversation that is still to be copied; absent once the fork said something of its own.
    pub conversation: Option<String>,
    /// A backup of the other's uncommitted work that its worktree is made from; absent for none.
    pub backup: Option<String>,
}

/// An agent that had the session before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Earlier {
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
    /// That of a session.
    pub fn of(row: &SessionRow) -> Self {
        serde_json::from_value(row.lineage.clone()).unwrap_or_default()
    }

    /// Those below a session that were taken off the list.
    pub fn forgotten(row: &SessionRow) -> Vec<SessionId> {
        match row.lineage.get("forgotten") {
            Some(_) => Self::of(row).forgotten,
            None => Vec::new(),
        }
    }

    /// Changes that of a session.
    pub fn change(row: &mut SessionRow, change: impl FnOnce(&mut Self)) {
        let mut lineage = Self::of(row);
        change(&mut lineage);
        row.lineage = match lineage == Self::default() {
            true => Value::Null,
            false => json!(lineage),
        };
    }

    /// The conversation that the next start copies, and that is the session's own from then on.
    pub fn to_copy(&self) -> Option<&str> {
        self.forked.as_ref()?.conversation.as_deref()
    }

    /// The agent took up a task: what it was to begin with has happened.
    pub fn begun(row: &mut SessionRow) {
        if row.lineage.is_null() {
            return;
        }
        Self::change(row, |lineage| {
            lineage.first = None;
            lineage.copied();
        });
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

    /// As it travels: what a session was forked from, and who had it before.
    pub fn shown(row: &SessionRow) -> (Option<ForkedFrom>, Vec<EarlierAgent>) {
        let lineage = Self::of(row);
        let forked = lineage
            .forked
            .map(|Forked { id, name, .. }| ForkedFrom { id, name });
        let earlier = lineage.earlier.into_iter();
        let earlier = earlier.map(|Earlier { agent, until, .. }| EarlierAgent { agent, until });
        (forked, earlier.collect())
    }
}
