//! The news of workers for their conductor, in words and within a bound. Finds nothing out.

use crate::decide::exchanges;
use crate::decide::status::{self, TURN_OVER};
use crate::decide::stop::{self, Asked};
use crate::session::lines;
use crate::state::draft::Draft;
use downbeat_model::lines::first_line;
use downbeat_model::session::ReportStatus;
use downbeat_model::{EventKind, QuestionKind, Reason, ReasonKind, SessionId, Status};
use downbeat_store::{EventRow, SessionRow};
use downbeat_wire::report::WorkerReport;
use downbeat_wire::worker::{Stop, WorkerEvent, WorkerEventKind};
use serde::Deserialize;
use serde_json::Value;

/// The maximum number of bytes of news in one message, so that it does not become too long; the rest follows
/// in another.
const MAX_TOGETHER: usize = 48 * 1024;

/// Returns the news as text, worker by worker. The workers' own words are indented, so that no line of them
/// can be taken for ours, or for the person's.
pub(crate) fn text<'a>(news: impl Iterator<Item = &'a WorkerEvent>) -> String {
    let mut text = String::from("Worker updates (automatic, from Downbeat):\n");
    for event in news {
        text.push_str(&line(event));
        text.push('\n');
        if let Some(warning) = &event.warning {
            text.push_str(&format!("  {warning}\n"));
        }
    }
    text
}

/// Returns the line for one event.
fn line(event: &WorkerEvent) -> String {
    let name = &event.worker_name;
    let words = lines::set_in(&event.detail);
    match event.kind {
        WorkerEventKind::Reported => format!("- {name} reported its result: {words}"),
        WorkerEventKind::Checked => format!("- {name} was checked: {words}"),
        WorkerEventKind::Collides => format!("- {name} {words}"),
        WorkerEventKind::Asks => {
            format!("- {name} asks you and waits for your answer (send_to_worker): {words}")
        }
        WorkerEventKind::Finished if event.detail != TURN_OVER => {
            format!("- {name} ran its task and ended: {words}")
        }
        WorkerEventKind::Finished => match &event.answer {
            Some(answer) => {
                let looks = looks(event.stop);
                format!(
                    "- {name} finished its turn{looks} and said: {}",
                    lines::set_in(answer)
                )
            }
            None => format!("- {name} finished its turn and reported nothing; see get_worker_output"),
        },
        WorkerEventKind::Waiting if !asks(event) => format!("- {name} waits: {words}"),
        WorkerEventKind::Waiting if event.answer.is_some() => {
            let said = event.answer.as_deref().map(lines::set_in).unwrap_or_default();
            let looks = looks(event.stop);
            format!(
                "- {name} ended its turn with a question{looks} (send_to_worker answers it): {words}\n    It said: {said}"
            )
        }
        WorkerEventKind::Waiting => format!(
            "- {name} waits with a question on its screen (answer_worker, where the person allows it): {words}"
        ),
        WorkerEventKind::SetupFailed => format!("- {name} did not start, its set-up failed: {words}"),
        kind @ (WorkerEventKind::Paused
        | WorkerEventKind::Exited
        | WorkerEventKind::Killed
        | WorkerEventKind::Errored) => format!("- {name} {}: {words}", kind.as_str()),
    }
}

/// Returns what kind of stop an agent's own words look like, if they look like one that is answered in its own way.
fn looks(stop: Option<Stop>) -> &'static str {
    match stop {
        Some(Stop::Plan) => ", which looks like a plan to review,",
        Some(Stop::Complete) => ", which looks complete,",
        Some(Stop::Choice) => ", which looks like a choice,",
        Some(Stop::Confirmation) => ", which looks like yes or no,",
        _ => "",
    }
}

/// Returns how many of these events, from the first on, fit into one message.
pub(crate) fn fitting<'a>(news: impl Iterator<Item = &'a WorkerEvent>) -> usize {
    let mut bytes = 0;
    let fits = |event: &&WorkerEvent| {
        let fits = bytes < MAX_TOGETHER;
        bytes += line(event).len();
        fits
    };
    news.take_while(fits).count()
}

/// Reports whether a waiting worker waits with a question, which can be answered.
fn asks(event: &WorkerEvent) -> bool {
    event
        .reason
        .as_ref()
        .is_none_or(|reason| reason.kind == ReasonKind::Question)
}

/// The events of workers.
pub struct News {
    /// The events, each with its sequence number.
    pub events: Vec<(i64, WorkerEvent)>,
    /// The workers that were looked at.
    pub workers: Vec<SessionId>,
    /// The last event that was read: earlier ones that are not in `events` are not news.
    pub until: i64,
    /// Whether more events may follow.
    pub is_cut: bool,
}

