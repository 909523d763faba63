//! What a worker reported last, in its session's row.

use crate::session::lineage::Lineage;
use crate::session::row;
use downbeat_store::SessionRow;
use downbeat_wire::report::WorkerReport;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The evidence of a question that was asked through the tool.
pub const ASKED: &str = "ask_conductor tool";

/// As it is stored.
#[derive(Serialize, Deserialize)]
pub(crate) struct Stored {
    #[serde(flatten)]
    pub(crate) report: WorkerReport,
    /// Whether the turn that it was made in goes on: its end is then no news of its own.
    #[serde(default)]
    pub(crate) fresh: bool,
}

/// The report of a session.
pub fn of(row: &SessionRow) -> Option<WorkerReport> {
    stored(row).map(|stored| stored.report)
}

/// Whether a session reported in the turn that it is in.
pub fn is_fresh(row: &SessionRow) -> bool {
    stored(row).is_some_and(|stored| stored.fresh)
}

/// A new turn begins: what is reported from now on is news again.
pub fn turn_started(row: &mut SessionRow) {
    if let Some(stored) = stored(row).filter(|stored| stored.fresh) {
        row.result = json!(Stored {
            fresh: false,
            ..stored
        });
    }
}

pub(crate) fn stored(row: &SessionRow) -> Option<Stored> {
    serde_json::from_value(row.result.clone()).ok()
}

/// What a change of status adds for whoever tells a conductor of it.
pub fn marks(row: &SessionRow) -> Value {
    let goes_on = Lineage::of(row).then.is_some();
    json!({
        "reported": is_fresh(row),
        "asked": row.status_evidence.detail == ASKED,
        "goesOn": goes_on,
        "done": row::is_done(row),
    })
}
