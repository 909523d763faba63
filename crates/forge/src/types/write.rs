//! What can be asked of a forge that changes something. A write is data, so that an outbox can keep it. Each names the
//! commit that it is about where a push in between would make it wrong.

use crate::types::identity::{NodeId, Oid, RepositoryName};
use serde::{Deserialize, Serialize};

/// How a pull request becomes part of its base.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MergeStrategy {
    /// One new commit with all changes.
    Squash,
    /// A merge commit.
    Merge,
    /// The commits on top of the base.
    Rebase,
}

/// A pull request or an issue, by what the forge's calls name it by.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subject {
    /// The forge's id.
    pub id: NodeId,
    /// Its repository.
    pub repository: RepositoryName,
    /// Its number there.
    pub number: u64,
}

/// A change to a forge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "write")]
pub enum Write {
    /// Opens a pull request.
    Create {
        /// The repository that it goes to.
        repository: NodeId,
        /// The branch that it goes to.
        base: String,
        /// The branch with the changes.
        branch: String,
        /// The repository of that branch, if it is a fork.
        head_repository: Option<NodeId>,
        /// Its title.
        title: String,
        /// Its text.
        body: String,
        /// Whether it begins as a draft.
        draft: bool,
    },
    /// Changes title, text or base; none leaves each as it is.
    Update {
        /// The pull request.
        pull: NodeId,
        /// The new title.
        title: Option<String>,
        /// The new text.
        body: Option<String>,
        /// The new base branch.
        base: Option<String>,
    },
    /// Comments on a pull request or an issue.
    Comment {
        /// Its id.
        on: NodeId,
        /// The text.
        body: String,
    },
    /// Replies in a thread.
    Reply {
        /// The thread.
        thread: NodeId,
        /// The text.
        body: String,
    },
    /// Resolves a thread, or opens it again.
    Resolve {
        /// The thread.
        thread: NodeId,
        /// Whether it is resolved afterwards.
        resolved: bool,
    },
    /// Adds and removes labels.
    Label {
        /// The pull request or issue.
        on: Subject,
        /// Names to add.
        add: Vec<String>,
        /// Names to remove; one that is not there is fine.
        remove: Vec<String>,
    },
    /// Asks for reviews.
    RequestReview {
        /// The pull request.
        pull: Subject,
        /// Names of accounts.
        people: Vec<String>,
        /// Short names of teams.
        teams: Vec<String>,
    },
    /// Makes it a draft, or ready for review.
    Draft {
        /// The pull request.
        pull: NodeId,
        /// Whether it is a draft afterwards.
        draft: bool,
    },
    /// Merges now, if the head is still this commit.
    Merge {
        /// The pull request.
        pull: NodeId,
        /// The commit that was verified.
        head: Oid,
        /// How.
        strategy: MergeStrategy,
        /// The first line of the commit; none for the forge's own.
        headline: Option<String>,
        /// The rest of its message; none for the forge's own.
        message: Option<String>,
    },
    /// Puts it into the forge's merge queue, if the head is still this commit.
    Enqueue {
        /// The pull request.
        pull: NodeId,
        /// The commit that was verified.
        head: Oid,
    },
    /// Lets it merge itself once its requirements are met, if the head is still this commit.
    AutoMerge {
        /// The pull request.
        pull: NodeId,
        /// The commit that was verified.
        head: Oid,
        /// How.
        strategy: MergeStrategy,
    },
    /// Takes that back.
    NoAutoMerge {
        /// The pull request.
        pull: NodeId,
    },
    /// Closes a pull request without merging it.
    Close {
        /// The pull request.
        pull: NodeId,
    },
    /// Assigns an issue to an account, beside those that have it.
    Assign {
        /// The issue.
        issue: Subject,
        /// The name of the account.
        to: String,
    },
    /// Closes an issue as completed.
    CloseIssue {
        /// The issue.
        issue: NodeId,
    },
    /// Deletes a branch, if it is still at this commit.
    DeleteBranch {
        /// The repository.
        repository: NodeId,
        /// The branch's name, without `refs/heads/`.
        branch: String,
        /// Its last commit.
        head: Oid,
    },
}

impl Write {
    /// Whether it may be done twice without harm, so that one of unknown outcome can simply be repeated.
    #[must_use]
    pub fn is_idempotent(&self) -> bool {
        !matches!(
            self,
            Self::Create { .. } | Self::Comment { .. } | Self::Reply { .. }
        )
    }

    /// What it does, for errors: "merge the pull request".
    #[must_use]
    pub fn words(&self) -> &'static str {
        match self {
            Self::Create { .. } => "open a pull request",
            Self::Update { .. } => "change the pull request",
            Self::Comment { .. } => "comment",
            Self::Reply { .. } => "reply in the thread",
            Self::Resolve { .. } => "resolve the thread",
            Self::Label { .. } => "change the labels",
            Self::RequestReview { .. } => "request a review",
            Self::Draft { .. } => "change the draft state",
            Self::Merge { .. } => "merge the pull request",
            Self::Enqueue { .. } => "put the pull request into the merge queue",
            Self::AutoMerge { .. } => "enable auto-merge",
            Self::NoAutoMerge { .. } => "disable auto-merge",
            Self::Close { .. } => "close the pull request",
            Self::Assign { .. } => "assign the issue",
            Self::CloseIssue { .. } => "close the issue",
            Self::DeleteBranch { .. } => "delete the branch",
        }
    }
}

/// What a write led to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "written")]
pub enum Written {
    /// Done; observe again to see it.
    Done,
    /// A new pull request.
    Pull {
        /// Its id.
        id: NodeId,
        /// Its number.
        number: u64,
        /// Its page.
        url: String,
    },
    /// A new comment.
    Comment {
        /// Its id: it is ours and is not passed to an agent.
        id: NodeId,
        /// Its page.
        url: String,
    },
    /// Merged.
    Merged {
        /// The commit on the base; none if the forge did not name it.
        commit: Option<Oid>,
    },
    /// In the forge's queue.
    Queued {
        /// Its place, from 1; none if the forge did not name it.
        position: Option<u32>,
    },
}
