//! What a worker reported last: as it shows, and what it adds to news of its status.

use downbeat_model::session::LastReport;
use downbeat_store::SessionRow;
use downbeat_wire::report::WorkerReport;
use serde_json::{Value, json};

/// The evidence of a question that was asked through the tool.
pub const ASKED: &str = "ask_conductor tool";

/// The report of a session.
pub fn of(row: &SessionRow) -> Option<WorkerReport> {
    row.result.as_ref().map(|last| last.report.clone())
}

/// Whether a session reported in the turn that it is in.
pub fn is_fresh(row: &SessionRow) -> bool {
    row.result.as_ref().is_some_and(|last| last.fresh)
}

/// A new turn begins: what is reported from now on is news again.
pub fn turn_started(row: &mut SessionRow) {
    if let Some(LastReport { fresh, .. }) = &mut row.result {
        *fresh = false;
    }
}

/// What a change of status adds for whoever tells a conductor of it. `goes_on` is whether it was ended to go on.
pub fn marks(row: &SessionRow, goes_on: bool) -> Value {
    json!({
        "reported": is_fresh(row),
        "asked": row.status_evidence.detail == ASKED,
        "goesOn": goes_on,
        "done": row.is_done(),
    })
}
