//! Effects of a merge queue: work that follows from a fact. Not how it is carried out.

use crate::id::SessionId;
use crate::oid::Oid;
use crate::subject::Subject;
use serde::{Deserialize, Serialize};

/// A piece of work for a queue. It is carried out once: a second effect of the same key is the same effect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Effect {
    /// The key that identifies the effect among all effects ever recorded.
    pub key: String,
    /// The work.
    pub work: Work,
}

/// The work of an effect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Work {
    /// Merges heads onto the target's present head, in this order, without touching anybody's checkout. Results:
    /// `Made`, `Conflict`, `Unusable`, `Failed`.
    MakeCandidate {
        /// The number of the step.
        step: u64,
        /// The heads.
        heads: Vec<Head>,
    },
    /// Runs the checks on a clean checkout of a commit. Results: `Checked`, `Failed`.
    RunChecks {
        /// The number of the step.
        step: u64,
        /// The commit.
        commit: Oid,
        /// Its tree.
        tree: Oid,
        /// The hash of the checks.
        hash: String,
    },
    /// Ends the checks of a step whose result is not needed any more. Has no result.
    CancelChecks {
        /// The number of the step that runs the checks.
        step: u64,
    },
    /// Moves the target from one commit to another, if it is still at the first. Results: `Landed`, also if the
    /// target contains the commit already; `Refused` or `Failed`, if it is certain that the target is as it was.
    Land {
        /// The number of the step.
        step: u64,
        /// The commit that the target must be at.
        from: Oid,
        /// The commit that the target becomes.
        to: Oid,
        /// The heads that land with it.
        heads: Vec<Head>,
    },
    /// Tells a session's agent why its branch did not land. Has no result.
    TellAgent {
        /// The session.
        session: SessionId,
        /// The head that did not land.
        head: Head,
        /// Why.
        what: TellAgent,
    },
    /// Does what follows after a branch landed: closes its session, its issue and its branch. Has no result.
    Finish {
        /// The head that landed.
        head: Head,
        /// The target's head with it.
        commit: Oid,
    },
    /// Tells the person. Has no result.
    Notify(Notice),
}

/// The head of an entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Head {
    /// The entry's ticket.
    pub ticket: u64,
    /// The session or the pull request.
    pub subject: Subject,
    /// The commit that was verified.
    pub head: Oid,
}

/// Why an agent's branch did not land.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum TellAgent {
    /// The branch conflicts with the target.
    Conflict {
        /// The files in conflict, at most 100 of them.
        files: Vec<String>,
        /// The target's head.
        base: Oid,
    },
    /// The checks failed twice on the target with this branch alone.
    ChecksRed {
        /// The candidate.
        commit: Oid,
        /// The candidate's tree, by which the output of the checks is found.
        tree: Oid,
    },
}

/// What the person is told about a queue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Notice {
    /// A branch left the queue without having landed, and no agent works on it, no agent can help, or its agent was
    /// told several times.
    Left {
        /// The head.
        head: Head,
        /// Why.
        left: super::Left,
    },
    /// The candidate is green, and cannot land because of the checkout of the target.
    TargetInTheWay {
        /// The files with changes; empty if an operation is under way.
        files: Vec<String>,
    },
    /// The queue paused itself, because a step failed several times.
    Broken {
        /// Why, in words.
        why: String,
    },
}
