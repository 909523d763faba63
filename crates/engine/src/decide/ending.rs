//! Decides what a requested end means for a session: its intent, its status and its words. Ends no process.

use crate::decide::{go_on, status};
use crate::session::end_mode;
use crate::session::end_mode::EndMode;
use crate::state::draft::Draft;
use downbeat_model::effect::EffectState;
use downbeat_model::{SessionId, Status};
use downbeat_wire::{ApiError, Caller};
use serde_json::json;

/// Returns how a process ended, in words.
pub fn how(code: Option<i32>, signal: Option<i32>) -> String {
    match (code, signal) {
        (Some(code), _) => format!("exit code {code}"),
        (None, Some(signal)) => format!("signal {signal}"),
        (None, None) => "unknown".into(),
    }
}

pub(crate) fn by_whom(by: &Caller) -> &'static str {
    match by {
        Caller::Owner => "by you",
        Caller::Session(_) => "by its conductor",
    }
}

/// Records a requested end, and cancels what was to happen after an earlier one. Returns false if the session
/// is over.
pub(crate) fn note_or_call_off(
    draft: &mut Draft,
    id: &SessionId,
    mode: EndMode,
    who: &str,
) -> Result<bool, ApiError> {
    let called_off = go_on::close(draft, id, EffectState::Dropped);
    if called_off && draft.session(id)?.status.is_ended() {
        status::stays(draft, id, &end_mode::word(mode, who))?;
    }
    note(draft, id, mode, who)
}

/// Records a requested end. Returns false if the session is over.
pub fn note(draft: &mut Draft, id: &SessionId, mode: EndMode, who: &str) -> Result<bool, ApiError> {
    let row = draft.session(id)?;
    if row.status.is_ended() {
        return Ok(false);
    }
    row.intent = Some(mode.intent());
    draft.session_event(id, mode.event(), json!({ "by": who }));
    Ok(true)
}

/// Returns the status that a requested end leads to.
pub fn status_after(mode: EndMode) -> Status {
    match mode {
        EndMode::Stop => Status::Exited,
        EndMode::Kill => Status::Killed,
    }
}

/// The message to the person after a keeper died.
pub const KEEPER_GONE: &str =
    "the keeper of this terminal is gone and its agent was ended. Resume restarts it where it was";

#[cfg(test)]
#[path = "ending_tests.rs"]
mod tests;
