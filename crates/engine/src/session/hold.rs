//! Derives how a pause is shown.

use crate::session::status;
use downbeat_model::{Evidence, Observed, Status};
use downbeat_store::SessionRow;
use downbeat_wire::session::PauseState;

/// Notes that a turn begins. During a pause it is one of the person's own, so the interrupted one is not what continues later.
pub(crate) fn turn_started(row: &mut SessionRow) {
    if let Some(pause) = &mut row.hold.pause {
        pause.interrupts = false;
    }
}

/// Returns the status and the evidence that a session shows, considering its pause.
pub fn shown(row: &SessionRow, seen: &Observed) -> (Status, Evidence) {
    let status = seen.activity.status();
    match &row.hold.pause {
        // A question on the screen is still asked, and running work has to stay visible.
        Some(pause) if rests(seen, status) => (Status::Paused, status::by_engine(&pause.why, pause.at)),
        _ => (status, seen.evidence.clone()),
    }
}

/// Whether nothing on the agent's screen needs anybody: it is idle, asked in prose, or cannot continue.
fn rests(seen: &Observed, status: Status) -> bool {
    let waits = status == Status::Waiting && (seen.open.is_empty() || seen.asks_in_prose());
    waits || matches!(status, Status::Idle | Status::Unknown)
}

/// Returns the pause of a live session, as it is shown.
pub fn state(row: &SessionRow) -> Option<PauseState> {
    let pause = row.hold.pause.clone().filter(|_| !row.status.is_ended())?;
    Some(PauseState {
        at: pause.at,
        why: pause.why,
        by_budget: pause.budget.is_some(),
    })
}
