//! When an agent asks its model again by itself.

use downbeat_model::{Observed, Status};
use downbeat_store::SessionRow;
use jiff::Timestamp;

/// When an agent that waits asks its model again by itself, where that is yet to come at `now`.
pub fn retries_at(row: &SessionRow, now: Timestamp) -> Option<Timestamp> {
    // A pause may be shown in place of its status.
    let waits = |seen: &&Observed| seen.activity.status() == Status::Waiting;
    let seen = row.observed.as_ref().filter(waits);
    let retry = seen.filter(|_| !row.status.is_ended())?.retry.as_ref()?;
    retry.at.filter(|at| *at > now)
}
