//! Waiting for workers: hands each thing that happened to a conductor once. What was handed out is
//! noted per worker, so a wait for some workers loses nothing of the others.

use crate::engine::Engine;
use crate::idempotency::Effect;
use crate::ledger::Draft;
use crate::{lookup, messages, output, reason};
use downbeat_model::lines::first_line;
use downbeat_model::{EventKind, Reason, SessionId, Status};
use downbeat_store::{EventRow, SessionRow};
use downbeat_wire::worker::{WaitForWorkers, WaitReport, WaitUntil, WorkerEvent, WorkerReport};
use downbeat_wire::{ApiError, Caller};
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::Instant;

/// Longest wait, in seconds.
const LONGEST: u32 = 3600;

/// Default wait, in seconds: below the minute after which many tool clients give up.
const DEFAULT: u32 = 45;

/// Lines of a worker's terminal that come with what happened to it.
const TERMINAL: u32 = 20;

/// How long a worker's keeper may take to tell them: what happened is not held up by one that hangs.
const LOOK: Duration = Duration::from_secs(1);

/// Events that are looked through, and told, at once; the others follow. Bounds what of them is in
/// memory, and what one message to a conductor tells.
const PAGE: u32 = 50;

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
        let news = fresh(engine, &conductor.id, &workers).await?;
        let is_any = request.until.unwrap_or_default() == WaitUntil::Any;
        // One that is up and has not taken its task yet, or a message, has not begun.
        let busy = workers.iter().any(|row| {
            matches!(row.status, Status::Running | Status::Spawning | Status::Queued)
                || (row.status == Status::Idle && messages::has_open(&state, &row.id))
        });
        let over = match is_any {
            true => !news.events.is_empty() || workers.is_empty(),
            false => !busy,
        };
        let timed_out = !over && Instant::now() >= until;
        if over || timed_out {
            // What takes its time comes first: who gives up until then misses nothing. An answer that
            // is lost on its way back is handed out again to a repeat under the same key, to nobody else.
            let (some, screens) = (!news.events.is_empty(), terminals(engine, &news).await);
            let report = |mut events: Vec<WorkerEvent>| {
                for event in &mut events {
                    event.terminal_content = screens.get(&event.session_id).cloned().unwrap_or_default();
                }
                WaitReport {
                    events,
                    timed_out,
                    workers: workers
                        .iter()
                        .map(|row| reason::status(engine, &state, row))
                        .collect(),
                }
            };
            let report = hand_out(engine, news, report).await?;
            if is_any && some && report.events.is_empty() && !timed_out {
                // Another wait was first.
                continue;
            }
            return Ok(report);
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
                    | EventKind::MessageChanged
                    | EventKind::MessageSent
            );
            if status && (own || event.kind == EventKind::SessionCreated) {
                break;
            }
        }
    }
}

/// How long a screen may take to be drawn after what its agent told: some tell first.
const DRAWN: Duration = Duration::from_secs(2);

/// What the terminals of those that there is news of show, asked side by side.
async fn terminals(engine: &Engine, news: &News) -> BTreeMap<SessionId, String> {
    let mut looks = JoinSet::new();
    let ids: BTreeMap<&SessionId, Timestamp> = news
        .events
        .iter()
        .map(|(_, event)| (&event.session_id, event.timestamp))
        .collect();
    for (id, told) in ids {
        if let Some(engine) = engine.shared() {
            let id = id.clone();
            looks.spawn(async move {
                drawn(&engine, &id, told).await;
                let shown = tokio::time::timeout(LOOK, terminal(&engine, &id)).await;
                (id, shown.unwrap_or_default())
            });
        }
    }
    let mut shown = BTreeMap::new();
    while let Some(look) = looks.join_next().await {
        shown.extend(look.ok());
    }
    shown
}

