//! Events: what a rule can react to. Not the records of what happened (see [`crate::event`]).

use super::priority::NoticePriority;
use jiff::SignedDuration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Something that a rule can react to. The words are those of Agent Orchestrator's configuration.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema, TS,
)]
#[serde(rename_all = "kebab-case")]
#[ts(rename = "ReactionEvent")]
pub enum Event {
    /// Checks of a pull request failed.
    CiFailed,
    /// A person requests changes of a pull request, or comments on it; or changes are requested of work without one.
    ChangesRequested,
    /// A program comments on a pull request.
    BugbotComments,
    /// A pull request conflicts with its base.
    MergeConflicts,
    /// A pull request can be merged, or work without one that the person approved: nothing is missing.
    ApprovedAndGreen,
    /// A pull request has a label.
    LabelAdded,
    /// A pull request was opened.
    PrOpened,
    /// A pull request was closed without being merged.
    PrClosed,
    /// A pull request was merged.
    PrMerged,
    /// An agent is at work and shows nothing new.
    AgentStuck,
    /// An agent asks.
    AgentNeedsInput,
    /// An agent ended by itself.
    AgentExited,
    /// An agent has nothing to do.
    AgentIdle,
    /// An agent ran into a usage limit.
    UsageLimit,
    /// A budget is used up.
    BudgetReached,
    /// The project's own checks of a session's work failed.
    ChecksFailed,
    /// A task is reported as done, and the project's own checks passed on its commit.
    ChecksPassed,
    /// All workers of a conductor are done.
    AllComplete,
}

impl Event {
    /// All events.
    pub const ALL: [Self; 18] = [
        Self::CiFailed,
        Self::ChangesRequested,
        Self::BugbotComments,
        Self::MergeConflicts,
        Self::ApprovedAndGreen,
        Self::LabelAdded,
        Self::PrOpened,
        Self::PrClosed,
        Self::PrMerged,
        Self::AgentStuck,
        Self::AgentNeedsInput,
        Self::AgentExited,
        Self::AgentIdle,
        Self::UsageLimit,
        Self::BudgetReached,
        Self::ChecksFailed,
        Self::ChecksPassed,
        Self::AllComplete,
    ];

    /// Returns how long a problem of this event has to be clear before it is over. What comes back earlier is the same
    /// problem, with what is left of its budget.
    #[must_use]
    pub const fn settles_after(self) -> SignedDuration {
        match self {
            Self::CiFailed
            | Self::ChangesRequested
            | Self::BugbotComments
            | Self::MergeConflicts
            | Self::ApprovedAndGreen
            | Self::AgentStuck
            | Self::AgentExited
            | Self::AgentIdle
            | Self::ChecksFailed => SignedDuration::from_hours(1),
            // Each of these is about one thing, and over with it.
            Self::LabelAdded
            | Self::PrOpened
            | Self::PrClosed
            | Self::PrMerged
            | Self::AgentNeedsInput
            | Self::UsageLimit
            | Self::BudgetReached
            | Self::ChecksPassed
            | Self::AllComplete => SignedDuration::ZERO,
        }
    }

    /// Returns the time without new items after which those that arrived are sent together.
    #[must_use]
    pub const fn quiet(self) -> SignedDuration {
        match self {
            Self::ChangesRequested | Self::BugbotComments => SignedDuration::from_secs(60),
            // The agent learns of a failure within a minute, although other checks run.
            Self::CiFailed => SignedDuration::from_secs(30),
            _ => SignedDuration::ZERO,
        }
    }

    /// Returns how long the event has to stand before a rule reacts that says nothing about it.
    #[must_use]
    pub const fn threshold(self) -> SignedDuration {
        match self {
            Self::AgentStuck => SignedDuration::from_mins(10),
            _ => SignedDuration::ZERO,
        }
    }

    /// Returns how urgent a notice of the event is if its rule does not say so.
    #[must_use]
    pub const fn priority(self) -> NoticePriority {
        match self {
            Self::AgentNeedsInput => NoticePriority::Urgent,
            Self::AgentExited | Self::ApprovedAndGreen | Self::ChecksPassed => NoticePriority::Action,
            Self::CiFailed
            | Self::ChangesRequested
            | Self::BugbotComments
            | Self::MergeConflicts
            | Self::AgentStuck
            | Self::UsageLimit
            | Self::BudgetReached
            | Self::ChecksFailed => NoticePriority::Warning,
            Self::LabelAdded
            | Self::PrOpened
            | Self::PrClosed
            | Self::PrMerged
            | Self::AgentIdle
            | Self::AllComplete => NoticePriority::Info,
        }
    }

    /// Returns whether the event is about a pull request that is open.
    #[must_use]
    pub const fn is_of_open_pull(self) -> bool {
        matches!(
            self,
            Self::CiFailed
                | Self::ChangesRequested
                | Self::BugbotComments
                | Self::MergeConflicts
                | Self::ApprovedAndGreen
                | Self::LabelAdded
                | Self::PrOpened
        )
    }

    /// Returns whether the event is about a pull request.
    #[must_use]
    pub const fn is_of_pull(self) -> bool {
        self.is_of_open_pull() || matches!(self, Self::PrClosed | Self::PrMerged)
    }

    /// Returns whether the event is about a session itself.
    #[must_use]
    pub const fn is_of_session(self) -> bool {
        !self.is_of_pull() || self.is_of_review()
    }

    /// Returns whether the event follows from a review: at the forge, or here if there is no pull request.
    #[must_use]
    pub const fn is_of_review(self) -> bool {
        matches!(self, Self::ChangesRequested | Self::ApprovedAndGreen)
    }

    /// Returns whether there is work on this event that can be merged.
    #[must_use]
    pub const fn has_work_to_merge(self) -> bool {
        self.is_of_open_pull() || matches!(self, Self::ChecksPassed)
    }

    /// Returns whether the event is about comments.
    #[must_use]
    pub const fn has_comments(self) -> bool {
        matches!(self, Self::ChangesRequested | Self::BugbotComments)
    }

    /// Returns whether somebody can do away with what stands. What merely happened, nobody can.
    #[must_use]
    pub const fn can_be_resolved(self) -> bool {
        !matches!(
            self,
            Self::LabelAdded
                | Self::PrOpened
                | Self::PrClosed
                | Self::PrMerged
                | Self::ChecksPassed
                | Self::AllComplete
        )
    }

    /// Returns whether an agent may still be there to take a message.
    #[must_use]
    pub const fn has_agent(self) -> bool {
        !matches!(self, Self::AgentExited)
    }
}
