//! Entries of a merge queue, and the order in which they land.
//!
//! Age adds to every entry alike, so it never changes which of two entries is first: the order is that of the time of
//! enqueuing, moved forward by the priority and back by each return from a failed attempt. Both are bounded. So an
//! entry is overtaken only by entries that come within [`OVERTAKEN_AT_MOST`], and never starves.

use crate::id::SessionId;
use crate::oid::Oid;
use crate::subject::Subject;
use jiff::{SignedDuration, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// The priority of an entry.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema, TS,
)]
#[serde(rename_all = "kebab-case")]
pub enum Priority {
    /// After everything else of the same hours.
    Low,
    /// As it comes.
    #[default]
    Normal,
    /// Before what is normal.
    High,
    /// Before everything else of the same day.
    Urgent,
}

impl Priority {
    /// Whether it is the one that counts if nothing is said.
    #[must_use]
    pub fn is_normal(&self) -> bool {
        *self == Self::Normal
    }

    /// Returns the priority as people and scripts read it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Normal => "normal",
            Self::High => "high",
            Self::Urgent => "urgent",
        }
    }

    /// Returns the time by which something of this priority counts as asked for earlier.
    #[must_use]
    pub const fn head_start(self) -> SignedDuration {
        match self {
            Self::Low => SignedDuration::ZERO,
            Self::Normal => SignedDuration::from_hours(4),
            Self::High => SignedDuration::from_hours(8),
            Self::Urgent => LONGEST_HEAD_START,
        }
    }
}

/// The head start of the highest priority.
const LONGEST_HEAD_START: SignedDuration = SignedDuration::from_hours(24);

/// The time by which an entry counts as enqueued later, for each time its branch was returned to its agent.
const SET_BACK: SignedDuration = SignedDuration::from_mins(30);

/// The number of returns that count.
const MOST_RETURNS: u32 = 4;

/// The time after its own enqueuing from which no later entry overtakes an entry, whatever their priorities: the
/// longest head start, and all the returns that count.
pub const OVERTAKEN_AT_MOST: SignedDuration = SignedDuration::from_hours(26);

/// A branch that waits to land.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Entry {
    /// The number of the event that enqueued it; unique in the queue, for ever. Fixed.
    pub ticket: u64,
    /// What lands: a session's branch, or a pull request. A subject has one entry at a time. Fixed.
    pub subject: Subject,
    /// The session whose agent is told of conflicts and failed checks; `None` if no agent works on it. Fixed.
    pub session: Option<SessionId>,
    /// The commit that was verified; only this commit lands. Fixed.
    pub head: Oid,
    /// Whether it lands without checks. Such an entry is in no batch with others.
    #[serde(default)]
    pub unchecked: bool,
    /// The priority.
    pub priority: Priority,
    /// The time of enqueuing. Fixed.
    pub enqueued_at: Timestamp,
    /// The number of times that the branch was returned to its agent since it last landed. Fixed.
    pub returns: u32,
    /// Whether the entry conflicted with others, and therefore is in no batch with them any more.
    pub alone: bool,
}

impl Entry {
    /// Returns the entry's place in the order: the lesser one lands first. No two entries have the same.
    #[must_use]
    pub fn rank(&self) -> (i128, u64) {
        let set_back = SET_BACK.as_nanos() * i128::from(self.returns.min(MOST_RETURNS));
        let counts_from = self.enqueued_at.as_nanosecond() - self.priority.head_start().as_nanos() + set_back;
        (counts_from, self.ticket)
    }
}
