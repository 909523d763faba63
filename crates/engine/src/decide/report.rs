//! Records what a worker reports to its conductor.

use crate::decide::observe;
use crate::state::draft::Draft;
use crate::state::requests::Effect;
use downbeat_model::{About, EventKind, EvidenceSource, Fact, FactKind, Question, QuestionKind, SessionId};
use downbeat_wire::report::WorkerReport;
use downbeat_wire::{ApiError, Code};
use serde_json::json;

/// The longest summary and the longest question, in bytes: a page or two, which a conductor has to read.
pub(crate) const MAX_TEXT: usize = 16 * 1024;

/// The number of events of one worker that may wait for its conductor. Of further reports only the last one
/// is kept; further questions are refused.
pub(crate) const MAX_UNTOLD: u32 = 50;

pub(crate) fn is_same(one: &WorkerReport, other: &WorkerReport) -> bool {
    (one.status, &one.summary, &one.files) == (other.status, &other.summary, &other.files)
}

pub(crate) fn note(draft: &mut Draft, id: &SessionId, text: String) -> Result<(), ApiError> {
    let row = draft.session(id)?;
    if row.one_shot {
        let what = format!("{} is a one-shot run: nobody can answer it", row.name);
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
        source: EvidenceSource::Tool,
        detail: "ask_conductor tool".into(),
        kind: FactKind::Left(question),
        about: About::default(),
    };
    draft.session_event(id, EventKind::WorkerAsked, json!({ "question": text }));
    draft.effect(Effect::Session(id.clone()));
    observe::observe(draft, id, &fact)
}

#[cfg(test)]
#[path = "report_tests.rs"]
mod tests;
