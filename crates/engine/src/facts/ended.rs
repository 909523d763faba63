//! Records the end of a session's process, by itself or on request. Ending one is in
//! [`crate::effects::process::end`].

use crate::decide::ending::status_after;
use crate::decide::{ending, notices, one_shot, status};
use crate::session::end_mode::EndMode;
use crate::state::context::Engine;
use crate::state::draft::Draft;
use crate::state::ledger::JournalKey;
use downbeat_model::{EventKind, Evidence, EvidenceSource, SessionId, Status};
use downbeat_wire::ApiError;
use downbeat_wire::notice::NoticeKind;
use serde_json::json;

/// The end of a session's process.
pub struct End<'a> {
    /// The exit code.
    pub code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// The last text on its screen, or the answer of a one-shot run.
    pub last: &'a str,
}

/// Records that a session's process ended.
pub async fn ended(
    engine: &Engine,
    id: &SessionId,
    key: JournalKey<'_>,
    end: End<'_>,
) -> Result<(), ApiError> {
    let written = engine.ledger.record(key, |draft| over(draft, id, &end));
    written.await.map(drop)
}

/// Shows the end before its journal entry can be written, while a full disk refuses that.
pub async fn show(engine: &Engine, id: &SessionId, end: End<'_>) -> Result<(), ApiError> {
    engine.ledger.write_or_owe(|draft| over(draft, id, &end)).await
}

fn over(draft: &mut Draft, id: &SessionId, end: &End<'_>) -> Result<(), ApiError> {
    let now = draft.now();
    let row = draft.session(id)?;
    if !row.status.is_live() {
        // The end is already recorded; a late report adds nothing.
        return Ok(());
    }
    let End { code, signal, last } = *end;
    let before = row.status;
    row.exit_code = code;
    draft.session_event(
        id,
        EventKind::SessionExited,
        json!({ "code": code, "signal": signal }),
    );
    if as_wished(draft, id)? {
        return Ok(());
    }
    let row = draft.session(id)?;
    let (runs_once, error) = (row.one_shot, row.error.clone());
    if runs_once && code == Some(0) && error.is_none() {
        return one_shot::done(draft, id, last);
    }
    let how = ending::how(code, signal);
    if before == Status::Spawning || error.is_some() || runs_once {
        let cause = error.unwrap_or_else(|| match before {
            Status::Spawning => format!("the agent exited immediately: {how}"),
            _ => format!("its run failed: {how}"),
        });
        let text = if last.is_empty() {
            cause
        } else {
            format!("{cause}\n{last}")
        };
        return status::fail(draft, id, Status::Errored, &text);
    }
    if code != Some(0) {
        draft.session(id)?.error = Some(format!("exited by itself: {how}\n{last}"));
        notices::notify(draft, id, NoticeKind::Exited, format!("exited by itself: {how}"))?;
    }
    let evidence = Evidence {
        source: EvidenceSource::Process,
        detail: how,
        at: now,
    };
    status::set(draft, id, Status::Exited, evidence)
}

/// Records the requested end. Returns false if no end was requested.
pub(crate) fn as_wished(draft: &mut Draft, id: &SessionId) -> Result<bool, ApiError> {
    let row = draft.session(id)?;
    let mode = EndMode::of(row);
    row.intent = None;
    let Some(mode) = mode else { return Ok(false) };
    let detail = match mode {
        EndMode::Kill => "killed on request",
        EndMode::Stop => "stopped on request",
    };
    let evidence = crate::session::status::by_engine(detail, draft.now());
    status::set(draft, id, status_after(mode), evidence)?;
    Ok(true)
}
