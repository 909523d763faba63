//! The steps of a start, in a session's row.

use downbeat_store::SessionRow;
use downbeat_wire::session::{Step, StepState};

/// The steps of a spawn, in order.
pub const STEPS: [&str; 4] = ["checkout", "copy", "setup", "start"];

/// The steps of a spawn, none begun.
pub fn steps() -> serde_json::Value {
    let step = |name: &&str| Step {
        name: (*name).to_owned(),
        state: StepState::Waiting,
        detail: String::new(),
        started_at: None,
        milliseconds: None,
    };
    serde_json::to_value(STEPS.iter().map(step).collect::<Vec<_>>()).unwrap_or_default()
}

pub(crate) fn read_steps(row: &SessionRow) -> Vec<Step> {
    serde_json::from_value(row.steps.clone()).unwrap_or_default()
}
