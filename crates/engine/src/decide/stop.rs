//! Decides what kind of stop an event of a worker is, as a hint to its conductor: what the agent asked, how it reported and how it
//! ended decide first, and only then the form of its answer. Nothing else may follow from it: status, checks, merges and budgets are
//! decided by facts alone.

use downbeat_agents::{asks_to_act, question_in_answer};
use downbeat_model::session::ReportStatus;
use downbeat_model::{OpenQuestion, QuestionKind, ReasonKind};
use downbeat_wire::worker::{Stop, WorkerEventKind};
use serde::{Deserialize, Serialize};

/// What a session waits to be told, as it is stored with the event of its stop.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Asked {
    /// The kind of the question.
    pub kind: QuestionKind,
    /// The answers that it offers.
    pub options: Vec<String>,
    /// Whether the agent asks to act on its plan.
    pub is_plan: bool,
}

impl Asked {
    /// Returns what is stored of an open question.
    pub fn of(open: &OpenQuestion) -> Self {
        Self {
            kind: open.question.kind,
            options: open.question.options.clone(),
            is_plan: asks_to_act(open),
        }
    }
}

/// The facts of an event.
#[derive(Debug, Clone, Copy)]
pub struct Known<'a> {
    /// The kind of the event.
    pub event: WorkerEventKind,
    /// The open question.
    pub asked: Option<&'a Asked>,
    /// Why the session is not working.
    pub reason: Option<ReasonKind>,
    /// The status of its report.
    pub report: Option<ReportStatus>,
    /// Whether a one-shot session ran to its end.
    pub is_done: bool,
    /// The end of its last answer, or the question to its conductor.
    pub text: &'a str,
}

/// Returns what kind of stop an event is; `None` if the session did not stop.
pub fn of(known: &Known<'_>) -> Option<Stop> {
    Some(match known.event {
        WorkerEventKind::Reported => match known.report? {
            ReportStatus::Done => Stop::Complete,
            ReportStatus::Partial => Stop::TurnEnded,
            ReportStatus::Blocked | ReportStatus::Failed => Stop::Error,
        },
        WorkerEventKind::Asks => in_prose(known.text, &options(known.text)),
        WorkerEventKind::Waiting => match (known.asked, known.reason) {
            (Some(asked), _) => of_question(asked, known.text),
            (None, Some(ReasonKind::Question)) => Stop::Question,
            (None, Some(ReasonKind::Limit | ReasonKind::Retrying | ReasonKind::Paused)) => Stop::Held,
            (None, _) => Stop::Error,
        },
        WorkerEventKind::Finished if known.is_done => Stop::Complete,
        WorkerEventKind::Finished => of_answer(known.text),
        WorkerEventKind::Errored | WorkerEventKind::SetupFailed => Stop::Error,
        WorkerEventKind::Paused => Stop::Held,
        WorkerEventKind::Exited | WorkerEventKind::Killed => Stop::Ended,
        WorkerEventKind::Checked | WorkerEventKind::Collides => return None,
    })
}

fn of_question(asked: &Asked, answer: &str) -> Stop {
    match asked.kind {
        _ if asked.is_plan => Stop::Plan,
        QuestionKind::Permission | QuestionKind::Trust => Stop::Confirmation,
        QuestionKind::Blocked => Stop::Error,
        QuestionKind::Choice => Stop::Choice,
        QuestionKind::Asks => in_prose(answer, &asked.options),
    }
}

/// Returns the answers that a text offers.
fn options(text: &str) -> Vec<String> {
    question_in_answer(text).map_or_else(Vec::new, |question| question.options)
}

/// Returns the kind of a question in prose, by the answers that it offers.
fn in_prose(answer: &str, options: &[String]) -> Stop {
    let is_yes_or_no = *options == ["Yes", "No"];
    match is_yes_or_no {
        true if shows_plan(answer) => Stop::Plan,
        true => Stop::Confirmation,
        false if options.is_empty() => Stop::Question,
        false => Stop::Choice,
    }
}

/// Returns the kind of a turn that ended with this answer, and without a question.
fn of_answer(answer: &str) -> Stop {
    if says_complete(answer) {
        Stop::Complete
    } else if shows_plan(answer) {
        Stop::Plan
    } else {
        Stop::TurnEnded
    }
}

/// Words of a heading over something to be reviewed.
const REVIEWED: [&str; 5] = ["plan", "spec", "specification", "design", "proposal"];

/// The maximum number of words of a line that introduces what follows it: `Here is the plan:`.
const INTRODUCES: usize = 6;

/// Returns whether an answer has a heading over a plan or a specification.
fn shows_plan(answer: &str) -> bool {
    own_lines(answer).filter(|line| is_heading(line)).any(|line| {
        let mut words = line.split(|c: char| !c.is_alphanumeric());
        words.any(|word| REVIEWED.contains(&word.to_lowercase().as_str()))
    })
}

fn is_heading(line: &str) -> bool {
    let without_marks = line.trim_start_matches('#');
    let is_marked = without_marks.len() < line.len() && without_marks.starts_with(' ');
    let introduces =
        line.trim_end_matches('*').ends_with(':') && line.split_whitespace().count() <= INTRODUCES;
    is_marked || introduces
}

/// Beginnings of a sentence which says that all is done.
const COMPLETE: [&str; 6] = [
    "implementation complete",
    "implementation is complete",
    "the implementation is complete",
    "all tasks complete",
    "all tasks are complete",
    "all tasks are done",
];

/// Words that may follow such a beginning without taking it back.
const AND: [&str; 3] = ["and", "successfully", "with"];

/// Returns whether a sentence of an answer says that all is done.
fn says_complete(answer: &str) -> bool {
    own_lines(answer).any(|line| {
        let sentences = line.split_inclusive(['.', '!', '?']).map(str::trim);
        sentences
            .filter(|sentence| !sentence.ends_with('?'))
            .any(|sentence| {
                let said = sentence.trim_start_matches(|c: char| !c.is_alphanumeric());
                let said = said.to_lowercase();
                let rest = COMPLETE.iter().find_map(|words| said.strip_prefix(words));
                let rest = rest.map(|rest| rest.strip_prefix('d').unwrap_or(rest));
                rest.is_some_and(|rest| {
                    let next = rest.trim_start();
                    let word = next.split(|c: char| !c.is_alphanumeric()).next();
                    word.is_some_and(|word| word.is_empty() || (next != rest && AND.contains(&word)))
                })
            })
    })
}

/// Returns the lines of an answer that are the agent's own words: no code, no quotes.
fn own_lines(answer: &str) -> impl Iterator<Item = &str> {
    let mut is_code = false;
    answer.lines().map(str::trim).filter(move |line| {
        let is_fence = line.starts_with("```") || line.starts_with("~~~");
        is_code ^= is_fence;
        !is_code && !is_fence && !line.starts_with('>')
    })
}

#[cfg(test)]
#[path = "stop_tests.rs"]
mod tests;
