//! Rules: what to do on an event, with the keys of Agent Orchestrator. Not how the file is read.

use super::event::Event;
use super::period::Period;
use super::priority::NoticePriority;
use crate::session::MergeStrategy;
use jiff::SignedDuration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// The number of attempts of a rule that acts and says nothing about them.
pub const DEFAULT_ATTEMPTS: u32 = 10;

/// A rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Rule {
    /// The name, unique among the rules: by default that of its event. Budgets belong to it.
    pub id: String,
    /// The event.
    pub event: Event,
    /// Whether the rule acts by itself. One that only notifies does in any case.
    #[serde(default = "yes")]
    pub auto: bool,
    /// What it does.
    pub action: Action,
    /// The text: a message to the agent or the person, or the task of a new session. A template.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The number of attempts for a problem. Then the person is told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retries: Option<u32>,
    /// The number of attempts, or the time, after which the person is told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub escalate_after: Option<EscalateAfter>,
    /// How long the event has to stand before the rule acts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threshold: Option<Period>,
    /// How urgent a notice is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<NoticePriority>,
    /// How to merge; absent for the usual way of the repository.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strategy: Option<MergeStrategy>,
    /// Whether to delete the branch after the merge.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delete_after: Option<bool>,
    /// An expression that has to hold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
    /// Whether a notice has a summary of the workers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub include_summary: Option<bool>,
    /// The agent of a session that is started, by its id; absent for that of new sessions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The command to run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<RuleCommand>,
}

/// A command that a rule runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RuleCommand {
    /// The program with its arguments.
    pub argv: Vec<String>,
    /// The time limit in minutes.
    pub limit_minutes: u32,
    /// Whether the person approved exactly this list of commands of the project's rules. Only then it is run.
    #[serde(default)]
    pub approved: bool,
}

fn yes() -> bool {
    true
}

/// What a rule does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "kebab-case")]
pub enum Action {
    /// Sends a message to the session's agent.
    SendToAgent,
    /// Tells the person.
    Notify,
    /// Merges the pull request, or puts it into the merge queue.
    Merge,
    /// Lets the forge merge the pull request as soon as it can.
    AutoMerge,
    /// Starts another session.
    Spawn,
    /// Runs a command.
    Run,
    /// Restarts the session's agent.
    Restart,
    /// Pauses the session.
    Pause,
    /// Archives the session and removes its worktree, after saving the work in it.
    Archive,
}

/// When the person is told although attempts may be left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(
    untagged,
    expecting = "expected a number of attempts, or a time from 1s to 30d, such as 90s, 30m or 2h"
)]
pub enum EscalateAfter {
    /// After this many attempts.
    Attempts(u32),
    /// After this time, whatever happens.
    Time(Period),
}

impl Action {
    /// Returns whether the action needs a session.
    #[must_use]
    pub const fn needs_session(self) -> bool {
        matches!(
            self,
            Self::SendToAgent | Self::Run | Self::Restart | Self::Pause | Self::Archive
        )
    }

    /// Returns whether the action merges.
    #[must_use]
    pub const fn merges(self) -> bool {
        matches!(self, Self::Merge | Self::AutoMerge)
    }
}

impl Rule {
    /// Returns a rule with this event and action, which acts by itself.
    #[must_use]
    pub fn new(event: Event, action: Action, id: &str) -> Self {
        Self {
            id: id.to_owned(),
            event,
            auto: true,
            action,
            message: None,
            retries: None,
            escalate_after: None,
            threshold: None,
            priority: None,
            strategy: None,
            delete_after: None,
            condition: None,
            include_summary: None,
            agent: None,
            command: None,
        }
    }

    /// Returns whether the rule runs a command that the person has not approved.
    #[must_use]
    pub fn needs_approval(&self) -> bool {
        let command = self.command.as_ref().filter(|_| self.action == Action::Run);
        command.is_some_and(|command| !command.approved)
    }

    /// Returns whether the rule acts without being asked.
    #[must_use]
    pub fn acts(&self) -> bool {
        self.auto || self.action == Action::Notify
    }

    /// Returns the greatest number of attempts for a problem. A notice is about its items only, so without `retries`
    /// it has no bound but that.
    #[must_use]
    pub fn most_attempts(&self) -> u32 {
        let most = match self.action {
            Action::Notify => u32::MAX,
            _ => DEFAULT_ATTEMPTS,
        };
        let retries = self.retries.unwrap_or(most);
        match self.escalate_after {
            Some(EscalateAfter::Attempts(attempts)) if self.retries.is_some() => retries.min(attempts),
            Some(EscalateAfter::Attempts(attempts)) => attempts,
            Some(EscalateAfter::Time(_)) | None => retries,
        }
    }

    /// Returns the time after which the person is told.
    #[must_use]
    pub fn longest(&self) -> Option<SignedDuration> {
        match self.escalate_after {
            Some(EscalateAfter::Time(period)) => Some(period.duration()),
            Some(EscalateAfter::Attempts(_)) | None => None,
        }
    }

    /// Returns how long the event has to stand before the rule acts.
    #[must_use]
    pub fn stands_for(&self) -> SignedDuration {
        self.threshold.map_or(self.event.threshold(), Period::duration)
    }
}
