//! What it means that a session's process ended, by itself or as somebody wished, and that its keeper is
//! gone. Ending one is in [`crate::ending`].

use crate::ending::{Wish, sweep, wished};
use crate::engine::Engine;
use crate::entry::{self, UNWRITTEN};
use crate::ledger::{Draft, JournalKey};
use crate::{once, resume, transition};
use downbeat_model::{EventKind, Evidence, EvidenceSource, SessionId, Status};
use downbeat_store::SessionRow;
use downbeat_wire::notice::NoticeKind;
use downbeat_wire::{ApiError, Code};
use serde_json::json;
use std::sync::Arc;

/// Lines of the screen that are kept with a failure.
pub const LAST_LINES: u32 = 12;

/// How a session's process ended.
pub struct End<'a> {
    /// Its exit code.
    pub code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// What its screen showed, or what it answered where it ran once.
    pub last: &'a str,
}

/// Writes down that a session's process ended.
pub async fn ended(
    engine: &Engine,
    id: &SessionId,
    key: JournalKey<'_>,
    end: End<'_>,
) -> Result<(), ApiError> {
    let written = engine.ledger.record(key, |draft| over(draft, id, &end));
    written.await.map(drop)
}

/// Shows it before its journal entry can be written, which a full disk refuses.
pub async fn show(engine: &Engine, id: &SessionId, end: End<'_>) -> Result<(), ApiError> {
    engine.ledger.write_or_owe(|draft| over(draft, id, &end)).await
}

fn over(draft: &mut Draft, id: &SessionId, end: &End<'_>) -> Result<(), ApiError> {
    let now = draft.now();
    let row = draft.session(id)?;
    if !row.status.is_live() {
        // Its end is written already: told late, this says nothing new.
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
    let (runs_once, error) = (once::is(row), row.error.clone());
    if runs_once && code == Some(0) && error.is_none() {
        return once::done(draft, id, last);
    }
    let how = how(code, signal);
    if before == Status::Spawning || error.is_some() || runs_once {
        let cause = error.unwrap_or_else(|| match before {
            Status::Spawning => format!("the agent ended at once: {how}"),
            _ => format!("its run failed: {how}"),
        });
        let text = if last.is_empty() {
            cause
        } else {
            format!("{cause}\n{last}")
        };
        return transition::fail(draft, id, Status::Errored, &text);
    }
    if code != Some(0) {
        draft.session(id)?.error = Some(format!("ended by itself: {how}\n{last}"));
        transition::tell(draft, id, NoticeKind::Exited, format!("ended by itself: {how}"))?;
    }
    let evidence = Evidence {
        source: EvidenceSource::Process,
        detail: how,
        at: now,
    };
    transition::set(draft, id, Status::Exited, evidence)
}

/// Notes the end that was wished. False where none was.
fn as_wished(draft: &mut Draft, id: &SessionId) -> Result<bool, ApiError> {
    let row = draft.session(id)?;
    let wish = Wish::of(row);
    row.intent = None;
    let Some(wish) = wish else { return Ok(false) };
    let detail = match wish {
        Wish::Kill => "killed on request",
        Wish::Stop => "stopped on request",
    };
    let evidence = transition::by_engine(detail, draft.now());
    transition::set(draft, id, wished(wish), evidence)?;
    Ok(true)
}

/// The keeper is gone without a word: its tree is ended, what it last showed is kept.
pub async fn keeper_gone(engine: &Arc<Engine>, id: &SessionId) {
    let Some(row) = engine.ledger.session(id) else {
        return;
    };
    if !row.status.is_live() || engine.closing.is_cancelled() {
        return;
    }
    sweep(engine, id, Wish::Kill).await;
    if !left_behind(engine, &row).await {
        left_behind_later(engine, &row);
    }
    let written = engine.ledger.write_or_owe(|draft| {
        if !draft.session(id)?.status.is_live() {
            return Ok(());
        }
        match as_wished(draft, id)? {
            true => Ok(()),
            false => transition::fail(draft, id, Status::Errored, resume::KEEPER_GONE),
        }
    });
    let written = written.await;
    if let Err(error) = written {
        tracing::error!(session = %id, "the end was not written: {error}");
    }
}

/// Takes what a dead keeper had journaled and no engine had stored. False where a full disk refused some.
async fn left_behind(engine: &Arc<Engine>, row: &SessionRow) -> bool {
    let Some(keeper) = &row.keeper else { return true };
    let dir = engine.paths.keeper(&row.id);
    let entries = tokio::task::spawn_blocking(move || downbeat_keeper::leftover_entries(&dir)).await;
    let mut all = true;
    for entry in entries.unwrap_or_default() {
        if let Err(error) = entry::write_down(engine, &row.id, keeper, &entry, "").await {
            tracing::warn!(session = %row.id, "entry {} was left behind: {error}", entry.seq);
            all &= error.code != Code::Failed;
        }
    }
    all
}

/// Takes it once there is room.
fn left_behind_later(engine: &Arc<Engine>, row: &Arc<SessionRow>) {
    let (engine, row) = (Arc::clone(engine), Arc::clone(row));
    tokio::spawn(async move {
        let closing = engine.closing.clone();
        let taken = async {
            loop {
                tokio::time::sleep(UNWRITTEN).await;
                if left_behind(&engine, &row).await {
                    return;
                }
            }
        };
        tokio::select! {
            () = taken => {}
            () = closing.cancelled() => {}
        }
    });
}

/// How a process ended, in words.
pub fn how(code: Option<i32>, signal: Option<i32>) -> String {
    match (code, signal) {
        (Some(code), _) => format!("exit code {code}"),
        (None, Some(signal)) => format!("signal {signal}"),
        (None, None) => "unknown".into(),
    }
}
