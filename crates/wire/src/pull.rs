//! Pull requests of sessions in detail, and the forges that they are on.

use crate::reaction::ReactionState;
use downbeat_model::pull::{Check, Comment, Review, Thread};
use downbeat_model::session::SessionPull;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// A pull request of a session, with what its card leaves out. All texts are from outside.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct PullDetail {
    /// The card.
    pub card: SessionPull,
    /// The name of its branch.
    pub head_branch: String,
    /// The repository of its branch, `owner/name`; absent if that was deleted.
    pub head_repository: Option<String>,
    /// The checks, including those that are expected and absent.
    pub checks: Vec<Check>,
    /// The latest review of each reviewer.
    pub reviews: Vec<Review>,
    /// The review threads.
    pub threads: Vec<Thread>,
    /// At most how many older threads and comments are left out, because there are too many.
    #[serde(default)]
    pub beyond: u32,
    /// What others say in its conversation, outside of threads; the newest 100.
    pub comments: Vec<Comment>,
    /// The labels.
    pub labels: Vec<String>,
    /// What is done by itself about what stands: one line for each rule that has anything to do.
    pub reactions: Vec<ReactionState>,
    /// The time of its last change, by the forge's clock.
    #[ts(type = "string")]
    pub updated_at: Timestamp,
    /// The time at which it was last seen to be different from before.
    #[ts(type = "string")]
    pub seen_at: Timestamp,
}

/// A forge that projects have remotes on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct ForgeState {
    /// The host: `github.com`.
    pub host: String,
    /// The repositories that are looked at, `owner/name`.
    pub repositories: Vec<String>,
    /// The number of pull requests that are followed.
    pub pulls: u32,
    /// What is the matter with open pull requests there, each in one sentence with the way out: not found, not visible to the
    /// token, in a repository that no remote names.
    pub troubles: Vec<String>,
    /// Why it cannot be asked, with the way out; absent if its last answer was fine.
    pub error: Option<String>,
    /// Since when it cannot be asked.
    #[ts(type = "string | null")]
    pub error_since: Option<Timestamp>,
    /// When it last answered; absent before its first answer to this engine.
    #[ts(type = "string | null")]
    pub answered_at: Option<Timestamp>,
    /// The points that are left of its hourly limit, as far as it says.
    #[ts(type = "number | null")]
    pub points_left: Option<u64>,
    /// The points of its hourly limit.
    #[ts(type = "number | null")]
    pub points_of: Option<u64>,
    /// What the forge sends here by itself.
    pub webhook: ForgeWebhook,
}

/// What a forge sends here by itself when something happens.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct ForgeWebhook {
    /// Whether `webhookSecret` is configured, so that webhooks are taken.
    pub is_on: bool,
    /// Why none can be taken although it is, with the way out.
    pub problem: Option<String>,
    /// The address on this machine to which they go.
    pub address: String,
    /// The events to choose at the forge, in its own words.
    pub events: Vec<String>,
    /// Whether `gh webhook forward` brings them here: GitHub has it.
    pub forwards: bool,
    /// The event of the last one that was taken.
    pub last_event: Option<String>,
    /// When that was.
    #[ts(type = "string | null")]
    pub last_at: Option<Timestamp>,
    /// Why the last one that was refused was not genuine, since the start of this engine.
    pub refused: Option<String>,
    /// When that was.
    #[ts(type = "string | null")]
    pub refused_at: Option<Timestamp>,
}
