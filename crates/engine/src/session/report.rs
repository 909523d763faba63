//! Derives from a worker's last report how it is shown, and what it adds to an event of its status.

use downbeat_model::EvidenceSource;
use downbeat_model::session::{Done, LastReport};
use downbeat_store::SessionRow;
use downbeat_wire::report::WorkerReport;
use jiff::Timestamp;
use serde_json::{Value, json};

/// Returns the last report of a session.
pub fn of(row: &SessionRow) -> Option<WorkerReport> {
    row.result.as_ref().map(|last| last.report.clone())
}

/// Returns what is known about a session's task, if it reported it as done.
pub fn done(row: &SessionRow) -> Option<Done> {
    Done::of(row.result.as_ref()?, &row.checks, base(row))
}

/// Returns when the project's checks passed on a session's newest commit; `None` if it has no commit of its own.
pub fn checked_at(row: &SessionRow) -> Option<Timestamp> {
    row.checks.passed_at(base(row))
}

/// Returns the commit that a session's branch started from.
fn base(row: &SessionRow) -> Option<&str> {
    Some(row.base.as_ref()?.commit.as_str())
}

/// Whether a session reported in its present turn.
pub fn is_fresh(row: &SessionRow) -> bool {
    row.result.as_ref().is_some_and(|last| last.fresh)
}

/// Marks the last report as old at the start of a turn: reports from then on are news again. A report is seen at once, but the start
/// of its turn perhaps after it: that report is of this turn.
pub fn turn_started(row: &mut SessionRow, at: Timestamp) {
    if let Some(LastReport { fresh, report, .. }) = &mut row.result {
        *fresh &= report.at > at;
    }
}

/// Returns what a change of status adds for the news to a conductor. `goes_on` is whether the session was
/// ended to be resumed.
pub fn marks(row: &SessionRow, goes_on: bool) -> Value {
    json!({
        "reported": is_fresh(row),
        "asked": row.status_evidence.source == EvidenceSource::Tool,
        "goesOn": goes_on,
        "done": row.is_done(),
    })
}
