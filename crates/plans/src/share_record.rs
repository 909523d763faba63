//! How far a share of a kept plan is, and what its workers used.

use crate::schedule::ShareState;
use crate::share::Share;
use downbeat_model::SessionId;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// What workers used.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Cost {
    /// Tokens of all kinds.
    #[serde(default)]
    pub tokens: u64,
    /// Dollars by list price; nothing if no price is known.
    #[serde(default)]
    pub usd: Option<f64>,
}

impl Cost {
    /// Reports whether nothing was used. A plan of thousands of tasks is stored at each change, so what nobody has begun is short.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }

    /// Returns the sum of two costs.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            tokens: self.tokens.saturating_add(other.tokens),
            usd: match (self.usd, other.usd) {
                (Some(one), Some(other)) => Some(one + other),
                (one, other) => one.or(other),
            },
        }
    }
}

/// Where work landed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Landing {
    /// The commit of its worker that landed, perhaps as another one.
    pub head: String,
    /// The branch with the commit that landed, or the address of the pull request.
    pub place: String,
}

/// Reports whether a number need not be stored.
pub(crate) fn is_zero<N: Default + PartialEq>(number: &N) -> bool {
    *number == N::default()
}

/// The number of times that the start of a worker may fail before its share does.
pub const MOST_STARTS: u32 = 5;

/// How far a share is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ShareRecord {
    /// The share.
    pub share: Share,
    /// Its state.
    #[serde(default, skip_serializing_if = "ShareState::is_waiting")]
    pub state: ShareState,
    /// Its newest worker.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionId>,
    /// When its newest worker was started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Timestamp>,
    /// The number of the plan's step with which its newest worker got it, or a branch with its work was named: it contains only what was
    /// done before. 0 in plans of earlier versions.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub begun_as: u64,
    /// The number of the step with which it was done.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub done_as: u64,
    /// When it was done, or failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Timestamp>,
    /// The commit with its work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tip: Option<String>,
    /// Why it failed, or what it waits for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Whether its worker is at rest and does nothing more before somebody tells it to.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_stuck: bool,
    /// The number of times that its worker could not be started.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub failed_starts: u32,
    /// What its newest worker used.
    #[serde(default, skip_serializing_if = "Cost::is_nothing")]
    pub cost: Cost,
    /// What its workers before that one used.
    #[serde(default, skip_serializing_if = "Cost::is_nothing")]
    pub earlier: Cost,
    /// The seconds for which its workers before the newest one worked.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub earlier_seconds: i64,
    /// Whether its work was seen on the default branch of its project. It is looked for only if work in another project waits for
    /// that.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub landed: bool,
    /// Where work of it landed, for the report.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub landing: Option<Landing>,
    /// Why the last merge of its work failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unmerged: Option<String>,
    /// Whether its worker was done without a commit of its own, so that there is nothing to land.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub changed_nothing: bool,
    /// Whether its tasks were ticked in the plan's file, or cannot be.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ticked: bool,
    /// Whether the person, or a result file, said that it is done.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_hand: bool,
    /// Whether the trackers of its issues are told that it is done, although no session did it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub told: bool,
    /// Whether a result file said that it is done, so that a program chose its commit.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_file: bool,
    /// Its workers before the newest one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub before: Vec<SessionId>,
}

impl ShareRecord {
    /// Returns a share that nobody has worked on.
    pub(crate) fn new(share: Share) -> Self {
        Self {
            share,
            state: ShareState::Waiting,
            session: None,
            started_at: None,
            begun_as: 0,
            done_as: 0,
            is_stuck: false,
            ended_at: None,
            tip: None,
            why: None,
            failed_starts: 0,
            cost: Cost::default(),
            earlier: Cost::default(),
            earlier_seconds: 0,
            landed: false,
            landing: None,
            unmerged: None,
            changed_nothing: false,
            ticked: false,
            by_hand: false,
            told: false,
            by_file: false,
            before: Vec::new(),
        }
    }

    /// Reports whether its tasks were done without its session, by the person or by a program elsewhere.
    #[must_use]
    pub const fn is_by_hand(&self) -> bool {
        self.by_hand || self.by_file
    }

    /// Returns where its work landed, if all of it did.
    #[must_use]
    pub fn landed_at(&self) -> Option<&str> {
        let landing = self.landing.as_ref();
        let landing = landing.filter(|landing| self.tip.as_ref() == Some(&landing.head));
        landing.map(|landing| landing.place.as_str())
    }

    /// Returns why the work of its worker could not be merged, unless it landed after all.
    #[must_use]
    pub fn merge_failure(&self) -> Option<&str> {
        let is_its_own = self.state == ShareState::Done && !self.is_by_hand();
        let is_open = is_its_own && self.landed_at().is_none();
        self.unmerged.as_deref().filter(|_| is_open)
    }

    /// Returns what all of its workers used.
    #[must_use]
    pub fn spent(&self) -> Cost {
        self.earlier.and(self.cost)
    }

    /// Returns the seconds for which its workers worked.
    #[must_use]
    pub fn worked(&self, now: Timestamp) -> i64 {
        let newest = self.started_at.map_or(0, |from| {
            let to = self.ended_at.unwrap_or(now);
            to.duration_since(from).as_secs().max(0)
        });
        self.earlier_seconds.saturating_add(newest)
    }

    /// Forgets its worker, but not what that one used.
    pub(crate) fn begin_again(&mut self, now: Timestamp) {
        self.earlier_seconds = self.worked(now);
        self.earlier = self.spent();
        self.cost = Cost::default();
        self.before.extend(self.session.take());
        (self.session, self.started_at, self.ended_at) = (None, None, None);
        (self.tip, self.why, self.failed_starts) = (None, None, 0);
        (self.landed, self.by_file, self.by_hand) = (false, false, false);
        self.changed_nothing = false;
        (self.landing, self.unmerged, self.is_stuck) = (None, None, false);
    }
}
