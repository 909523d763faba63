//! Facts for a merge queue: what people and observers tell it, and the results of its own steps.

use super::checked::CheckResult;
use super::ended::Withdrawal;
use super::entry::Priority;
use crate::id::SessionId;
use crate::oid::Oid;
use crate::subject::Subject;
use serde::{Deserialize, Serialize};

/// A fact for a queue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Fact {
    /// Something from outside the queue. Given in the order of the numbers.
    Told {
        /// The number of the event. One that is not greater than those before was told already.
        number: u64,
        /// What was told.
        told: Told,
    },
    /// The result of a step.
    Result {
        /// The number of the step, from its effect. The result of any other step than the present one is ignored.
        step: u64,
        /// The result.
        result: StepResult,
    },
    /// Time passed.
    Tick,
}

/// What a queue is told from outside.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Told {
    /// A branch was verified and is to land.
    Enqueued {
        /// The session or the pull request.
        subject: Subject,
        /// The session whose agent is told of conflicts and failed checks.
        session: Option<SessionId>,
        /// The commit that was verified.
        head: Oid,
        /// Whether it lands without checks.
        #[serde(default)]
        unchecked: bool,
        /// The priority.
        priority: Priority,
    },
    /// A branch is not to land any more.
    Withdrawn {
        /// The session or the pull request.
        subject: Subject,
        /// Why.
        why: Withdrawal,
    },
    /// A person changed the priority of an entry.
    Prioritized {
        /// The session or the pull request.
        subject: Subject,
        /// The new priority.
        priority: Priority,
    },
    /// The head of a branch was seen.
    HeadSeen {
        /// The session or the pull request.
        subject: Subject,
        /// The commit; `None` if the branch is gone.
        head: Option<Oid>,
    },
    /// The head of the target was seen.
    TargetSeen(Oid),
    /// Checks ran elsewhere on a clean checkout of a tree. Only a green result counts.
    Checked(CheckResult),
    /// A person paused the queue.
    Paused,
    /// A person lets the queue continue.
    Resumed,
}

/// The result of a step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum StepResult {
    /// The candidate was made.
    Made(Candidate),
    /// An entry cannot be merged onto the target with the entries before it in its batch.
    Conflict {
        /// The entry's ticket.
        ticket: u64,
        /// The files in conflict.
        files: Vec<String>,
        /// The target's head on which it was tried.
        base: Oid,
    },
    /// An entry's commit cannot be used: it does not exist, or is no commit.
    Unusable {
        /// The entry's ticket.
        ticket: u64,
        /// Why, in words.
        why: String,
    },
    /// The checks ran to their end.
    Checked(CheckResult),
    /// The target is at the candidate, or contains it.
    Landed,
    /// The candidate was not landed, and the target is as it was.
    Refused(Refusal),
    /// The step could not be carried out: no disk space, no network, a check that could not be started.
    Failed {
        /// Why, in words.
        why: String,
    },
}

/// A commit that the target is to become.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Candidate {
    /// The target's head on which it was made.
    pub base: Oid,
    /// The commit. The same as `base` if the target contains the entries already.
    pub commit: Oid,
    /// Its tree.
    pub tree: Oid,
}

/// Why a candidate was not landed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Refusal {
    /// The target is another commit than the candidate's base.
    TargetMoved,
    /// The target is checked out, with changes in files that the candidate changes.
    CheckedOutDirty {
        /// The files.
        files: Vec<String>,
    },
    /// The target is checked out, and a merge, a rebase or the like is under way there.
    OperationInProgress,
    /// A checkout of the target does not let it land, and whoever wants it to land changes that first.
    NotNow {
        /// Why, in words.
        why: String,
    },
    /// The forge or a hook does not accept it, and will not accept the same again.
    Rejected {
        /// Why, in its words.
        why: String,
    },
}
