//! What a worker says to its conductor through its own tools: what came of its task, and what it
//! cannot decide. Written down here; [`crate::wait`] hands it out.

use crate::engine::Engine;
use crate::idempotency::Effect;
use crate::ledger::Draft;
use crate::lineage::Lineage;
use crate::{error, once, transition, view};
use downbeat_model::{About, EventKind, EvidenceSource, Fact, FactKind, Question, QuestionKind, SessionId};
use downbeat_store::SessionRow;
use downbeat_wire::session::Session;
use downbeat_wire::worker::{AskConductor, ReportResult, WorkerReport};
use downbeat_wire::{ApiError, Caller, Code};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Longest summary and longest question, in bytes: a page or two, which a conductor has to read.
const MAX_TEXT: usize = 16 * 1024;

/// Most files of a report.
const MAX_FILES: usize = 200;

/// Longest path of a report, in bytes.
const MAX_PATH: usize = 1024;

/// What one worker may have said that its conductor was not told yet. Of further reports only the last
/// one is kept; further questions are refused.
const MAX_UNTOLD: u32 = 50;

/// The evidence of a question that was asked through the tool.
pub const ASKED: &str = "ask_conductor tool";

/// As it is stored.
#[derive(Serialize, Deserialize)]
struct Stored {
    #[serde(flatten)]
    report: WorkerReport,
    /// Whether the turn that it was made in goes on: its end is then no news of its own.
    #[serde(default)]
    fresh: bool,
}

/// The report of a session.
pub fn of(row: &SessionRow) -> Option<WorkerReport> {
    stored(row).map(|stored| stored.report)
}

/// Whether a session reported in the turn that it is in.
pub fn is_fresh(row: &SessionRow) -> bool {
    stored(row).is_some_and(|stored| stored.fresh)
}

/// A new turn begins: what is reported from now on is news again.
pub fn turn_started(row: &mut SessionRow) {
    if let Some(stored) = stored(row).filter(|stored| stored.fresh) {
        row.result = json!(Stored {
            fresh: false,
            ..stored
        });
    }
}

fn stored(row: &SessionRow) -> Option<Stored> {
    serde_json::from_value(row.result.clone()).ok()
}

/// Notes a report.
pub async fn result(engine: &Engine, caller: &Caller, request: ReportResult) -> Result<Session, ApiError> {
    let id = worker(engine, caller, &request.id)?;
    checked("summary", &request.summary)?;
    let files = request.files.unwrap_or_default();
    let too_long = files.iter().any(|file| file.len() > MAX_PATH);
    if files.len() > MAX_FILES || too_long {
        let what = format!("at most {MAX_FILES} files of {MAX_PATH} bytes each are taken");
        return Err(ApiError::invalid(what).hint("name those that matter"));
    }
    let is_behind = is_behind(engine, &id).await?;
    engine
        .ledger
        .write(|draft| {
            let report = WorkerReport {
                status: request.status,
                summary: request.summary.trim().to_owned(),
                files,
                at: draft.now(),
            };
            let payload = json!(report);
            let now = draft.now();
            let row = draft.session(&id)?;
            let fresh = !row.status.is_ended();
            // Said twice in one turn: its bridge asks again where an answer was lost.
            let same = |old: &Stored| old.fresh && is_same(&old.report, &report);
            let is_news = !stored(row).as_ref().is_some_and(same);
            row.result = json!(Stored { report, fresh });
            row.last_activity_at = now;
            // The whole report is written down once: a worker that repeats itself fills no disk.
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

fn is_same(one: &WorkerReport, other: &WorkerReport) -> bool {
    (one.status, &one.summary, &one.files) == (other.status, &other.summary, &other.files)
}

/// Whether its conductor has so much to read from it already that nothing is added.
async fn is_behind(engine: &Engine, id: &SessionId) -> Result<bool, ApiError> {
    let said = [EventKind::WorkerReported, EventKind::WorkerAsked];
    let told = engine.row(id)?.told;
    let untold = engine.ledger.store().count_events(id, &said, told).await;
    Ok(untold.map_err(error::store)? >= MAX_UNTOLD)
}

/// Notes a question, which opens when the worker's turn ends.
pub async fn ask(engine: &Engine, caller: &Caller, request: AskConductor) -> Result<Session, ApiError> {
    let id = worker(engine, caller, &request.id)?;
    checked("question", &request.question)?;
    let text = request.question.trim().to_owned();
    if is_behind(engine, &id).await? {
        let what = format!("your conductor was not told of the last {MAX_UNTOLD} things that you said yet");
        return Err(ApiError::new(Code::Conflict, what).hint("end your turn: it is told then"));
    }
    engine.ledger.write(|draft| note(draft, &id, text)).await?;
    shown(engine, &id)
}

fn note(draft: &mut Draft, id: &SessionId, text: String) -> Result<(), ApiError> {
    let row = draft.session(id)?;
    if once::is(row) {
        let what = format!("{} runs one prompt: nobody can answer it", row.name);
        return Err(ApiError::new(Code::Conflict, what).hint("decide it yourself, and say so in your report"));
    }
    if !row.status.is_live() {
        let what = format!(
            "{} is {}: nobody waits for an answer",
            row.name,
            row.status.as_str()
        );
        return Err(ApiError::new(Code::Conflict, what));
    }
    let question = Question {
        kind: QuestionKind::Asks,
        text: text.clone(),
        options: Vec::new(),
    };
    let fact = Fact {
        at: draft.now(),
        source: EvidenceSource::Engine,
        detail: ASKED.into(),
        kind: FactKind::Left(question),
        about: About::default(),
    };
    draft.session_event(id, EventKind::WorkerAsked, json!({ "question": text }));
    draft.effect(Effect::Session(id.clone()));
    transition::observe(draft, id, &fact)
}

/// The worker that is meant, which has a conductor to tell.
fn worker(engine: &Engine, caller: &Caller, name: &str) -> Result<SessionId, ApiError> {
    let row = crate::lookup::session(&engine.ledger.state(), caller, name)?;
    if matches!(caller, Caller::Session(id) if *id != row.id) {
        return Err(ApiError::new(
            Code::Forbidden,
            format!("only {} itself reports and asks for itself", row.name),
        ));
    }
    match row.parent {
        Some(_) => Ok(row.id.clone()),
        None => Err(
            ApiError::new(Code::Conflict, format!("{} has no conductor", row.name))
                .hint("say it at the end of the turn: the person reads it"),
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

/// What a change of status adds for whoever tells a conductor of it.
pub fn marks(row: &SessionRow) -> Value {
    let goes_on = Lineage::of(row).then.is_some();
    json!({
        "reported": is_fresh(row),
        "asked": row.status_evidence.detail == ASKED,
        "goesOn": goes_on,
        "done": once::is_done(row),
    })
}
