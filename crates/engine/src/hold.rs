//! What holds a session back and what a person said of it: whether it goes on by itself after a usage
//! limit, whether it is paused, which budgets it was warned of or may pass. Stored with the session as
//! JSON. Pure; carrying it out is in [`crate::limits`], [`crate::pause`] and [`crate::budgets`].

use downbeat_store::SessionRow;
use downbeat_wire::usage::BudgetScope;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// What is kept.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Hold {
    /// Whether it goes on by itself after a usage limit; absent for what the settings say.
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

impl Hold {
    /// That of a session.
    pub fn of(row: &SessionRow) -> Self {
        serde_json::from_value(row.hold.clone()).unwrap_or_default()
    }

    /// Changes that of a session.
    pub fn change(row: &mut SessionRow, change: impl FnOnce(&mut Self)) {
        let mut hold = Self::of(row);
        change(&mut hold);
        row.hold = match hold == Self::default() {
            true => Value::Null,
            false => json!(hold),
        };
    }
}
