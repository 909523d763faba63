//! The steps of a start, as they are recorded in a session's row. Carries none out.

use crate::state::draft::Draft;
use crate::state::known::State;
use downbeat_model::session::{Approval, Intent};
use downbeat_model::{EventKind, Fact, FactKind, SessionId, Status};
use downbeat_store::SessionRow;
use downbeat_wire::ApiError;
use downbeat_wire::session::{Step, StepState};
use jiff::Timestamp;
use serde_json::json;

/// Records what a fact from a hook says about the progress of the run.
pub fn note(draft: &mut Draft, id: &SessionId, fact: &Fact) -> Result<(), ApiError> {
    let turn = fact.kind == FactKind::TurnStarted;
    if turn || matches!(fact.kind, FactKind::Ready(_)) {
        mark(draft, id, turn)?;
    }
    if turn {
        let row = draft.session(id)?;
        row.run.said = Some(true);
        row.lineage.begun();
    }
    Ok(())
}

/// Records that the agent is up, and with `turn` that it works on something.
pub fn mark(draft: &mut Draft, id: &SessionId, turn: bool) -> Result<(), ApiError> {
    let row = draft.session(id)?;
    let turn = turn || row.had_turn();
    row.run.was_shown = true;
    row.run.had_turn = Some(turn);
    Ok(())
}

/// Records that the agent showed itself: its start is done.
pub(crate) fn shown(draft: &mut crate::state::draft::Draft, id: &SessionId) -> Result<(), ApiError> {
    note_step(draft, id, "start", StepState::Done, "")?;
    let row = draft.session(id)?;
    if row.intent == Some(Intent::Resume) {
        row.intent = None;
    }
    Ok(())
}

/// Returns the number of set-up commands in this run of a session.
pub(crate) fn commands(row: &SessionRow) -> usize {
    row.run.commands.as_ref().map_or(0, Vec::len)
}

/// The name of the keeper's last step.
pub const AGENT: &str = "agent";

/// Returns the detail of the step that starts the agent if no dev-server port was left.
pub fn without_port(row: &SessionRow) -> &'static str {
    match row.port {
        Some(_) => "",
        None => "no dev-server port was free: widen `ports` in the configuration",
    }
}

/// Gives a session another dev-server port, as `free` finds one, if another session has its port now.
pub fn own_port(
    draft: &mut Draft,
    id: &SessionId,
    free: impl FnOnce(&State) -> Option<u16>,
) -> Result<(), ApiError> {
    let port = draft.session(id)?.port;
    let state = draft.state();
    // A program in a shell may serve on the port of the session that the shell belongs to.
    let taken = state.sessions.values().chain(state.shells.values()).any(|other| {
        let holds = other.status.is_live() || other.status == Status::Queued;
        let own = other.id == *id || other.side_shell_of.as_ref() == Some(id);
        !own && holds && other.port == port
    });
    if taken || port.is_none() {
        let free = free(state);
        draft.session(id)?.port = free;
    }
    Ok(())
}

/// What the name of a command of set-up begins with, among the steps of a keeper.
const SETUP: &str = "setup: ";

/// Returns the name of a command of set-up, among the steps of a keeper.
pub fn setup_step(command: &str) -> String {
    format!("{SETUP}{command}")
}

/// Returns the command of set-up that a step of a keeper runs; `None` for the agent.
pub fn setup_command(step: &str) -> Option<&str> {
    step.strip_prefix(SETUP)
}

/// Records that a step does not begin without an approval of the person.
pub fn waits_for(
    draft: &mut crate::state::draft::Draft,
    id: &SessionId,
    name: &str,
    approval: Approval,
) -> Result<(), ApiError> {
    let detail = match approval {
        Approval::Commands => "waits for your approval",
        Approval::Commit => "waits for your approval of its commit",
    };
    note_step(draft, id, name, StepState::Failed, detail)?;
    let steps = &mut draft.session(id)?.steps;
    if let Some(step) = steps.iter_mut().find(|step| step.name == name) {
        step.waits_for = Some(approval);
    }
    Ok(())
}

/// Records the progress of a step, as part of another change.
pub fn note_step(
    draft: &mut crate::state::draft::Draft,
    id: &SessionId,
    name: &str,
    state: StepState,
    detail: &str,
) -> Result<(), ApiError> {
    let now = draft.now();
    let steps = &mut draft.session(id)?.steps;
    if let Some(step) = steps.iter_mut().find(|step| step.name == name) {
        step.waits_for = None;
        match state {
            StepState::Running => {
                step.state = state;
                step.started_at.get_or_insert(now);
                step.milliseconds = None;
                detail.clone_into(&mut step.detail);
            }
            _ => finish(step, state, detail, now),
        }
    }
    draft.session_event(
        id,
        EventKind::SessionStep,
        json!({ "step": name, "state": state }),
    );
    Ok(())
}

pub(crate) fn finish(step: &mut Step, state: StepState, detail: &str, now: Timestamp) {
    step.state = state;
    if !detail.is_empty() {
        detail.clone_into(&mut step.detail);
    }
    let took = step.started_at.map(|at| now.duration_since(at).as_millis());
    step.milliseconds = took.and_then(|ms| u64::try_from(ms).ok());
}

#[cfg(test)]
#[path = "start_tests.rs"]
mod tests;
