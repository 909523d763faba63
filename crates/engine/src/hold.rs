//! What a person said of a session's going on: whether it does so by itself after a usage limit.
//! Stored with the session as JSON. Pure; carrying it out is in [`crate::limits`].

use downbeat_store::SessionRow;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// What is kept.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Hold {
    /// Whether it goes on by itself after a usage limit; absent for what the settings say.
    pub go_on: Option<bool>,
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
