//! Effects of reactions. Not how they are carried out.

use super::event::Event;
use super::priority::NoticePriority;
use super::rule::{Action, RuleCommand};
use crate::id::SessionId;
use crate::oid::Oid;
use crate::session::MergeStrategy;
use crate::subject::Subject;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// A piece of work that follows from a rule. It is carried out once: a second effect of the same key is the same effect.
/// If it cannot be carried out, [`super::Record::failed`] is told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Effect {
    /// The key that identifies the effect among all effects ever recorded.
    pub key: String,
    /// The pull request, the session or the project.
    pub subject: Subject,
    /// The session that it belongs to.
    pub session: Option<SessionId>,
    /// The rule.
    pub rule: String,
    /// The event.
    pub event: Event,
    /// The detail of the case: a label, a budget.
    pub detail: String,
    /// The number of the problem, among those of its subject.
    pub problem: u64,
    /// The number of the attempt, from 1.
    pub attempt: u32,
    /// The names of the items that it is about: the new ones only. Those of an escalation are the first hundred that
    /// stand.
    pub items: Vec<String>,
    /// What to do.
    pub act: Act,
}

/// What an effect does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Act {
    /// Sends a message about the items to the session's agent.
    Send {
        /// The template; `None` for the usual text.
        message: Option<String>,
    },
    /// Tells the person about the items.
    Notify {
        /// The template; `None` for the usual text.
        message: Option<String>,
        /// How urgent it is.
        priority: NoticePriority,
        /// Whether it has a summary of the workers.
        with_summary: bool,
    },
    /// Merges the pull request at this head, after asking the forge once more whether all is green.
    Merge {
        /// The head; nothing else is merged.
        head: Oid,
        /// How; absent for the usual way of the repository.
        strategy: Option<MergeStrategy>,
        /// Whether to delete the branch then.
        delete_after: bool,
    },
    /// Lets the forge merge the pull request at this head as soon as it can.
    AutoMerge {
        /// The head; nothing else is merged.
        head: Oid,
        /// How; absent for the usual way of the repository.
        strategy: Option<MergeStrategy>,
        /// Whether to delete the branch then.
        delete_after: bool,
    },
    /// Starts another session.
    Spawn {
        /// The template of its task; `None` for the usual one.
        message: Option<String>,
        /// Its agent; absent for that of new sessions.
        #[serde(default)]
        agent: Option<String>,
    },
    /// Runs a command in the session's worktree, at most once.
    Run {
        /// The command, as it was when the rule decided.
        command: RuleCommand,
    },
    /// Restarts the session's agent.
    Restart,
    /// Pauses the session.
    Pause,
    /// Archives the session and removes its worktree, after saving the work in it.
    Archive,
    /// Tells the person that the rule does not get on with the problem.
    Escalate {
        /// Why.
        why: EscalationReason,
        /// How urgent it is.
        priority: NoticePriority,
    },
}

/// Why the person is told that a rule does not get on with a problem.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", tag = "kind")]
pub enum EscalationReason {
    /// The attempts are used up, and there is something new.
    Attempts {
        /// Their number.
        made: u32,
        /// What the rule did; unknown in records of older versions.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        action: Option<Action>,
    },
    /// The problem stands for too long.
    Time {
        /// Since when.
        #[ts(type = "string")]
        since: Timestamp,
    },
    /// An effect could not be carried out.
    Failed {
        /// Why, in words.
        error: String,
        /// What the rule was to do; unknown in records of older versions.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        action: Option<Action>,
    },
    /// The condition of the rule cannot be evaluated.
    Condition {
        /// Why, in words.
        error: String,
    },
    /// The command of the rule waits for the person's approval.
    NotApproved,
    /// There is more than a rule deals with.
    TooMuch,
}
