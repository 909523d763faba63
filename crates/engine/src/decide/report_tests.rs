//! Tables of a worker's reports and questions.

use super::*;
use crate::state::example::{at, draft, events, id, observed, told, with, worker};
use downbeat_model::session::ReportStatus;
use downbeat_model::{Activity, Status};
use downbeat_store::SessionRow;

#[test]
fn two_reports_are_the_same_by_their_content_and_not_by_their_time() {
    let report = WorkerReport {
        status: ReportStatus::Done,
        summary: "all".into(),
        files: vec!["a.rs".into()],
        at: at(0),
    };
    for (other, wanted) in [
        (
            WorkerReport {
                at: at(9),
                ..report.clone()
            },
            true,
        ),
        (
            WorkerReport {
                status: ReportStatus::Partial,
                ..report.clone()
            },
            false,
        ),
        (
            WorkerReport {
                summary: "most".into(),
                ..report.clone()
            },
            false,
        ),
        (
            WorkerReport {
                files: Vec::new(),
                ..report.clone()
            },
            false,
        ),
    ] {
        assert_eq!(is_same(&report, &other), wanted, "{other:?}");
    }
}

/// Returns a live conductor, and its worker in this status and with this activity.
fn asks(status: Status, activity: Activity) -> [SessionRow; 2] {
    let mut lead = with(1, Status::Idle);
    lead.conducts = true;
    let row = SessionRow {
        status,
        observed: Some(observed(activity)),
        ..worker(2, &lead)
    };
    [lead, row]
}

#[test]
fn a_worker_asks_its_conductor_while_it_lives_and_can_be_answered() {
    for (status, one_shot, wanted) in [
        (Status::Running, false, None),
        (Status::Idle, false, None),
        (
            Status::Running,
            true,
            Some("session-2 is a one-shot run: nobody can answer it"),
        ),
        (
            Status::Exited,
            false,
            Some("session-2 is exited: nobody waits for an answer"),
        ),
        (
            Status::Queued,
            false,
            Some("session-2 is queued: nobody waits for an answer"),
        ),
    ] {
        let [lead, mut row] = asks(status, Activity::Active);
        row.one_shot = one_shot;
        let mut draft = draft(50, [lead, row]);
        let error = note(&mut draft, &id(2), "Which?".into()).err();
        let message = error.map(|error| {
            assert_eq!(error.code, Code::Conflict);
            error.message
        });
        assert_eq!(message.as_deref(), wanted, "{status:?} {one_shot}");
        let told = events(&draft, EventKind::WorkerAsked);
        assert_eq!(told.len(), usize::from(wanted.is_none()));
        assert!(told.iter().all(|event| event["question"] == "Which?"));
    }
}

#[test]
fn a_question_opens_once_the_workers_turn_is_over() {
    for (status, activity, wanted) in [
        (Status::Running, Activity::Active, Status::Running),
        (Status::Idle, Activity::Idle, Status::Waiting),
    ] {
        let mut draft = draft(50, asks(status, activity));
        note(&mut draft, &id(2), "Which?".into()).unwrap();
        let row = draft.session(&id(2)).unwrap();
        assert_eq!(row.status, wanted);
        let marks = crate::session::report::marks(row, false);
        assert_eq!(
            marks["asked"],
            wanted == Status::Waiting,
            "it was told by the question"
        );
        assert!(told(&draft).is_empty(), "its conductor is asked first");
    }
}