/// Translates an event of a worker for its conductor; `None` if it is not news.
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
        EventKind::ChecksFinished if event.payload.get("verified") == Some(&Value::Bool(true)) => {
            let detail = said("detail");
            (
                WorkerEventKind::Checked,
                format!("{detail}; its report that it is done is verified"),
            )
        }
        EventKind::ChecksFinished => (WorkerEventKind::Checked, said("detail").to_owned()),
        EventKind::WorkerAsked => (WorkerEventKind::Asks, said("question").to_owned()),
        EventKind::WorkerReported => (WorkerEventKind::Reported, reported(event)?),
        EventKind::WorkersCollided => (WorkerEventKind::Collides, said("detail").to_owned()),
        _ => return None,
    };
    let in_prose = asked(event).is_some_and(|asked| asked.kind == QuestionKind::Asks);
    let has_answer = match kind {
        WorkerEventKind::Finished => true,
        WorkerEventKind::Waiting => in_prose,
        _ => false,
    };
    let answer = Some(said("answer")).filter(|answer| has_answer && !answer.is_empty());
    let reason = event.payload.get("reason");
    let reason = reason.and_then(|reason| Reason::deserialize(reason).ok());
    let text = match kind {
        WorkerEventKind::Asks => detail.as_str(),
        _ => answer.unwrap_or_default(),
    };
    let stop = stop_of(event, kind, reason.as_ref(), text);
    Some(WorkerEvent {
        session_id: row.id.clone(),
        worker_name: row.name.clone(),
        kind,
        stop,
        answer: answer.map(str::to_owned),
        detail,
        reason,
        warning: exchanges::warning(row),
        terminal_content: String::new(),
        timestamp: event.at,
    })
}

/// Returns what the session waits to be told, as it was stored with the event.
fn asked(event: &EventRow) -> Option<Asked> {
    Asked::deserialize(event.payload.get("asks")?).ok()
}

/// Returns what kind of stop an event is. `text` is the end of the agent's last answer, or its question to its conductor.
fn stop_of(event: &EventRow, kind: WorkerEventKind, reason: Option<&Reason>, text: &str) -> Option<Stop> {
    let report = event
        .payload
        .get("status")
        .filter(|_| kind == WorkerEventKind::Reported);
    stop::of(&stop::Known {
        event: kind,
        asked: asked(event).as_ref(),
        reason: reason.map(|reason| reason.kind),
        report: report.and_then(|status| ReportStatus::deserialize(status).ok()),
        is_done: event.payload.get("done") == Some(&Value::Bool(true)),
        text,
    })
}

/// Returns what a change of status is for a conductor; `None` if it is not news, or the worker's own report or question
/// covers it.
fn news(event: &EventRow) -> Option<WorkerEventKind> {
    let is = |field: &str| event.payload.get(field) == Some(&Value::Bool(true));
    let (from, to) = status::change(event)?;
    match to {
        Status::Idle => (from == Status::Running && !is("reported")).then_some(WorkerEventKind::Finished),
        Status::Waiting => (!is("asked")).then_some(WorkerEventKind::Waiting),
        // A one-shot session ran to its end.
        Status::Exited if is("done") => (!is("reported")).then_some(WorkerEventKind::Finished),
        // A session that is restarted or handed over is back in a moment, or its failure is reported.
        Status::Exited => (!is("goesOn")).then_some(WorkerEventKind::Exited),
        Status::Paused => Some(WorkerEventKind::Paused),
        Status::Killed => Some(WorkerEventKind::Killed),
        Status::Errored => Some(WorkerEventKind::Errored),
        Status::SetupFailed => Some(WorkerEventKind::SetupFailed),
        Status::Queued | Status::Spawning | Status::Running | Status::Unknown => None,
    }
}

/// Returns a report in words.
fn reported(event: &EventRow) -> Option<String> {
    let report: WorkerReport = serde_json::from_value(event.payload.clone()).ok()?;
    let files = match report.files.is_empty() {
        true => String::new(),
        false => format!("\nFiles: {}", report.files.join(", ")),
    };
    let summary = report.summary;
    Some(match event.payload.get("done").and_then(Value::as_str) {
        Some(done) => format!("{done}; it says: {summary}{files}"),
        None => format!("{}: {summary}{files}", report.status.as_str()),
    })
}

/// Returns the events that were not reported to the conductor meanwhile.
pub fn still<'a>(draft: &Draft, news: &'a News) -> impl Iterator<Item = &'a WorkerEvent> {
    let state = draft.state().clone();
    let events = news.events.iter().filter(move |(seq, event)| {
        let worker = state.sessions.get(&event.session_id);
        worker.is_some_and(|row| row.notified_through < *seq)
    });
    events.map(|(_, event)| event)
}

/// Records that everything about these workers was reported up to this event.
pub fn mark(draft: &mut Draft, workers: &[SessionId], until: i64) {
    for id in workers {
        let is_behind = draft
            .state()
            .sessions
            .get(id)
            .is_some_and(|row| row.notified_through < until);
        if is_behind && let Ok(row) = draft.session(id) {
            row.notified_through = until;
        }
    }
}

#[cfg(test)]
#[path = "news_tests.rs"]
mod tests;
