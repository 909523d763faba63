//! The ways in which an entry leaves a merge queue.

use crate::oid::Oid;
use crate::subject::Subject;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// An entry that left the queue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Ended {
    /// The entry's ticket.
    pub ticket: u64,
    /// The session or the pull request.
    pub subject: Subject,
    /// The commit that was to land.
    pub head: Oid,
    /// The time.
    pub at: Timestamp,
    /// Why.
    pub left: Left,
}

/// Why an entry left the queue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub enum Left {
    /// It landed.
    Landed {
        /// The target's head with it.
        commit: Oid,
    },
    /// The target contained it already.
    AlreadyThere,
    /// Its branch has another head than the one that was verified.
    HeadMoved {
        /// The new head; `None` if the branch is gone.
        to: Option<Oid>,
    },
    /// It was taken out.
    Withdrawn {
        /// Why.
        why: Withdrawal,
    },
    /// It conflicts with the target.
    Conflict {
        /// The files in conflict, at most 100 of them.
        files: Vec<String>,
        /// The target's head.
        base: Oid,
    },
    /// Its checks failed twice, with nothing else in the candidate.
    ChecksRed {
        /// The candidate.
        commit: Oid,
        /// The candidate's tree, by which the output of the checks is found.
        tree: Oid,
    },
    /// The forge or a hook refused it.
    Rejected {
        /// Why, in its words.
        why: String,
    },
    /// A checkout of the target did not let it land.
    Refused {
        /// Why, in words.
        why: String,
    },
    /// Its commit cannot be used.
    Unusable {
        /// Why, in words.
        why: String,
    },
    /// The queue has too many entries.
    Full,
}

/// Why a branch is not to land any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub enum Withdrawal {
    /// A person took it out.
    ByPerson,
    /// It was merged by somebody else.
    MergedElsewhere,
    /// Its pull request was closed.
    Closed,
    /// Its session was removed.
    SessionRemoved,
}

impl Left {
    /// Returns whether the branch is to be worked on again before it is enqueued another time.
    #[must_use]
    pub fn is_return(&self) -> bool {
        matches!(
            self,
            Self::Conflict { .. } | Self::ChecksRed { .. } | Self::Rejected { .. }
        )
    }

    /// Returns whether the work of the entry is on the target.
    #[must_use]
    pub fn is_landed(&self) -> bool {
        matches!(self, Self::Landed { .. } | Self::AlreadyThere)
    }
}
