//! What holds a session back: a pause, a limit, the budgets that it went past.

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

/// What holds a session back, and what a person said to that.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Hold {
    /// Whether it goes on by itself after a usage limit; `None` for what the settings say.
    pub go_on: Option<bool>,
    /// Why it is paused, if it is.
    pub pause: Option<Pause>,
    /// The budgets of which the person was told, by their keys.
    pub warned: Vec<String>,
    /// The budgets that it may pass, at a person's word.
    pub past: Vec<String>,
}

/// A pause.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Pause {
    /// Since when.
    pub at: Timestamp,
    /// Why, in words.
    pub why: String,
    /// The budget that is why, if one is: then it ends with that. While a whole project's is, no other
    /// session of it starts.
    #[serde(default)]
    pub budget: Option<BudgetScope>,
    /// Whether a turn was interrupted for it.
    pub interrupts: bool,
}
