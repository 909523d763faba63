//! Changes a session's status, with its evidence, its event and the notice it deserves. Pure over a
//! [`crate::state::draft::Draft`]: no I/O, and time is the draft's.

use crate::decide::stop::Asked;
use crate::decide::{mailbox, notices, reason};
use crate::session::{report, status};
use crate::state::draft::Draft;
use crate::state::known::State;
use downbeat_model::lines::first_line;
use downbeat_model::{EventKind, Evidence, EvidenceSource, Observed, SessionId, Status};
use downbeat_store::EventRow;
use downbeat_wire::ApiError;
use downbeat_wire::notice::NoticeKind;
use serde::Deserialize;
use serde_json::json;

/// The detail of the end of a turn.
pub const TURN_OVER: &str = "finished its turn";

/// Sets a session's status with its evidence. Writes an event and, if the change deserves one, a notice; does
/// nothing if status and evidence are the same as before.
pub fn set(draft: &mut Draft, id: &SessionId, status: Status, evidence: Evidence) -> Result<(), ApiError> {
    set_telling(draft, id, status, evidence, None)
}

/// Sets a session's status as [`set`] does, with words of the session's own for the event and the notice.
pub fn set_telling(
    draft: &mut Draft,
    id: &SessionId,
    status: Status,
    evidence: Evidence,
    words: Option<&str>,
) -> Result<(), ApiError> {
    let row = draft.session(id)?;
    let before = row.status;
    if before == status && row.status_evidence == evidence {
        return Ok(());
    }
    if before != status {
        row.status = status;
        row.status_since = evidence.at;
    }
    row.status_evidence = evidence;
    row.last_activity_at = row.last_activity_at.max(row.status_evidence.at);
    if before == status {
        draft.session_event(id, EventKind::SessionChanged, serde_json::Value::Null);
        return Ok(());
    }
    if let Some(limited) = row.observed.as_ref().and_then(|seen| seen.limit.clone())
        && status.is_ended()
    {
        mailbox::over(draft, id, &limited);
    }
    let detail = match words {
        Some(words) => words.to_owned(),
        None => detail(draft, id)?,
    };
    let goes_on = draft.state().goes_on(id).is_some();
    let mut payload = report::marks(draft.session(id)?, goes_on);
    payload["from"] = json!(before);
    payload["to"] = json!(status);
    payload["detail"] = json!(detail);
    let row = draft.session(id)?;
    payload["reason"] = json!(reason::of_row(row));
    let seen = row.observed.as_ref();
    let asked = seen.and_then(|seen| seen.open.first());
    if let Some(asked) = asked.filter(|_| status == Status::Waiting) {
        payload["asks"] = json!(Asked::of(asked));
    }
    let in_prose = seen.is_some_and(Observed::asks_in_prose) && status == Status::Waiting;
    if status == Status::Idle || in_prose {
        payload["answer"] = json!(seen.and_then(|seen| seen.answer.as_ref()));
    }
    draft.session_event(id, EventKind::SessionStatus, payload);
    let by_process = draft.session(id)?.status_evidence.source == EvidenceSource::Process;
    match notices::deserves(before, status, by_process) {
        Some(NoticeKind::NeedsInput) => notices::ask(draft, id, detail),
        // The session only waits for its workers, and wakes for each of them: their end is the news.
        Some(NoticeKind::Finished) if has_busy_worker(draft.state(), id) => Ok(()),
        Some(kind) => notices::notify(draft, id, kind, detail),
        None => Ok(()),
    }
}

/// Reports the end of a session that was to continue after it and will not: its end is news now.
pub fn stays(draft: &mut Draft, id: &SessionId, detail: &str) -> Result<(), ApiError> {
    let evidence = status::by_engine(detail, draft.now());
    let goes_on = draft.state().goes_on(id).is_some();
    let row = draft.session(id)?;
    row.status_evidence = evidence;
    let mut payload = report::marks(row, goes_on);
    payload["from"] = json!(row.status);
    payload["to"] = json!(row.status);
    payload["detail"] = json!(detail);
    draft.session_event(id, EventKind::SessionStatus, payload);
    Ok(())
}

/// Returns from which status a session changed to which, as an event of it says; `None` if one of them is a word of a newer
/// version.
pub fn change(event: &EventRow) -> Option<(Status, Status)> {
    let status = |field: &str| Status::deserialize(event.payload.get(field)?).ok();
    Some((status("from")?, status("to")?))
}

/// Sets an ended or failed status, with the error.
pub fn fail(draft: &mut Draft, id: &SessionId, status: Status, error: &str) -> Result<(), ApiError> {
    draft.session(id)?.error = Some(error.to_owned());
    let evidence = status::by_engine(first_line(error), draft.now());
    set(draft, id, status, evidence)
}

/// Reports whether a worker of this session is still busy.
fn has_busy_worker(state: &State, id: &SessionId) -> bool {
    let busy = [Status::Queued, Status::Spawning, Status::Running, Status::Waiting];
    let mut sessions = state.sessions.values();
    sessions.any(|row| row.parent.as_ref() == Some(id) && busy.contains(&row.status))
}

/// Returns one line on why a session has its status: the question, the error, the exit code, the evidence.
fn detail(draft: &mut Draft, id: &SessionId) -> Result<String, ApiError> {
    let row = draft.session(id)?;
    let question = row.observed.as_ref().and_then(|seen| seen.question());
    let reason = reason::of_row(row);
    Ok(match (row.status, question, reason, row.exit_code) {
        (Status::Waiting, Some(question), ..) => question.text.clone(),
        (Status::Waiting | Status::Errored | Status::SetupFailed, _, Some(reason), _) => reason.text,
        (Status::Idle, ..) if row.status_evidence.source != EvidenceSource::Process => TURN_OVER.to_owned(),
        (Status::Exited, _, _, Some(code)) => format!("exit code {code}"),
        _ => row.status_evidence.detail.clone(),
    })
}

#[cfg(test)]
#[path = "status_tests.rs"]
mod tests;
