//! Rounds: the way of one entry, or of a batch, from its candidate onto the target.

use super::fact::Candidate;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// A round.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Round {
    /// The entries.
    pub batch: Batch,
    /// The step that is under way, or the next one.
    pub next: Next,
    /// The number of the step that is under way; `None` before it begins.
    pub step: Option<u64>,
    /// What keeps the next step from beginning.
    pub held: Option<Held>,
    /// The time at which `next` became what it is.
    pub since: Timestamp,
    /// The number of steps in a row that could not be carried out.
    pub failures: u32,
    /// Whether the person was told that the target's checkout is in the way.
    pub told: bool,
    /// Entries that leave unless the landing that is under way succeeds, with the reason.
    pub leaving: Vec<(u64, super::Left)>,
}

/// Entries that are tried together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Batch {
    /// The tickets, in the order in which the entries land.
    pub tickets: Vec<u64>,
    /// Whether the only question is if the one entry conflicts with the target alone. It does not land in this round.
    pub probe: bool,
}

/// A step of a round.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Next {
    /// Make the candidate.
    Make,
    /// Check the candidate.
    Check {
        /// The candidate.
        candidate: Candidate,
        /// The hash of the checks.
        hash: String,
        /// The run: the checks of a red candidate run again.
        run: Run,
    },
    /// Land the candidate.
    Land {
        /// The candidate.
        candidate: Candidate,
        /// The hash of the checks that passed; `None` if there are none.
        hash: Option<String>,
    },
}

/// A run of the checks on the same tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Run {
    /// The first run.
    First,
    /// The run after a red one.
    Again,
}

/// What keeps a step from beginning.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Held {
    /// The reason.
    pub by: HeldBy,
    /// The time of the next try.
    pub until: Timestamp,
}

/// Why a step does not begin.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum HeldBy {
    /// The target is checked out, with changes in the way.
    CheckedOutDirty {
        /// The files, at most 100 of them.
        files: Vec<String>,
    },
    /// The target is checked out, and an operation is under way there.
    OperationInProgress,
    /// The target moved several times in a row before anything landed.
    TargetMoved {
        /// The number of times.
        times: u32,
    },
    /// The step could not be carried out, and is tried again.
    Failed {
        /// Why, in words.
        why: String,
    },
}

impl Round {
    /// Returns a round that begins with its candidate.
    pub(super) fn new(batch: Batch, now: Timestamp) -> Self {
        Self {
            batch,
            next: Next::Make,
            step: None,
            held: None,
            since: now,
            failures: 0,
            told: false,
            leaving: Vec::new(),
        }
    }

    /// Goes to another step, which has not begun.
    pub(super) fn turn_to(&mut self, next: Next, now: Timestamp) {
        self.next = next;
        self.step = None;
        self.held = None;
        self.since = now;
    }

    /// Returns the candidate, if it was made.
    #[must_use]
    pub fn candidate(&self) -> Option<&Candidate> {
        match &self.next {
            Next::Make => None,
            Next::Check { candidate, .. } | Next::Land { candidate, .. } => Some(candidate),
        }
    }

    /// Returns whether the candidate is being landed, which cannot be taken back.
    #[must_use]
    pub fn is_landing(&self) -> bool {
        self.step.is_some() && matches!(self.next, Next::Land { .. })
    }

    /// Returns the step that runs checks, if one does.
    pub(super) fn running_checks(&self) -> Option<u64> {
        self.step.filter(|_| matches!(self.next, Next::Check { .. }))
    }
}
