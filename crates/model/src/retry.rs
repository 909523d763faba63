//! Retries: an agent asks its model again by itself after a failure. Pure. A retry within [`SOON`] is
//! part of the agent's work; a later retry keeps the agent blocked until then.

use jiff::{SignedDuration, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// The longest time before a retry during which the agent still counts as working.
pub const SOON: SignedDuration = SignedDuration::from_mins(1);

/// A retry that an agent announced.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", default)]
pub struct Retry {
    /// The failure in the agent's words; empty if the agent does not name it.
    pub text: String,
    /// The time of the next try, if the agent names one.
    #[ts(type = "string | null")]
    pub at: Option<Timestamp>,
    /// The number of the next try, from 1.
    pub attempt: Option<u32>,
    /// The maximum number of tries.
    pub most: Option<u32>,
    /// True if a usage limit caused the failure.
    pub by_limit: bool,
}

impl Retry {
    /// Returns whether the next try is so far from `now` that the agent is blocked until then. A retry that
    /// names no time always blocks: nobody knows when the agent continues.
    #[must_use]
    pub fn blocks(&self, now: Timestamp) -> bool {
        self.at.is_none_or(|at| at.duration_since(now) > SOON)
    }

    /// Returns whether the next try has yet to come.
    #[must_use]
    pub fn is_pending(&self, now: Timestamp) -> bool {
        self.at.is_none_or(|at| at > now)
    }

    /// Describes the retry without its time: `overloaded; retrying, attempt 7 of 10`.
    #[must_use]
    pub fn describe(&self) -> String {
        let attempt = match (self.attempt, self.most) {
            (Some(attempt), Some(most)) => format!(", attempt {attempt} of {most}"),
            (Some(attempt), None) => format!(", attempt {attempt}"),
            (None, _) => String::new(),
        };
        match self.text.trim() {
            "" => format!("the model did not answer; retrying{attempt}"),
            text => format!("{text}; retrying{attempt}"),
        }
    }
}
