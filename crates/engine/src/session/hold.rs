//! How a pause shows.

use crate::session::status;
use downbeat_model::{Evidence, Observed, Status};
use downbeat_store::SessionRow;
use downbeat_wire::session::PauseState;

/// What a session that is paused shows in place of `status`, and why.
pub fn shown(row: &SessionRow, seen: &Observed) -> (Status, Evidence) {
    let status = seen.activity.status();
    match &row.hold.pause {
        // A question on its screen is still asked, and what works has to be seen to.
        Some(pause) if rests(seen, status) => (Status::Paused, status::by_engine(&pause.why, pause.at)),
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
    let pause = row.hold.pause.clone().filter(|_| !row.status.is_ended())?;
    Some(PauseState {
        at: pause.at,
        why: pause.why,
        by_budget: pause.budget.is_some(),
    })
}
