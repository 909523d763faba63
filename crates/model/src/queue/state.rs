//! The state of a merge queue, and the questions that it alone can answer. Not what changes it (see `step.rs`).

use super::checked::Checked;
use super::effect::Head;
use super::ended::{Ended, Left};
use super::entry::Entry;
use super::round::{Batch, Round};
use crate::id::ProjectId;
use crate::subject::Subject;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};
use ts_rs::TS;

/// The number of entries that wait at most.
pub(super) const MOST_ENTRIES: usize = 1000;

/// The number of entries that left, and of subjects with returns, that are kept.
pub(super) const MOST_KEPT: usize = 500;

/// A merge queue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Queue {
    /// The target. Fixed.
    pub place: Place,
    /// The entries, in the order in which they were enqueued; [`Queue::in_order`] has the one in which they land.
    pub entries: Vec<Entry>,
    /// The round that is under way.
    pub round: Option<Round>,
    /// The parts of a batch that was divided. They are tried before anything else.
    pub batches: VecDeque<Batch>,
    /// The results of checks.
    pub checked: Checked,
    /// Why no further step begins, if so.
    pub paused: Option<QueuePause>,
    /// The entries that left last, oldest first.
    pub ended: VecDeque<Ended>,
    /// The number of times that a subject was returned to its agent since it last landed.
    pub returned: BTreeMap<String, u32>,
    /// The number of the last event that was told.
    pub through: u64,
    /// The number of the last step.
    pub steps: u64,
    /// The number of times in a row that the target moved before anything landed.
    #[serde(default)]
    pub moves: u32,
}

/// A branch on which others land.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Place {
    /// The project, which has one repository.
    pub project: ProjectId,
    /// The branch.
    pub target: String,
}

/// A pause of a queue: steps that began end, and no other begins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct QueuePause {
    /// Who paused it.
    pub by: PausedBy,
    /// Since when.
    pub since: Timestamp,
}

/// Who paused a queue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub enum PausedBy {
    /// A person.
    Person,
    /// The queue itself, because a step failed several times.
    Failures {
        /// Why, in words.
        why: String,
    },
}

/// The settings of a queue, as they are now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Settings {
    /// The number of entries that are tried together at most; 0 counts as 1.
    pub max_batch: usize,
    /// The hash of the checks; `None` if there are none.
    pub checks: Option<String>,
    /// The number of times that a branch is returned to its agent before it lands, counted over all reasons, so that it is
    /// returned once more for failed checks. Then the person is told instead.
    pub retries: u32,
    /// The same for a conflict.
    pub conflict_retries: u32,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            max_batch: 1,
            checks: None,
            retries: 3,
            conflict_retries: 3,
        }
    }
}

impl Settings {
    /// Returns the number of times that a branch is returned to its agent before it is not returned for this reason.
    #[must_use]
    pub fn most_returns(&self, left: &Left) -> u32 {
        match left {
            Left::Conflict { .. } => self.conflict_retries,
            _ => self.retries,
        }
    }
}

impl Queue {
    /// Returns an empty queue.
    #[must_use]
    pub fn new(place: Place) -> Self {
        Self {
            place,
            entries: Vec::new(),
            round: None,
            batches: VecDeque::new(),
            checked: Checked::default(),
            paused: None,
            ended: VecDeque::new(),
            returned: BTreeMap::new(),
            through: 0,
            steps: 0,
            moves: 0,
        }
    }

    /// Returns the entries in the order in which they land, if all goes well. The parts of a divided batch come before it.
    #[must_use]
    pub fn in_order(&self) -> Vec<&Entry> {
        let mut order: Vec<&Entry> = self.entries.iter().collect();
        order.sort_by_key(|entry| entry.rank());
        order
    }

    /// Returns the entry with this ticket.
    #[must_use]
    pub fn entry(&self, ticket: u64) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.ticket == ticket)
    }

    /// Returns the entry of a subject. While one is being landed, there may be a second one, with a newer head.
    #[must_use]
    pub fn entry_of(&self, subject: &Subject) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.subject == *subject)
    }

    /// Returns the time at which the queue has to be asked again, if nothing else happens.
    #[must_use]
    pub fn due(&self) -> Option<Timestamp> {
        let round = self.round.as_ref().filter(|_| self.paused.is_none())?;
        round.held.as_ref().map(|held| held.until)
    }

    /// Returns the heads of these entries.
    #[must_use]
    pub fn heads(&self, tickets: &[u64]) -> Vec<Head> {
        let entries = tickets.iter().filter_map(|&ticket| self.entry(ticket));
        entries.map(Entry::as_head).collect()
    }

    /// Takes an entry out, and keeps the reason. Returns the entry, if it was there.
    pub(super) fn take_out(&mut self, ticket: u64, left: &Left, now: Timestamp) -> Option<Entry> {
        let place = self.entries.iter().position(|entry| entry.ticket == ticket)?;
        let entry = self.entries.remove(place);
        let word = entry.subject.word();
        if left.is_return() {
            *self.returned.entry(word).or_default() += 1;
        } else if left.is_landed() {
            self.moves = 0;
            self.returned.remove(&word);
        }
        while self.returned.len() > MOST_KEPT {
            self.returned.pop_first();
        }
        self.keep_ended(Ended {
            ticket,
            subject: entry.subject.clone(),
            head: entry.head.clone(),
            at: now,
            left: left.clone(),
        });
        Some(entry)
    }

    /// Keeps the way in which an entry left.
    pub(super) fn keep_ended(&mut self, ended: Ended) {
        self.ended.push_back(ended);
        while self.ended.len() > MOST_KEPT {
            self.ended.pop_front();
        }
    }
}

impl Entry {
    /// Returns the head of the entry.
    pub(super) fn as_head(&self) -> Head {
        Head {
            ticket: self.ticket,
            subject: self.subject.clone(),
            head: self.head.clone(),
        }
    }
}
