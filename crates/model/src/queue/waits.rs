//! Why each entry of a merge queue waits, as data. Not the sentences that people read.

use super::round::{HeldBy, Next, Round, Run};
use super::state::{PausedBy, Queue};
use crate::subject::Subject;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Why an entry waits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct Wait {
    /// The entry's ticket.
    #[ts(type = "number")]
    pub ticket: u64,
    /// The session or the pull request.
    #[schemars(with = "String")]
    #[ts(type = "string")]
    pub subject: Subject,
    /// The time of enqueuing.
    #[ts(type = "string")]
    pub enqueued_at: Timestamp,
    /// The time since which the entry waits for this reason; that of enqueuing, while it waits for others.
    #[ts(type = "string")]
    pub since: Timestamp,
    /// The reason.
    pub why: WaitReason,
}

/// The reason why an entry waits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", tag = "kind")]
pub enum WaitReason {
    /// Others land before it.
    AheadOf {
        /// The number of entries before it.
        others: usize,
        /// The first of them, whose reason all of them wait for.
        #[schemars(with = "String")]
        #[ts(type = "string")]
        first: Subject,
    },
    /// It was in a batch that conflicted or failed, and whose parts are tried now.
    BatchDivided,
    /// Its candidate is being made.
    CandidateBeingMade,
    /// The checks of its candidate run.
    ChecksRunning {
        /// Whether they run again, after a failure.
        again: bool,
        /// The number of entries in the candidate.
        together: usize,
    },
    /// It is being landed.
    Landing,
    /// The target is checked out, with changes in files that the candidate changes.
    TargetCheckedOutDirty {
        /// The files.
        files: Vec<String>,
        /// The time of the next try.
        #[ts(type = "string")]
        again: Timestamp,
    },
    /// The target is checked out, and an operation such as a merge is under way there.
    TargetInOperation {
        /// The time of the next try.
        #[ts(type = "string")]
        again: Timestamp,
    },
    /// The target moved several times in a row before anything landed, so the next candidate waits a little.
    TargetMoved {
        /// The number of times.
        times: u32,
        /// The time of the next try.
        #[ts(type = "string")]
        again: Timestamp,
    },
    /// A step could not be carried out, and is tried again.
    StepFailed {
        /// Why, in words.
        error: String,
        /// The time of the next try.
        #[ts(type = "string")]
        again: Timestamp,
    },
    /// The queue is paused.
    Paused {
        /// By whom.
        by: PausedBy,
    },
}

impl Queue {
    /// Returns why each entry waits, in the order in which they land.
    #[must_use]
    pub fn waits(&self) -> Vec<Wait> {
        let in_round: &[u64] = self.round.as_ref().map_or(&[], |round| &round.batch.tickets);
        let in_parts: Vec<u64> = self
            .batches
            .iter()
            .flat_map(|batch| batch.tickets.clone())
            .collect();
        let mut order = self.in_order();
        let part_of = |ticket: u64| in_parts.iter().position(|&other| other == ticket);
        order.sort_by_key(|entry| {
            let place = in_round.iter().position(|&other| other == entry.ticket);
            (
                place.unwrap_or(usize::MAX),
                part_of(entry.ticket).unwrap_or(usize::MAX),
            )
        });
        let first = order.first().map(|entry| entry.subject.clone());
        let waits = order.iter().enumerate().map(|(others, entry)| {
            let own_round = self.round.as_ref().filter(|_| in_round.contains(&entry.ticket));
            let (why, since) = match (own_round, &self.paused, &first) {
                (Some(round), pause, _) if pause.is_none() || round.step.is_some() => {
                    (round.reason(), round.since)
                }
                (_, Some(pause), _) => (WaitReason::Paused { by: pause.by.clone() }, pause.since),
                _ if part_of(entry.ticket).is_some() => (WaitReason::BatchDivided, entry.enqueued_at),
                (_, None, Some(first)) => {
                    let first = first.clone();
                    (WaitReason::AheadOf { others, first }, entry.enqueued_at)
                }
                (_, None, None) => (WaitReason::CandidateBeingMade, entry.enqueued_at),
            };
            Wait {
                ticket: entry.ticket,
                subject: entry.subject.clone(),
                enqueued_at: entry.enqueued_at,
                since,
                why,
            }
        });
        waits.collect()
    }
}

impl Round {
    /// Returns why the entries of the round wait.
    fn reason(&self) -> WaitReason {
        if let Some(held) = &self.held {
            let again = held.until;
            return match &held.by {
                HeldBy::CheckedOutDirty { files } => {
                    let files = files.clone();
                    WaitReason::TargetCheckedOutDirty { files, again }
                }
                HeldBy::OperationInProgress => WaitReason::TargetInOperation { again },
                HeldBy::TargetMoved { times } => WaitReason::TargetMoved { times: *times, again },
                HeldBy::Failed { why } => {
                    let error = why.clone();
                    WaitReason::StepFailed { error, again }
                }
            };
        }
        match &self.next {
            Next::Make => WaitReason::CandidateBeingMade,
            Next::Check { run, .. } => WaitReason::ChecksRunning {
                again: *run == Run::Again,
                together: self.batch.tickets.len(),
            },
            Next::Land { .. } => WaitReason::Landing,
        }
    }
}
