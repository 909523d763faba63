//! Whom a worker's question is for first. Where the conductor can answer it, the person is told by a
//! notice only when it stays open; the session itself shows as waiting at once. What is held back is
//! known from the rows and the events alone, so the next engine tells it, too.

use crate::decide::notices;
use crate::host::failpoint::sooner;
use crate::state::context::Engine;
use downbeat_model::lines::first_line;
use downbeat_model::{EventKind, SessionId};
use downbeat_store::SessionRow;
use downbeat_wire::ApiError;
use downbeat_wire::notice::NoticeKind;
use jiff::Timestamp;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// How long a conductor has for an answer before the person is told.
const HELD: Duration = Duration::from_secs(60);

/// Before the next try where telling failed: a full disk.
const AGAIN: Duration = Duration::from_secs(30);

/// Notices of one session that are looked at.
const LAST: u32 = 8;

/// Tells what was held back, until the engine lets go.
pub fn start(engine: &Arc<Engine>) {
    let (weak, closing) = (Arc::downgrade(engine), engine.closing.clone());
    let mut commits = engine.ledger.commits();
    tokio::spawn(async move {
        let mut told = BTreeMap::new();
        loop {
            commits.mark_unchanged();
            let Some(engine) = weak.upgrade() else { return };
            let next = tell_due(&engine, &mut told).await;
            drop(engine);
            tokio::select! {
                () = closing.cancelled() => return,
                () = tokio::time::sleep(next.unwrap_or_default()), if next.is_some() => {}
                changed = commits.changed() => if changed.is_err() { return },
            }
        }
    });
}

/// Tells what was held back for long enough, or whose conductor cannot answer any more; how long
/// until the next one. `told` has the questions that are known to be told.
async fn tell_due(engine: &Engine, told: &mut BTreeMap<SessionId, Timestamp>) -> Option<Duration> {
    let state = engine.ledger.state();
    told.retain(|id, _| state.sessions.contains_key(id));
    let held = sooner("DOWNBEAT_TEST_HELD_MS").unwrap_or(HELD);
    let now = Timestamp::now();
    let mut next: Option<Duration> = None;
    let waiting = state.sessions.values().filter(|row| row.parent.is_some());
    for row in waiting {
        let Some((_, since, _)) = notices::open(row) else {
            continue;
        };
        if told.get(&row.id) == Some(&since) {
            continue;
        }
        let waited = Duration::try_from(now.duration_since(since)).unwrap_or_default();
        let left = held.checked_sub(waited).filter(|left| !left.is_zero());
        let left = match left.filter(|_| notices::is_conductors(&state, row)) {
            Some(left) => left,
            None => match tell(engine, row, since).await {
                Ok(()) => {
                    told.insert(row.id.clone(), since);
                    continue;
                }
                Err(error) => {
                    tracing::warn!(session = %row.id, "a question that stays open was not told: {error}");
                    AGAIN
                }
            },
        };
        next = Some(next.map_or(left, |next| next.min(left)));
    }
    next
}

/// Tells the person, unless this question was told already.
async fn tell(engine: &Engine, row: &SessionRow, since: Timestamp) -> Result<(), ApiError> {
    let id = &row.id;
    let asked = notices::open(row).map(|(.., text)| text).unwrap_or_default();
    let store = engine.ledger.store();
    let notices = store.session_events(id, &[EventKind::Notice], LAST).await;
    let needs = serde_json::to_value(NoticeKind::NeedsInput).unwrap_or(Value::Null);
    let notices = notices.map_err(crate::state::error::store)?;
    if notices.iter().any(|told| {
        told.at >= since && told.payload["kind"] == needs && told.payload["text"] == first_line(asked)
    }) {
        return Ok(());
    }
    let write = engine.ledger.write(|draft| {
        let row = draft.session(id)?;
        match notices::open(row).filter(|(_, at, _)| *at == since) {
            Some((.., text)) => {
                let text = text.to_owned();
                notices::tell(draft, id, NoticeKind::NeedsInput, text)
            }
            None => Ok(()),
        }
    });
    write.await
}
