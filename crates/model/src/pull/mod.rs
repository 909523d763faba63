//! Pull requests: what was seen of one at its forge, and what is known of it. Not how a forge is asked, and not what
//! follows (see [`crate::reactions`] and [`crate::queue`]).
//!
//! A pull request is identified by the subject of its facts, which has the id of the forge; names and numbers change.
//! Each observation describes it completely.

mod checks;
mod order;
mod review;

pub use checks::{Check, CheckState, Checks, ChecksVerdict};
pub use order::{DoneOpening, NewPull, Ordered, PullChange, PullDone, PullOrder, Sent};
pub use review::{Comment, Review, ReviewDecision, ReviewState, Thread};

use crate::fold::Fold;
use crate::oid::Oid;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// The number of labels, threads and reviews that are kept of each.
const MOST: usize = 300;

/// A pull request as it was seen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SeenPull {
    /// The number in its repository, for people.
    pub number: u64,
    /// The address, for people.
    pub url: String,
    /// The title.
    pub title: String,
    /// Whether it is open.
    pub state: PullState,
    /// Whether the forge does not find it any more. Everything else is then as it was last seen.
    #[serde(default)]
    pub is_gone: bool,
    /// Why the token may not see it any more, with the way out. Everything else is then as it was last seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub denied: Option<String>,
    /// Whether it is a draft.
    pub is_draft: bool,
    /// The commit that would be merged.
    pub head: Oid,
    /// The name of its branch.
    pub head_branch: String,
    /// The repository of its branch, `owner/name`; `None` if that was deleted.
    pub head_repository: Option<String>,
    /// The branch that it is to be merged into.
    pub base_branch: String,
    /// The head of that branch; `None` if the forge does not say.
    pub base: Option<Oid>,
    /// Whether it can be merged.
    pub mergeable: Mergeable,
    /// Whether the base requires that the branch contains it, and it does not.
    pub is_behind: bool,
    /// Whether it is in the merge queue of the forge.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_queued: bool,
    /// Its place there, from 1; `None` if the forge does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue_place: Option<u32>,
    /// The reviews, taken together.
    pub decision: ReviewDecision,
    /// The latest review of each reviewer.
    pub reviews: Vec<Review>,
    /// The review threads.
    pub threads: Vec<Thread>,
    /// At most how many older threads and comments are left out, because there are too many.
    #[serde(default, skip_serializing_if = "is_none")]
    pub beyond: u32,
    /// The comments in its conversation, outside of threads, that are not ours; oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub comments: Vec<Comment>,
    /// The checks of the head.
    pub checks: Checks,
    /// The labels.
    pub labels: Vec<String>,
    /// The time of the last change, by the forge's clock.
    pub updated_at: Timestamp,
}

/// Whether a pull request is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub enum PullState {
    /// It is open.
    Open,
    /// It was closed without being merged.
    Closed,
    /// It was merged.
    Merged,
}

/// Whether a pull request can be merged without conflicts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub enum Mergeable {
    /// It can.
    Yes,
    /// It conflicts with its base.
    Conflicts,
    /// The forge does not know yet. It finds out because it was asked, so it has to be asked again.
    Unknown,
}

/// What is known of a pull request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Pull {
    /// The last observation; `None` before the first.
    pub seen: Option<SeenPull>,
    /// The last known answer to whether it can be merged; an unknown one does not replace it.
    pub known: Option<KnownMergeable>,
}

/// A known answer to whether a pull request can be merged, with the commits that it is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct KnownMergeable {
    /// The answer: never `Unknown`.
    pub mergeable: Mergeable,
    /// The head at that time.
    pub head: Oid,
    /// The base's head at that time.
    pub base: Option<Oid>,
}

impl Pull {
    /// Returns what is known before the first observation.
    #[must_use]
    pub fn unseen() -> Self {
        Self {
            seen: None,
            known: None,
        }
    }

    /// Returns whether the pull request, as it is now, can be merged. What was known of another head or another base is
    /// shown to people, but nobody acts by it.
    #[must_use]
    pub fn mergeable(&self) -> Mergeable {
        let (Some(seen), Some(known)) = (&self.seen, &self.known) else {
            return Mergeable::Unknown;
        };
        if known.head == seen.head && known.base == seen.base {
            known.mergeable
        } else {
            Mergeable::Unknown
        }
    }

    /// Returns whether the forge does not find it any more.
    #[must_use]
    pub fn is_gone(&self) -> bool {
        self.seen.as_ref().is_some_and(|seen| seen.is_gone)
    }

    /// Returns why the token may not see it any more.
    #[must_use]
    pub fn denied(&self) -> Option<&str> {
        self.seen.as_ref().and_then(|seen| seen.denied.as_deref())
    }

    /// Returns whether the forge has to be asked again, because it did not know whether the pull request can be merged.
    #[must_use]
    pub fn is_to_be_asked_again(&self) -> bool {
        let is_open = |seen: &SeenPull| seen.state == PullState::Open;
        self.seen.as_ref().is_some_and(is_open) && self.mergeable() == Mergeable::Unknown
    }
}

impl Fold for Pull {
    type Fact = SeenPull;

    fn after(mut self, fact: &SeenPull) -> Self {
        if fact.mergeable != Mergeable::Unknown {
            self.known = Some(KnownMergeable {
                mergeable: fact.mergeable,
                head: fact.head.clone(),
                base: fact.base.clone(),
            });
        }
        self.seen = Some(fact.clone());
        self
    }
}

impl SeenPull {
    /// Returns the observation within its bounds: of labels, threads, comments, reviews, checks and texts, what is too
    /// much is cut off. Whoever observes a forge calls it before the observation is recorded.
    #[must_use]
    pub fn bounded(mut self) -> Self {
        self.labels.truncate(MOST);
        let left_out = review::bound_threads(&mut self.threads, MOST);
        self.beyond = self.beyond.saturating_add(left_out);
        self.reviews.truncate(MOST);
        self.checks.bound();
        for thread in &mut self.threads {
            thread.bound();
        }
        for review in &mut self.reviews {
            review.bound();
        }
        review::bound_comments(&mut self.comments);
        review::bound_text(&mut self.title);
        self
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_none(number: &u32) -> bool {
    *number == 0
}

#[cfg(test)]
pub mod fixture;
#[cfg(test)]
mod tables;
