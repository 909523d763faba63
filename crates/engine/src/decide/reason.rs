//! Derives why a session is not working from its row alone, by the rule in [`downbeat_model::reason`].

use downbeat_model::reason::{Known, PlaceInLine};
use downbeat_model::{Reason, Status};
use downbeat_store::SessionRow;
use downbeat_wire::session::{Step, StepState};

/// Returns the reason that follows from the session's row alone. Pure.
pub fn of_row(row: &SessionRow) -> Option<Reason> {
    derive(row, &row.agent, None, None, None)
}

pub(crate) fn derive(
    row: &SessionRow,
    agent: &str,
    limit_over: Option<jiff::Timestamp>,
    line: Option<PlaceInLine>,
    missing: Option<&str>,
) -> Option<Reason> {
    let steps: Vec<Step> = match row.status {
        Status::Spawning => row.steps.clone(),
        _ => Vec::new(),
    };
    let step = steps.iter().find(|step| step.state == StepState::Running);
    let pause = row.hold.pause.as_ref();
    downbeat_model::reason::reason(&Known {
        status: row.status,
        evidence: &row.status_evidence,
        seen: row.observed.as_ref().filter(|_| row.status.is_live()),
        error: row.error.as_deref(),
        pause: pause.as_ref().map(|pause| pause.why.as_str()),
        limit_over,
        line,
        step: step.map(|step| (step.name.as_str(), step.detail.as_str())),
        agent,
        missing,
    })
}

/// Describes the state of a session for an error: `waiting: cannot continue: Invalid API key`.
pub fn says(row: &SessionRow) -> String {
    let status = row.status.as_str().replace('_', " ");
    match of_row(row) {
        Some(reason) => format!("{status}: {}", reason.text),
        None => status,
    }
}
