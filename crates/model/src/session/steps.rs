//! The start of a session: the base of its branch, and its steps.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// What a branch started from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct Base {
    /// The ref that was named: `main`.
    pub name: String,
    /// Its commit then, in full.
    pub commit: String,
    /// Commits that the base's upstream had ahead of it then, without a fetch.
    pub behind: u32,
}

/// How far a step of a spawn is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub enum StepState {
    /// Not yet.
    Waiting,
    /// Now.
    Running,
    /// Done.
    Done,
    /// There was nothing to do.
    Skipped,
    /// It failed; `detail` says how.
    Failed,
}

/// An approval of the person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub enum Approval {
    /// Of the commands that it runs.
    Commands,
    /// Of the commit at which they run.
    Commit,
}

/// One step of a spawn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct Step {
    /// `checkout`, `copy`, `setup` or `start`.
    pub name: String,
    /// How far it is.
    pub state: StepState,
    /// What it does or why it failed: `npm ci`, `exit code 1`.
    pub detail: String,
    /// When it began.
    #[ts(type = "string | null")]
    pub started_at: Option<Timestamp>,
    /// How long it took, once it ended.
    #[ts(type = "number | null")]
    pub milliseconds: Option<u64>,
    /// The approval without which it does not begin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub waits_for: Option<Approval>,
}

/// The steps of a start, in order.
pub const STEPS: [&str; 4] = ["checkout", "copy", "setup", "start"];

/// Returns the steps of a start, none of them begun.
#[must_use]
pub fn steps() -> Vec<Step> {
    let step = |name: &str| Step {
        name: name.to_owned(),
        state: StepState::Waiting,
        detail: String::new(),
        started_at: None,
        milliseconds: None,
        waits_for: None,
    };
    STEPS.into_iter().map(step).collect()
}
