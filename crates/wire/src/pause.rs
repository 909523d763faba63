//! Holding a session back, letting it go on, and snoozing what it needs the person for.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Why a session is held back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct PauseState {
    /// Since when.
    #[ts(type = "string")]
    pub at: Timestamp,
    /// Why: `paused by you`, `used $5.02 of $5.00 of its budget`.
    pub why: String,
    /// Whether a budget is why.
    pub by_budget: bool,
}

/// Holds a session back: it takes no messages, and nothing starts below it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PauseSession {
    /// Id or readable name.
    pub id: String,
    /// True for all below it, too.
    #[serde(default)]
    #[ts(optional)]
    pub workers: Option<bool>,
}

/// Asks a session to go on, or says whether it is to do so by itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GoOnSession {
    /// Id or readable name.
    pub id: String,
    /// When; default now.
    #[serde(default)]
    #[ts(optional)]
    pub when: Option<GoOn>,
}

/// When a session goes on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "kebab-case")]
pub enum GoOn {
    /// Now, limit or not.
    #[default]
    Now,
    /// Automatically, whenever a usage limit is over.
    AfterLimit,
    /// Not by itself; what was on its way for it is taken back.
    Not,
}

/// Snoozes what a session needs the person for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SnoozeSession {
    /// Id or readable name.
    pub id: String,
    /// Until when, in the next 30 days; absent to show it again now.
    #[serde(default)]
    #[ts(optional, type = "string")]
    pub until: Option<Timestamp>,
}
