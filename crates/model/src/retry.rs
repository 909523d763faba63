//! An agent that asks its model again by itself after a failure: what failed, when the next try comes,
//! and how many there are. Pure. A retry within [`SOON`] is part of the agent's work; a later one keeps
//! the agent blocked until then.

use jiff::{SignedDuration, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Up to this long before the next try, the agent counts as working.
pub const SOON: SignedDuration = SignedDuration::from_mins(1);

/// A retry that an agent announced.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", default)]
pub struct Retry {
    /// What failed, in the agent's words; empty where it does not say.
    pub text: String,
    /// When it tries again, where it says.
    #[ts(type = "string | null")]
    pub at: Option<Timestamp>,
    /// Which try this is, from 1.
    pub attempt: Option<u32>,
    /// How many tries there are at most.
    pub most: Option<u32>,
    /// Whether a usage limit is why it failed.
    pub by_limit: bool,
}

impl Retry {
    /// Whether the next try comes so much later than `now` that the agent is blocked until then. One
    /// that names no time is: nobody knows when it goes on.
    #[must_use]
    pub fn blocks(&self, now: Timestamp) -> bool {
        self.at.is_none_or(|at| at.duration_since(now) > SOON)
    }

    /// Whether the next try has yet to come.
    #[must_use]
    pub fn is_pending(&self, now: Timestamp) -> bool {
        self.at.is_none_or(|at| at > now)
    }

    /// The retry in words, without its time: `overloaded; retrying, attempt 7 of 10`.
    #[must_use]
    pub fn says(&self) -> String {
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
