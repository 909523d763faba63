//! Derives when an agent retries its model request.

use downbeat_model::{Observed, Status};
use downbeat_store::SessionRow;
use jiff::Timestamp;

/// Returns the time at which a waiting agent retries its model request, if that is after `now`.
pub fn retries_at(row: &SessionRow, now: Timestamp) -> Option<Timestamp> {
    // A pause may be shown in place of the status.
    let waits = |seen: &&Observed| seen.activity.status() == Status::Waiting;
    let seen = row.observed.as_ref().filter(waits);
    let retry = seen.filter(|_| !row.status.is_ended())?.retry.as_ref()?;
    retry.at.filter(|at| *at > now)
}
