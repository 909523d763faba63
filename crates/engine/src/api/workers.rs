//! The tools between workers and conductors: a worker reports a result or asks a question, and a conductor waits
//! for such news. [`crate::effects::fleet::news`] decides what a waiting conductor receives.

use crate::api::{checks, reason, view};
use crate::decide;
use crate::decide::news::News;
use crate::decide::report::{MAX_TEXT, MAX_UNTOLD};
use crate::decide::{landing_order, mailbox, report};
use crate::effects::fleet::news;
use crate::facts::commits;
use crate::keepers::screen;
use crate::session::report as session_report;
use crate::state::context::Engine;
use crate::state::known::State;
use crate::state::requests::Effect;
use crate::state::{error, find};
use downbeat_model::session::{CheckedFor, LastReport, ReportStatus};
use downbeat_model::{EventKind, SessionId, Status};
use downbeat_store::SessionRow;
use downbeat_wire::report::{ReportResult, WorkerReport};
use downbeat_wire::session::Session;
use downbeat_wire::worker::{AskConductor, WaitForWorkers, WaitReport, WaitUntil, WorkerEvent};
use downbeat_wire::{ApiError, Caller, Code};
use jiff::Timestamp;
use serde_json::json;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::Instant;

/// Upper limit for the files of a report.
const MAX_FILES: usize = 200;

/// Upper limit for a path in a report, in bytes.
const MAX_PATH: usize = 1024;

/// Stores a worker's report.
pub async fn result(engine: &Engine, caller: &Caller, request: ReportResult) -> Result<Session, ApiError> {
    let _held = engine.recall_named(&request.id).await?;
    let id = reporter(engine, caller, &request.id)?;
    checked("summary", &request.summary)?;
    let files = request.files.unwrap_or_default();
    let too_long = files.iter().any(|file| file.len() > MAX_PATH);
    if files.len() > MAX_FILES || too_long {
        let what = format!("at most {MAX_FILES} files of {MAX_PATH} bytes each are taken");
        return Err(ApiError::invalid(what).hint("name those that matter"));
    }
    let is_behind = is_behind(engine, &id).await?;
    let (run, unchecked) = match request.status {
        // What comes first in a plan may be tests that are to fail: nobody is told to mend that.
        ReportStatus::Done if landing_order::is_unchecked(&engine.ledger.state(), &id) => (None, None),
        ReportStatus::Done => match checks::run_after_report(engine, &id).await? {
            Ok(run) => (Some(run), None),
            Err(why) => (None, Some(why)),
        },
        ReportStatus::Partial | ReportStatus::Blocked | ReportStatus::Failed => (None, None),
    };
    // An earlier result may be of an earlier commit.
    let head = commits::head(engine, &*engine.row(&id)?).await;
    engine
        .ledger
        .write(|draft| {
            let report = WorkerReport {
                status: request.status,
                summary: request.summary.trim().to_owned(),
                files,
                at: draft.now(),
            };
            let mut payload = json!(report);
            let now = draft.now();
            let row = draft.session(&id)?;
            let fresh = !row.status.is_ended();
            // The same report twice in one turn: the bridge repeats a request whose answer was lost.
            let same = |old: &LastReport| old.fresh && report::is_same(&old.report, &report);
            let is_news = !row.result.as_ref().is_some_and(same);
            row.result = Some(LastReport {
                report,
                fresh,
                unchecked,
            });
            row.checks.head = head;
            row.last_activity_at = now;
            if let Some(run) = run {
                decide::checks::request(draft, &id, run, CheckedFor::Report)?;
            }
            payload["done"] = json!(session_report::done(draft.session(&id)?).map(|done| done.text));
            // The full report is stored once, so a worker that repeats itself does not fill the disk.
            let (kind, payload) = match is_news && !is_behind {
                true => (EventKind::WorkerReported, payload),
                false => (EventKind::SessionChanged, json!({})),
            };
            draft.session_event(&id, kind, payload);
            draft.effect(Effect::Session(id.clone()));
            Ok(())
        })
        .await?;
    shown(engine, &id)
}

/// Whether the conductor has so many unread reports of this worker that no further one is accepted.
async fn is_behind(engine: &Engine, id: &SessionId) -> Result<bool, ApiError> {
    let said = [EventKind::WorkerReported, EventKind::WorkerAsked];
    let told = engine.row(id)?.notified_through;
    let untold = engine.ledger.store().count_events(id, &said, told).await;
    Ok(untold.map_err(error::store)? >= MAX_UNTOLD)
}

/// Stores a worker's question, which opens when its turn ends.
pub async fn ask(engine: &Engine, caller: &Caller, request: AskConductor) -> Result<Session, ApiError> {
    let _held = engine.recall_named(&request.id).await?;
    let id = worker(engine, caller, &request.id)?;
    checked("question", &request.question)?;
    let text = request.question.trim().to_owned();
    if is_behind(engine, &id).await? {
        let what =
            format!("your conductor has not received your last {MAX_UNTOLD} reports and questions yet");
        return Err(ApiError::new(Code::Conflict, what).hint("end your turn: it receives them then"));
    }
    engine
        .ledger
        .write(|draft| report::note(draft, &id, text))
        .await?;
    shown(engine, &id)
}

/// Finds the worker of that name, whose conductor or whose plan waits for what it reports.
fn reporter(engine: &Engine, caller: &Caller, name: &str) -> Result<SessionId, ApiError> {
    let row = itself(engine, caller, name)?;
    match landing_order::share_of(&engine.ledger.state(), &row.id) {
        Some(_) => Ok(row.id.clone()),
        None => worker(engine, caller, name),
    }
}

