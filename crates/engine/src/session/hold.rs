//! What holds a session back, in its row: a pause, a limit, the budgets that it went past.

use crate::session::status;
use downbeat_model::{Evidence, Observed, Status};
use downbeat_store::SessionRow;
use downbeat_wire::session::PauseState;
use downbeat_wire::usage::BudgetScope;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Whether a session is paused by a budget.
pub fn by_budget(row: &SessionRow) -> bool {
    Hold::of(row).pause.is_some_and(|pause| pause.budget.is_some())
}

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

/// What a session that is paused shows in place of `status`, and why.
pub fn shown(row: &SessionRow, seen: &Observed) -> (Status, Evidence) {
    let status = seen.activity.status();
    match Hold::of(row).pause {
        // A question on its screen is still asked, and what works has to be seen to.
        Some(pause) if rests(seen, status) => (Status::Paused, status::by_engine(pause.why, pause.at)),
        _ => (status, seen.evidence.clone()),
    }
}

/// Whether nothing on the agent's screen needs anybody: it is idle, asked in prose, or cannot go on.
fn rests(seen: &Observed, status: Status) -> bool {
    let waits = status == Status::Waiting && (seen.open.is_empty() || seen.asks_in_prose());
    waits || matches!(status, Status::Idle | Status::Unknown)
}

/// What is shown of a pause.
pub fn state(row: &SessionRow) -> Option<PauseState> {
    let pause = Hold::of(row).pause.filter(|_| !row.status.is_ended())?;
    Some(PauseState {
        at: pause.at,
        why: pause.why,
        by_budget: pause.budget.is_some(),
    })
}
