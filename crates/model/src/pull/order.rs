//! What is ordered from a forge for a session: to open a pull request, or to change one. As the outbox keeps it; not how it is
//! carried out.

use crate::id::SessionId;
use crate::subject::Subject;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// A change to a pull request. Merging is an operation of its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields, tag = "kind")]
pub enum PullChange {
    /// Changes its title, text or base; what is absent stays as it is.
    Edit {
        /// The new title.
        #[serde(default)]
        #[ts(optional)]
        title: Option<String>,
        /// The new text in Markdown.
        #[serde(default)]
        #[ts(optional)]
        body: Option<String>,
        /// The new base branch.
        #[serde(default)]
        #[ts(optional)]
        base: Option<String>,
    },
    /// Comments on it.
    Comment {
        /// The text in Markdown.
        body: String,
    },
    /// Replies in a review thread.
    Reply {
        /// The thread, as `PullDetail` names it.
        thread: String,
        /// The text in Markdown.
        body: String,
    },
    /// Resolves a review thread, or opens it again.
    Resolve {
        /// The thread, as `PullDetail` names it.
        thread: String,
        /// Whether it is resolved afterwards.
        resolved: bool,
    },
    /// Adds and removes labels.
    Label {
        /// The labels to add.
        #[serde(default)]
        add: Vec<String>,
        /// The labels to remove.
        #[serde(default)]
        remove: Vec<String>,
    },
    /// Requests reviews.
    RequestReview {
        /// Accounts.
        #[serde(default)]
        people: Vec<String>,
        /// Teams by their short names.
        #[serde(default)]
        teams: Vec<String>,
    },
    /// Makes it a draft, or ready for review.
    Draft {
        /// Whether it is a draft afterwards.
        draft: bool,
    },
    /// Closes it without merging it.
    Close,
}

/// An order to open or to change a pull request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PullOrder {
    /// The session.
    pub session: SessionId,
    /// What is ordered.
    pub what: Ordered,
    /// Set before the request is sent to the forge: from then on, only the forge knows whether it happened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sent: Option<Sent>,
    /// The result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub done: Option<PullDone>,
}

/// What is ordered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "kind")]
pub enum Ordered {
    /// To push a branch and to open a pull request for it.
    Open(NewPull),
    /// To change a pull request.
    Change {
        /// The pull request.
        pull: Subject,
        /// Its number, for people.
        number: u64,
        /// The change.
        change: PullChange,
    },
}

/// A pull request that is to be opened. What is `None` follows from the commits and the project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NewPull {
    /// The branch that was checked out when it was ordered.
    pub branch: String,
    /// The title.
    pub title: Option<String>,
    /// The text in Markdown.
    pub body: Option<String>,
    /// The branch that it goes to.
    pub base: Option<String>,
    /// Whether it begins as a draft.
    pub draft: bool,
}

/// What the forge had before a request was sent, so that its effect can be told from it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct Sent {
    /// The forge's ids of the comments that had the same text.
    pub same: Vec<String>,
}

/// The result of an order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PullDone {
    /// The number of the pull request.
    pub number: u64,
    /// The page of the pull request, or of the new comment.
    pub url: String,
    /// More about a pull request that was opened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opened: Option<DoneOpening>,
}

/// A pull request that was opened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DoneOpening {
    /// Its forge's id.
    pub id: Subject,
    /// Whether it was open before it was ordered.
    pub was_open: bool,
    /// The number of uncommitted files, which are not in it.
    pub uncommitted: u32,
}
