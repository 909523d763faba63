//! A pull request as observed. Its id and its head commit say which one it is and what is known of it; name and number are
//! for people.

use crate::error::ForgeError;
use crate::types::checks::Checks;
use crate::types::conversation::Conversation;
use crate::types::identity::{NodeId, Oid, RepositoryRef};
use crate::types::review::ReviewDecision;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// How much of a pull request to ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Detail {
    /// State, mergeability and checks. What changes without the pull request's own time of change.
    Checks,
    /// Labels, reviews and the extent of the conversation, too.
    Whole,
    /// The conversation itself, too: its first 20 threads, and the newest reviews and comments.
    Talk,
}

/// Whether a pull request is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PullState {
    /// It is open, possibly as a draft.
    Open,
    /// It was closed without being merged.
    Closed,
    /// It was merged.
    Merged,
}

/// Whether there are conflicts with the base.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mergeable {
    /// There are none.
    Yes,
    /// There are some.
    Conflicts,
    /// The forge is still computing it; asking began that. It replaces no earlier answer for the same head and base.
    Unknown,
}

/// The forge's summary of what is in the way of a merge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MergeState {
    /// Nothing.
    Clean,
    /// Only optional checks are red or running.
    Unstable,
    /// A required check, review or another rule.
    Blocked,
    /// The branch must be brought up to date first.
    Behind,
    /// Conflicts.
    Conflicts,
    /// It is a draft.
    Draft,
    /// The forge does not know yet, or says something that this build does not know.
    Unknown,
}

/// The newest review of one person that approves or asks for changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Review {
    /// The person's or app's name; none if the account is gone.
    pub author: Option<String>,
    /// What it says; none for one that was dismissed or only comments.
    pub decision: Option<ReviewDecision>,
    /// The commit that was reviewed.
    pub commit: Option<Oid>,
}

/// The branch with the changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    /// Its commit.
    pub oid: Oid,
    /// Its name.
    pub branch: String,
    /// Its repository; none if a fork was deleted.
    pub repository: Option<RepositoryRef>,
    /// Whether it is in another repository than the base.
    pub from_fork: bool,
}

/// The branch that the changes go to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Base {
    /// Its commit when the forge last looked; it moves.
    pub oid: Oid,
    /// Its name.
    pub branch: String,
    /// Its repository.
    pub repository: Option<RepositoryRef>,
}

/// A place in the forge's own merge queue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueueEntry {
    /// The place, from 1; none if the forge does not name it.
    pub position: Option<u32>,
    /// The forge's word for the entry's state.
    pub state: String,
}

/// The extent of a conversation. If it differs from what was read, the conversation is read again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Talk {
    /// Comments on the pull request itself.
    pub comments: u32,
    /// Submitted reviews.
    pub reviews: u32,
    /// Threads on lines of files.
    pub threads: u32,
}

/// A pull request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PullRequest {
    /// The forge's id.
    pub id: NodeId,
    /// Its number in the repository, for people.
    pub number: u64,
    /// Its page.
    pub url: String,
    /// Its title, one line.
    pub title: String,
    /// Who opened it; none if the account is gone.
    pub author: Option<String>,
    /// Whether it is open.
    pub state: PullState,
    /// Whether it is a draft.
    pub draft: bool,
    /// When the forge last changed it. Checks do not change it.
    pub updated_at: Timestamp,
    /// When it was merged.
    pub merged_at: Option<Timestamp>,
    /// The commit that merged it.
    pub merge_commit: Option<Oid>,
    /// The branch with the changes.
    pub head: Head,
    /// The branch that they go to.
    pub base: Base,
    /// Whether there are conflicts.
    pub mergeable: Mergeable,
    /// What is in the way.
    pub merge_state: MergeState,
    /// What the required reviews amount to; none if no review is required.
    pub review: Option<ReviewDecision>,
    /// Its place in the forge's merge queue.
    pub queue: Option<QueueEntry>,
    /// Since when it merges itself once its requirements are met.
    pub auto_merge_since: Option<Timestamp>,
    /// Its checks.
    pub checks: Checks,
    /// Its labels; none if not asked for ([`Detail::Checks`]).
    pub labels: Option<Vec<String>>,
    /// The newest opinion of each reviewer; none if not asked for.
    pub reviews: Option<Vec<Review>>,
    /// The extent of its conversation; none if not asked for.
    pub talk: Option<Talk>,
    /// Its conversation; none if not asked for.
    pub conversation: Option<Conversation>,
}

/// What an observation found for one id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Observed {
    /// The pull request.
    Pull(Box<PullRequest>),
    /// It was deleted, or the token may not see it any more.
    Gone(NodeId),
    /// The forge says that the token may not see it, and why, with the way out.
    Denied(NodeId, String),
    /// It alone could not be read.
    Failed(NodeId, ForgeError),
}

impl Observed {
    /// The pull request, if there is one.
    #[must_use]
    pub fn pull(self) -> Option<PullRequest> {
        match self {
            Self::Pull(pull) => Some(*pull),
            Self::Gone(_) | Self::Denied(..) | Self::Failed(..) => None,
        }
    }
}
