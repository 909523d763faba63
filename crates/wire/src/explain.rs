//! Explains a session's status: the last facts, and what each changed.

use crate::session::{LimitState, SessionStatus};
use downbeat_model::EvidenceSource;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Asks why a session's status is what it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ExplainSession {
    /// Id or readable name.
    pub id: String,
    /// How many facts from the end, at most 200; default 20.
    #[serde(default)]
    #[ts(optional)]
    pub facts: Option<u32>,
}

/// The answer to [`ExplainSession`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct Explanation {
    /// How it is now.
    pub now: SessionStatus,
    /// What it says that it is at, in one line.
    pub current_task: Option<String>,
    /// The usage limit that keeps it waiting.
    pub limit: Option<LimitState>,
    /// Whether hooks of its agent were heard: from then on, output says nothing.
    pub has_hooks: bool,
    /// Posts of its agent's hooks that never reached its keeper: it was gone, or there was no room.
    #[ts(type = "number")]
    pub lost_posts: u64,
    /// What its processes take now; absent where none runs or the system does not tell.
    pub usage: Option<ProcessUsage>,
    /// What was seen, oldest first.
    pub facts: Vec<TracedFact>,
}

/// What the processes of a session take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct ProcessUsage {
    /// How many there are.
    pub processes: u32,
    /// Bytes of memory that they hold, shared ones counted for each.
    #[ts(type = "number")]
    pub bytes: u64,
}

/// Something that was seen of a session, or done to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct TracedFact {
    /// When, by the clock of what saw it.
    #[ts(type = "string")]
    pub at: Timestamp,
    /// What saw it.
    pub source: EvidenceSource,
    /// What was seen, or which rule matched: `PermissionRequest hook`.
    pub detail: String,
    /// What it means, in a few words: `asks: Bash: npm test`.
    pub meaning: String,
    /// What it did to the status: `running → waiting`; absent where it changed nothing.
    pub effect: Option<String>,
}
