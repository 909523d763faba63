//! Waiting for workers: hands each thing that happened to a conductor once. What was handed out is
//! noted per worker, so a wait for some workers loses nothing of the others.

use crate::engine::Engine;
use crate::ledger::Draft;
use crate::transition::first_line;
use crate::{lookup, messages, output, view};
use downbeat_model::{EventKind, SessionId, Status};
use downbeat_store::{EventRow, SessionRow};
use downbeat_wire::worker::{WaitForWorkers, WaitReport, WaitUntil, WorkerEvent, WorkerReport};
use downbeat_wire::{ApiError, Caller};
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// Longest wait, in seconds.
const LONGEST: u32 = 3600;

/// Default wait, in seconds: below the minute after which many tool clients give up.
const DEFAULT: u32 = 45;

/// Lines of a worker's terminal that come with what happened to it.
const TERMINAL: u32 = 20;

/// Waits as asked.
pub async fn wait(
    engine: &Engine,
    caller: &Caller,
    request: &WaitForWorkers,
) -> Result<WaitReport, ApiError> {
    let seconds = request.timeout_seconds.unwrap_or(DEFAULT).min(LONGEST);
    let until = Instant::now() + Duration::from_secs(seconds.into());
    let mut changes = engine.ledger.changes();
    let conductor = lookup::session(&engine.ledger.state(), caller, &request.id)?;
    let _told_here = engine.runtimes.of(&conductor.id).begin_wait();
    loop {
        let state = engine.ledger.state();
        let conductor = lookup::session(&state, caller, &request.id)?;
        let workers = chosen(&state, caller, &conductor.id, request.workers.as_deref())?;
        let events = fresh(engine, &conductor.id, &workers).await?;
        // One that is up and has not taken its task yet, or a message, has not begun.
        let busy = workers.iter().any(|row| {
            matches!(row.status, Status::Running | Status::Spawning | Status::Queued)
                || (row.status == Status::Idle && messages::has_open(&state, &row.id))
        });
        let over = match request.until.unwrap_or_default() {
            WaitUntil::Any => !events.is_empty() || workers.is_empty(),
            WaitUntil::All => !busy,
        };
        let timed_out = !over && Instant::now() >= until;
        if over || timed_out {
            let events = told(engine, events).await?;
            let mut events: Vec<_> = events.into_iter().map(|(_, event)| event).collect();
            for event in &mut events {
                event.terminal_content = terminal(engine, &event.session_id).await;
            }
            return Ok(WaitReport {
                events,
                timed_out,
                workers: workers.iter().map(|row| view::status(row)).collect(),
            });
        }
        // A lag, a closed stream or the deadline: each only means to look again.
        while let Ok(Ok(event)) = tokio::time::timeout_at(until, changes.recv()).await {
            let own = workers
                .iter()
                .any(|row| event.session_id.as_ref() == Some(&row.id));
            let status = matches!(
                event.kind,
                EventKind::SessionStatus
                    | EventKind::SessionChanged
                    | EventKind::SessionCreated
                    | EventKind::WorkerReported
                    | EventKind::WorkerAsked
            );
            if status && (own || event.kind == EventKind::SessionCreated) {
                break;
            }
        }
    }
}

/// The last lines of a worker's terminal, as far as there is one.
async fn terminal(engine: &Engine, id: &SessionId) -> String {
    let Ok(row) = engine.row(id) else {
        return String::new();
    };
    let shown = output::screen(engine, &row, TERMINAL).await;
    shown.map(|shown| shown.text).unwrap_or_default()
}

fn chosen(
    state: &crate::ledger::State,
    caller: &Caller,
    conductor: &SessionId,
    names: Option<&[String]>,
) -> Result<Vec<Arc<SessionRow>>, ApiError> {
    match names {
        Some(names) if !names.is_empty() => names
            .iter()
            .map(|name| lookup::session(state, caller, name))
            .collect(),
        _ => Ok(state
            .sessions
            .values()
            .filter(|row| row.parent.as_ref() == Some(conductor))
            .cloned()
            .collect()),
    }
}

