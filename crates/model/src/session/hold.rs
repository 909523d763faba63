//! The holds on a session: its pause, its usage limit, and the budgets that it may exceed.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// What a budget is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub enum BudgetScope {
    /// A session itself.
    Session,
    /// A session with all below it.
    Subtree,
    /// A project today.
    ProjectDay,
}

/// The reasons that hold a session back, and a person's decisions about them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Hold {
    /// Whether the session continues by itself after a usage limit; `None` for the default in the settings.
    pub go_on: Option<bool>,
    /// The pause of the session, if it is paused.
    pub pause: Option<Pause>,
    /// The keys of the budgets that the person was notified of.
    pub warned: Vec<String>,
    /// The keys of the budgets that the session may exceed, by a person's decision.
    pub past: Vec<String>,
    /// What the person snoozed, if anything.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snooze: Option<Snooze>,
}

/// A snooze of what a session needs the person for. Something newer is not snoozed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Snooze {
    /// The time since which it has needed the person, which tells it from what is newer.
    pub since: Timestamp,
    /// The time at which it needs the person again.
    pub until: Timestamp,
}

/// A pause.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Pause {
    /// The start of the pause.
    pub at: Timestamp,
    /// The reason, in words.
    pub why: String,
    /// The budget that caused the pause, if one did: the pause ends with it. While the budget of a whole
    /// project does, no other session of the project starts.
    #[serde(default)]
    pub budget: Option<BudgetScope>,
    /// Whether a turn was interrupted for the pause.
    pub interrupts: bool,
}