/// Finds the session of that name. Fails if the caller is another one.
fn itself(engine: &Engine, caller: &Caller, name: &str) -> Result<Arc<SessionRow>, ApiError> {
    let row = find::session(&engine.ledger.state(), caller, name)?;
    if matches!(caller, Caller::Session(id) if *id != row.id) {
        return Err(ApiError::new(
            Code::Forbidden,
            format!("only {} itself can report and ask", row.name),
        ));
    }
    Ok(row)
}

/// Finds the worker of that name. Fails if the caller is another session, or if the worker has no conductor.
fn worker(engine: &Engine, caller: &Caller, name: &str) -> Result<SessionId, ApiError> {
    let row = itself(engine, caller, name)?;
    match row.parent {
        Some(_) => Ok(row.id.clone()),
        None => Err(
            ApiError::new(Code::Conflict, format!("{} has no conductor", row.name))
                .hint("say it at the end of your turn: the person reads it"),
        ),
    }
}

fn checked(what: &str, text: &str) -> Result<(), ApiError> {
    if text.trim().is_empty() {
        return Err(ApiError::invalid(format!("{what}: it is empty")));
    }
    if text.len() > MAX_TEXT {
        let message = format!(
            "{what}: it is {} bytes long; at most {MAX_TEXT} are taken",
            text.len()
        );
        return Err(ApiError::invalid(message).hint("write it to a file in the workspace and name the file"));
    }
    Ok(())
}

fn shown(engine: &Engine, id: &SessionId) -> Result<Session, ApiError> {
    let row = engine.row(id)?;
    Ok(view::session(&engine.ledger.state(), &row))
}

/// Upper limit for a wait, in seconds.
const LONGEST: u32 = 3600;

/// Default wait, in seconds: less than the minute after which many tool clients give up.
const DEFAULT: u32 = 45;

/// Lines of a worker's terminal that are returned with its news.
const TERMINAL: u32 = 20;

/// Time limit for reading those lines, so that a keeper that hangs does not delay the news.
const LOOK: Duration = Duration::from_secs(1);

/// Waits until one of the named workers has news, or until the timeout.
pub async fn wait(
    engine: &Engine,
    caller: &Caller,
    request: &WaitForWorkers,
) -> Result<WaitReport, ApiError> {
    let seconds = request.timeout_seconds.unwrap_or(DEFAULT).min(LONGEST);
    let until = Instant::now() + Duration::from_secs(seconds.into());
    let mut changes = engine.ledger.changes();
    let conductor = engine.find(caller, &request.id).await?;
    // A named worker may be archived; without names, all workers are waited for.
    let _workers = engine.recall_family(&conductor.id).await?;
    let _told_here = engine.runtimes.of(&conductor.id).begin_wait();
    loop {
        let state = engine.ledger.state();
        let conductor = find::session(&state, caller, &request.id)?;
        let workers = chosen(&state, caller, &conductor.id, request.workers.as_deref())?;
        let news = news::fresh(engine, &conductor.id, &workers).await?;
        let is_any = request.until.unwrap_or_default() == WaitUntil::Any;
        let busy = workers.iter().any(|row| is_busy(&state, row));
        let over = match is_any {
            true => !news.events.is_empty() || workers.is_empty(),
            false => !busy,
        };
        let timed_out = !over && Instant::now() >= until;
        if over || timed_out {
            // The slow part comes first: a client that gives up during it misses nothing. An answer that is
            // lost on its way is returned again only to a repeat under the same key.
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
            let report = news::hand_out(engine, news, report).await?;
            if is_any && some && report.events.is_empty() && !timed_out {
                // Another wait has taken this news.
                continue;
            }
            return Ok(report);
        }
        // A lag, a closed stream or the deadline: check again in each case.
        while let Ok(Ok(event)) = tokio::time::timeout_at(until, changes.recv()).await {
            let own = workers.iter().any(|row| event.subject.session() == Some(&row.id));
            if may_be_news(event.kind) && (own || event.kind == EventKind::SessionCreated) {
                break;
            }
        }
    }
}

/// Whether a worker has something to do. One that has not yet taken its task or a message has not begun.
fn is_busy(state: &State, row: &SessionRow) -> bool {
    matches!(row.status, Status::Running | Status::Spawning | Status::Queued)
        || (row.status == Status::Idle && mailbox::has_open(state, &row.id))
}

/// Whether an event of a worker may be news for its conductor, or may mean that the worker is not busy any more.
fn may_be_news(kind: EventKind) -> bool {
    matches!(
        kind,
        EventKind::SessionStatus
            | EventKind::SessionChanged
            | EventKind::SessionCreated
            | EventKind::WorkerReported
            | EventKind::ChecksFinished
            | EventKind::WorkerAsked
            | EventKind::WorkersCollided
            | EventKind::MessageChanged
            | EventKind::MessageSent
    )
}

/// Reads the terminals of the workers that have news, concurrently.
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
                news::drawn(&engine, &id, told).await;
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

/// Returns the last lines of a worker's terminal; nothing if it has no terminal.
async fn terminal(engine: &Engine, id: &SessionId) -> String {
    let Ok(row) = engine.row(id) else {
        return String::new();
    };
    let shown = screen::screen(engine, &row, TERMINAL).await;
    shown.map(|shown| shown.text).unwrap_or_default()
}

fn chosen(
    state: &crate::state::known::State,
    caller: &Caller,
    conductor: &SessionId,
    names: Option<&[String]>,
) -> Result<Vec<Arc<SessionRow>>, ApiError> {
    match names {
        Some(names) if !names.is_empty() => names
            .iter()
            .map(|name| find::session(state, caller, name))
            .collect(),
        _ => Ok(state
            .sessions
            .values()
            .filter(|row| row.parent.as_ref() == Some(conductor))
            .cloned()
            .collect()),
    }
}