/// What happened to these workers that their conductor was not told yet, with its sequence number.
async fn fresh(
    engine: &Engine,
    conductor: &SessionId,
    workers: &[Arc<SessionRow>],
) -> Result<Vec<(i64, WorkerEvent)>, ApiError> {
    let Some(after) = workers.iter().map(|row| row.told).min() else {
        return Ok(Vec::new());
    };
    let events = engine
        .ledger
        .store()
        .worker_events(conductor, after)
        .await
        .map_err(crate::error::store)?;
    let fresh = events.iter().filter_map(|event| {
        let row = workers
            .iter()
            .find(|row| event.session_id.as_ref() == Some(&row.id))?;
        (event.seq > row.told)
            .then(|| translate(event, row))
            .flatten()
            .map(|said| (event.seq, said))
    });
    Ok(fresh.collect())
}

/// What an event about a worker says to its conductor; `None` where it is no news.
pub fn translate(event: &EventRow, row: &SessionRow) -> Option<WorkerEvent> {
    let said = |field: &str| {
        event
            .payload
            .get(field)
            .and_then(Value::as_str)
            .unwrap_or_default()
    };
    let (kind, detail) = match event.kind {
        EventKind::SessionStatus => (news(event)?, first_line(said("detail")).to_owned()),
        EventKind::WorkerAsked => ("asks", said("question").to_owned()),
        EventKind::WorkerReported => ("reported", reported(event)?),
        _ => return None,
    };
    Some(WorkerEvent {
        session_id: row.id.clone(),
        worker_name: row.name.clone(),
        kind: kind.to_owned(),
        detail,
        terminal_content: String::new(),
        timestamp: event.at,
    })
}

/// The word for a change of status. What the worker itself said is told by that.
fn news(event: &EventRow) -> Option<&'static str> {
    let word = |field: &str| event.payload.get(field).and_then(Value::as_str);
    let is = |field: &str| event.payload.get(field) == Some(&Value::Bool(true));
    match (word("from")?, word("to")?) {
        ("running", "idle") if !is("reported") => Some("finished"),
        (_, "waiting") if !is("asked") => Some("waiting"),
        (_, "exited") => Some("exited"),
        (_, "killed") => Some("killed"),
        (_, "errored") => Some("errored"),
        (_, "setup_failed") => Some("setup_failed"),
        _ => None,
    }
}

/// A report in words.
fn reported(event: &EventRow) -> Option<String> {
    let report: WorkerReport = serde_json::from_value(event.payload.clone()).ok()?;
    let files = match report.files.is_empty() {
        true => String::new(),
        false => format!("\nFiles: {}", report.files.join(", ")),
    };
    Some(format!("{}: {}{files}", report.status.as_str(), report.summary))
}

/// Notes what is handed out, and gives what nobody else handed out meanwhile.
async fn told(engine: &Engine, events: Vec<(i64, WorkerEvent)>) -> Result<Vec<(i64, WorkerEvent)>, ApiError> {
    if events.is_empty() {
        return Ok(events);
    }
    let write = engine.ledger.write(move |draft| {
        let is_news = |(seq, event): &(i64, WorkerEvent)| {
            let worker = draft.state().sessions.get(&event.session_id);
            worker.is_some_and(|row| row.told < *seq)
        };
        let news: Vec<_> = events.into_iter().filter(|event| is_news(event)).collect();
        mark_told(draft, &news)?;
        Ok(news)
    });
    write.await
}

/// Notes that these were handed out.
pub fn mark_told(draft: &mut Draft, events: &[(i64, WorkerEvent)]) -> Result<(), ApiError> {
    for (seq, event) in events {
        let row = draft.session(&event.session_id)?;
        row.told = row.told.max(*seq);
    }
    Ok(())
}

/// What happened among a conductor's direct workers that it was not told yet.
pub async fn untold(engine: &Engine, conductor: &SessionId) -> Result<Vec<(i64, WorkerEvent)>, ApiError> {
    let state = engine.ledger.state();
    let workers = state.sessions.values();
    let workers: Vec<_> = workers
        .filter(|row| row.parent.as_ref() == Some(conductor))
        .cloned()
        .collect();
    fresh(engine, conductor, &workers).await
}