/// Waits until the screen of a worker came to rest after `told`, for a moment at most.
async fn drawn(engine: &Engine, id: &SessionId, told: Timestamp) {
    let live = engine.runtimes.of(id);
    if live.link().is_none() {
        return;
    }
    let mut settled = live.settled();
    let age = Duration::try_from(Timestamp::now().duration_since(told)).unwrap_or_default();
    let rests = settled.wait_for(|at| at.is_some_and(|at| at > told));
    // One that draws on, or drew all before, is shown as it is.
    let _ = tokio::time::timeout(DRAWN.saturating_sub(age), rests).await;
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

/// What happened among workers.
pub struct News {
    /// Each with its sequence number.
    pub events: Vec<(i64, WorkerEvent)>,
    /// The workers that were looked at.
    pub workers: Vec<SessionId>,
    /// The last event that was: what came until then and is not in `events` is no news.
    pub until: i64,
    /// Whether more may have come behind it.
    pub is_cut: bool,
}

/// What happened to these workers that their conductor was not told yet: the first of it.
async fn fresh(
    engine: &Engine,
    conductor: &SessionId,
    workers: &[Arc<SessionRow>],
) -> Result<News, ApiError> {
    let mut news = News {
        events: Vec::new(),
        workers: workers.iter().map(|row| row.id.clone()).collect(),
        until: workers.iter().map(|row| row.told).min().unwrap_or(i64::MAX),
        is_cut: !workers.is_empty(),
    };
    while news.is_cut && news.events.is_empty() {
        let store = engine.ledger.store();
        let events = store.worker_events(conductor, news.until, PAGE).await;
        let events = events.map_err(crate::error::store)?;
        let fresh = events.iter().filter_map(|event| {
            let row = workers
                .iter()
                .find(|row| event.session_id.as_ref() == Some(&row.id))?;
            (event.seq > row.told)
                .then(|| translate(event, row))
                .flatten()
                .map(|said| (event.seq, said))
        });
        news.events = fresh.collect();
        news.is_cut = events.len() == PAGE as usize;
        news.until = events.last().map_or(news.until, |event| event.seq);
        if news.is_cut && news.events.is_empty() {
            // Never to be looked through again.
            pass(engine, &news).await?;
        }
    }
    Ok(news)
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
        EventKind::SessionStatus => {
            let is_answer = event.payload.get("done") == Some(&Value::Bool(true));
            let detail = said("detail").trim();
            (
                news(event)?,
                if is_answer { detail } else { first_line(detail) }.to_owned(),
            )
        }
        EventKind::WorkerAsked => ("asks", said("question").to_owned()),
        EventKind::WorkerReported => ("reported", reported(event)?),
        _ => return None,
    };
    Some(WorkerEvent {
        session_id: row.id.clone(),
        worker_name: row.name.clone(),
        kind: kind.to_owned(),
        detail,
        answer: Some(said("answer").to_owned()).filter(|answer| kind == "finished" && !answer.is_empty()),
        reason: event
            .payload
            .get("reason")
            .and_then(|reason| Reason::deserialize(reason).ok()),
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
        // It ran one prompt, to its end.
        (_, "exited") if is("done") => (!is("reported")).then_some("finished"),
        // One that is restarted or handed over is back in a moment, or its failure is told.
        (_, "exited") if !is("goesOn") => Some("exited"),
        (_, "paused") => Some("paused"),
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

/// Notes what is handed out, with the `report` of what nobody else handed out meanwhile, and gives that.
async fn hand_out(
    engine: &Engine,
    news: News,
    report: impl FnOnce(Vec<WorkerEvent>) -> WaitReport,
) -> Result<WaitReport, ApiError> {
    if news.events.is_empty() {
        return Ok(report(Vec::new()));
    }
    let write = engine.ledger.write(|draft| {
        let report = report(still(draft, &news).cloned().collect());
        mark(draft, &news.workers, news.until);
        if !report.events.is_empty() {
            draft.effect(Effect::Answer(json!(report)));
        }
        Ok(report)
    });
    write.await
}

/// Those of the news that nobody was told of meanwhile.
pub fn still<'a>(draft: &Draft, news: &'a News) -> impl Iterator<Item = &'a WorkerEvent> {
    let state = draft.state().clone();
    let events = news.events.iter().filter(move |(seq, event)| {
        let worker = state.sessions.get(&event.session_id);
        worker.is_some_and(|row| row.told < *seq)
    });
    events.map(|(_, event)| event)
}

/// Notes that what came was no news.
pub async fn pass(engine: &Engine, news: &News) -> Result<(), ApiError> {
    let write = engine.ledger.write(|draft| {
        mark(draft, &news.workers, news.until);
        Ok(())
    });
    write.await
}

/// Notes that everything about these workers was told, up to this event.
pub fn mark(draft: &mut Draft, workers: &[SessionId], until: i64) {
    for id in workers {
        let is_behind = draft.state().sessions.get(id).is_some_and(|row| row.told < until);
        if is_behind && let Ok(row) = draft.session(id) {
            row.told = until;
        }
    }
}

/// What happened among a conductor's direct workers that it was not told yet.
pub async fn untold(engine: &Engine, conductor: &SessionId) -> Result<News, ApiError> {
    let state = engine.ledger.state();
    let workers = state.sessions.values();
    let workers: Vec<_> = workers
        .filter(|row| row.parent.as_ref() == Some(conductor))
        .cloned()
        .collect();
    fresh(engine, conductor, &workers).await
}
