//! Tables of who gets a question first, and of what the person is notified of.

use super::*;
use crate::state::example::{asking, at, draft, id, project, session, state, told, with, worker};

/// Returns a conductor and its worker, which asks since second 10.
fn pair(kind: QuestionKind, source: EvidenceSource) -> (SessionRow, SessionRow) {
    let mut lead = session(1);
    lead.conducts = true;
    let mut row = SessionRow {
        parent: Some(lead.id.clone()),
        depth: 1,
        ..asking(2, kind, 10)
    };
    row.observed.as_mut().unwrap().open[0].evidence.source = source;
    (lead, row)
}

fn is_first_for_conductor(lead: SessionRow, row: &SessionRow, may_answer: bool) -> bool {
    let mut draft = Draft::of(state([lead, row.clone()]));
    let mut project = project();
    project.conductors_answer = may_answer;
    draft.put_project(project);
    is_conductors(draft.state(), row)
}

#[test]
fn a_conductor_is_asked_first_if_it_may_answer() {
    use EvidenceSource::{Hook, Screen};
    use QuestionKind::{Asks, Blocked, Choice, Permission, Trust};
    for (kind, source, may_answer, wanted) in [
        // Any message answers a question in prose.
        (Asks, Hook, false, true),
        (Asks, Screen, false, true),
        (Permission, Hook, false, false),
        (Permission, Hook, true, true),
        (Choice, Hook, true, true),
        // A question that no hook reports is asked at the agent's start, or about its account.
        (Permission, Screen, true, false),
        (Choice, Screen, true, false),
        (Trust, Hook, true, false),
        (Blocked, Hook, true, false),
    ] {
        let (lead, row) = pair(kind, source);
        assert_eq!(
            is_first_for_conductor(lead, &row, may_answer),
            wanted,
            "{kind:?} {source:?} {may_answer}"
        );
    }
}

#[test]
fn a_conductor_that_has_ended_or_does_not_conduct_is_not_asked() {
    let asks = || pair(QuestionKind::Asks, EvidenceSource::Hook);
    let (mut lead, row) = asks();
    lead.status = Status::Exited;
    assert!(!is_first_for_conductor(lead, &row, true));
    let (mut lead, row) = asks();
    lead.conducts = false;
    assert!(!is_first_for_conductor(lead, &row, true));
    let (lead, mut row) = asks();
    row.parent = None;
    assert!(!is_first_for_conductor(lead, &row, true), "nobody's worker");
    let (lead, mut row) = asks();
    row.status = Status::Running;
    assert!(!is_first_for_conductor(lead, &row, true), "it waits for nothing");
}

#[test]
fn a_question_is_open_while_its_session_waits() {
    let mut row = asking(1, QuestionKind::Choice, 10);
    assert_eq!(open(&row), Some((QuestionKind::Choice, at(10), "Which?")));
    row.status = Status::Running;
    assert_eq!(open(&row), None);
    assert_eq!(open(&with(1, Status::Waiting)), None);
}

#[test]
fn the_person_is_asked_if_no_conductor_is() {
    let (lead, row) = pair(QuestionKind::Asks, EvidenceSource::Hook);
    let mut held = draft(50, [lead.clone(), row.clone()]);
    ask(&mut held, &id(2), "Which?".into()).unwrap();
    assert!(told(&held).is_empty());
    let mut alone = draft(50, [with(1, Status::Exited), row]);
    ask(&mut alone, &id(2), "Which?".into()).unwrap();
    assert_eq!(told(&alone), ["needsInput: Which?"]);
}

#[test]
fn an_extra_shell_causes_no_notices() {
    let mut shell = worker(3, &session(1));
    (shell.parent, shell.side_shell_of) = (None, Some(id(1)));
    let mut draft = draft(50, [session(1), shell]);
    notify(&mut draft, &id(3), NoticeKind::Failed, "it failed".into()).unwrap();
    assert!(told(&draft).is_empty());
    notify(&mut draft, &id(1), NoticeKind::Failed, "it failed\nhere".into()).unwrap();
    assert_eq!(told(&draft), ["failed: it failed"]);
}
