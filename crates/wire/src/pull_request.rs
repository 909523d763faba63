//! What is asked of a forge about the pull requests of sessions: to open one, and to change one.

use downbeat_model::Subject;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Pushes the branch of a session and opens a pull request for it, unless there is one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CreatePull {
    /// Id or readable name of the session.
    pub id: String,
    /// Its title; default the subject of the only commit, or the title of the session.
    #[serde(default)]
    #[ts(optional)]
    pub title: Option<String>,
    /// Its text in Markdown; default what the commits say.
    #[serde(default)]
    #[ts(optional)]
    pub body: Option<String>,
    /// The branch that it goes to; default the project's default branch.
    #[serde(default)]
    #[ts(optional)]
    pub base: Option<String>,
    /// Whether it begins as a draft. Default no.
    #[serde(default)]
    #[ts(optional)]
    pub draft: Option<bool>,
}

/// A pull request that was opened, or was open already.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct PullOpened {
    /// Its forge's id, as one word: `pull:github.com/PR_kwDOA`.
    #[schemars(with = "String")]
    #[ts(type = "string")]
    pub id: Subject,
    /// Its number.
    #[ts(type = "number")]
    pub number: u64,
    /// Its page.
    pub url: String,
    /// Whether it was open before.
    pub was_open: bool,
    /// The number of files in the worktree that are not committed, and so are not in it.
    pub uncommitted: u32,
}

/// Changes a pull request of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ChangePull {
    /// Id or readable name of the session.
    pub id: String,
    /// The number of the pull request; default the session's only open one.
    #[serde(default)]
    #[ts(optional, type = "number")]
    pub number: Option<u64>,
    /// What to change.
    pub change: PullChange,
}

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
        /// The thread, as [`crate::pull::PullDetail`] names it.
        thread: String,
        /// The text in Markdown.
        body: String,
    },
    /// Resolves a review thread, or opens it again.
    Resolve {
        /// The thread, as [`crate::pull::PullDetail`] names it.
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

/// A change that was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct PullChanged {
    /// The number of the pull request.
    #[ts(type = "number")]
    pub number: u64,
    /// The page of the new comment, or of the pull request.
    pub url: String,
}
