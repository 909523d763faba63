//! Decides which changes of a session the person is notified of, and when its conductor is asked first.

use crate::state::draft::Draft;
use crate::state::known::State;
use downbeat_model::reactions::NoticePriority;
use downbeat_model::{EvidenceSource, NewNotice, QuestionKind, SessionId, Status};
use downbeat_store::SessionRow;
use downbeat_wire::ApiError;
use downbeat_wire::notice::NoticeKind;
use jiff::Timestamp;

/// Reports whether the conductor of a waiting session is asked before the person: it is live, conducts and
/// may answer. Any message answers a question in prose; for the others the project decides.
pub fn is_conductors(state: &State, row: &SessionRow) -> bool {
    let Some((kind, ..)) = open(row) else {
        return false;
    };
    let asked = row.observed.as_ref().and_then(|seen| seen.open.first());
    let by_hook = asked.is_some_and(|asked| asked.evidence.source == EvidenceSource::Hook);
    let conductor = row.parent.as_ref().and_then(|id| state.sessions.get(id));
    let is_there = conductor.is_some_and(|row| row.status.is_live() && row.conducts);
    is_there
        && match kind {
            QuestionKind::Asks => true,
            QuestionKind::Permission | QuestionKind::Choice => {
                let project = state.projects.get(&row.project_id);
                by_hook && project.is_some_and(|project| project.conductors_answer)
            }
            QuestionKind::Trust | QuestionKind::Blocked => false,
        }
}

/// Returns the question that a session waits with.
pub(crate) fn open(row: &SessionRow) -> Option<(QuestionKind, Timestamp, &str)> {
    let first = row.observed.as_ref()?.open.first()?;
    let question = &first.question;
    (row.status == Status::Waiting).then_some((question.kind, first.evidence.at, &question.text))
}

/// Notifies the person that a session needs an answer, unless its conductor is asked first.
pub(crate) fn ask(draft: &mut Draft, id: &SessionId, text: String) -> Result<(), ApiError> {
    let row = draft.session(id)?.clone();
    match is_conductors(draft.state(), &row) {
        true => Ok(()),
        false => notify(draft, id, NoticeKind::NeedsInput, text),
    }
}

/// Returns the kind of notice that a change of status deserves. A shell that is back at its prompt, as its
/// process shows, finished nothing that anybody was waiting for.
pub(crate) fn deserves(before: Status, after: Status, by_process: bool) -> Option<NoticeKind> {
    match (before, after) {
        (_, Status::Idle) if by_process => None,
        (_, Status::Waiting) => Some(NoticeKind::NeedsInput),
        (Status::Running, Status::Idle) => Some(NoticeKind::Finished),
        (_, Status::SetupFailed | Status::Errored) => Some(NoticeKind::Failed),
        _ => None,
    }
}

/// Writes a notice about a session, as urgent as its kind.
pub fn notify(draft: &mut Draft, id: &SessionId, kind: NoticeKind, text: String) -> Result<(), ApiError> {
    notify_as(draft, id, (kind, kind.priority()), text)
}

/// Writes a notice about a session with this priority.
pub fn notify_as(
    draft: &mut Draft,
    id: &SessionId,
    (kind, priority): (NoticeKind, NoticePriority),
    text: String,
) -> Result<(), ApiError> {
    let at = draft.now();
    let row = draft.session(id)?;
    let notice = NewNotice {
        kind,
        priority,
        session_id: Some(row.id.clone()),
        plan_id: None,
        project_id: Some(row.project_id.clone()),
        title: row.title.clone(),
        text,
        at,
    };
    draft.notice(notice);
    Ok(())
}

#[cfg(test)]
#[path = "notices_tests.rs"]
mod tests;
