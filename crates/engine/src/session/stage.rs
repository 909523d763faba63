//! Derives from a session's row how far it is on its way to the base.

use crate::session::report;
use downbeat_model::Status;
use downbeat_model::lifecycle::Lifecycle;
use downbeat_model::session::{MergeState, pulls};
use downbeat_store::SessionRow;

/// Returns how far a session is on its way to the base.
pub fn lifecycle(row: &SessionRow) -> Lifecycle {
    // Once it works again, that is about something else.
    let is_about_this = report::is_fresh(row) || row.status != Status::Running;
    let is_verified = is_about_this && report::done(row).is_some_and(|done| done.is_verified());
    pulls::stage(row.status, is_verified, &row.pulls)
}

/// Returns the merge of its work, as far as it is about what the session has now.
pub fn merge(row: &SessionRow) -> Option<MergeState> {
    row.merging.state(row.status, row.status_since)
}
