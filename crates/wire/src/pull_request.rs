//! What is asked of a forge about the pull requests of sessions: to open one, and to change one.

pub use downbeat_model::pull::PullChange;

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
