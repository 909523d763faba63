//! What is done by itself about sessions and their pull requests: the rules of a project, what they did, and their pause.
//! Not how a rule decides.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// What the rules do about a session, or about one of its pull requests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct Reactions {
    /// The session or the pull request, as one word.
    pub subject: String,
    /// What it is called: the name of the session, or `#12 Add a cart`.
    pub title: String,
    /// What each rule does that deals with it.
    pub reactions: Vec<ReactionState>,
}

/// What a rule does about a session or a pull request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct ReactionState {
    /// The rule: `ci-failed`.
    pub rule: String,
    /// Whether what it reacts to stands now.
    pub stands: bool,
    /// What it did and does, in a sentence.
    pub says: String,
    /// When the person is notified that the problem is not solved, if nothing changes; or was.
    #[ts(type = "string | null")]
    pub notified_at: Option<Timestamp>,
}

/// A rule of a project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct ReactionRule {
    /// The rule: `ci-failed`.
    pub rule: String,
    /// What it does: `send-to-agent`, `notify`, `merge`, `restart`…
    pub action: String,
    /// Whether it acts by itself.
    pub auto: bool,
    /// The number of attempts for a problem; absent without a bound.
    pub attempts: Option<u32>,
    /// The time after which the person is notified, in seconds.
    #[ts(type = "number | null")]
    pub escalates_after: Option<u64>,
    /// How long the event has to stand before it acts, in seconds.
    #[ts(type = "number")]
    pub threshold: u64,
    /// The text in front of what is sent.
    pub message: Option<String>,
    /// What has to hold besides.
    pub condition: Option<String>,
    /// Whether the project changes it.
    pub is_changed: bool,
    /// The file by which the project changes it: `downbeat.yaml`, or `agent-orchestrator.yaml`.
    pub file: Option<String>,
}

/// Something that was done by itself, or could not be done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct ReactionDone {
    /// When.
    #[ts(type = "string")]
    pub at: Timestamp,
    /// The rule.
    pub rule: String,
    /// The session or the pull request, as one word.
    pub subject: String,
    /// The number of the attempt.
    pub attempt: u32,
    /// `done`, `over` if the problem had gone, or `failed`.
    pub outcome: String,
    /// The first line of the text, or why it failed.
    pub detail: String,
}

/// Pauses or resumes what is done by itself about a session and its pull requests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PauseReactions {
    /// Id or readable name.
    pub id: String,
    /// True pauses; false resumes: what is new since then is done.
    pub paused: bool,
}
