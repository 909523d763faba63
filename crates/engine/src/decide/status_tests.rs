//! Tables of what a change of status writes: its time, the event with its words, and who is notified.

use super::*;
use crate::decide::example::{new, put, waiting};
use crate::session::status::by_engine;
use crate::state::example::{asking, at, draft, events, id, limited, observed, session, told, with, worker};
use downbeat_model::session::{LastReport, ReportStatus, WorkerReport};
use downbeat_model::{Activity, MessageState, QuestionKind};
use downbeat_store::SessionRow;
use serde_json::Value;

fn by(source: EvidenceSource, second: i64) -> Evidence {
    Evidence {
        source,
        detail: "seen".into(),
        at: at(second),
    }
}

fn hook(second: i64) -> Evidence {
    by(EvidenceSource::Hook, second)
}

/// Returns the payload of the one change of status.
fn changed(draft: &Draft) -> Value {
    let [event] = events(draft, EventKind::SessionStatus).try_into().unwrap();
    event
}

#[test]
fn a_status_keeps_its_age_while_only_its_evidence_changes() {
    let mut draft = draft(50, [session(1)]);
    let row = draft.session(&id(1)).unwrap().clone();
    set(&mut draft, &id(1), row.status, row.status_evidence).unwrap();
    assert_eq!(draft.unwritten().count(), 0, "nothing is new");
    set(&mut draft, &id(1), Status::Idle, hook(20)).unwrap();
    assert_eq!(draft.session(&id(1)).unwrap().status_since, at(0));
    assert_eq!(draft.session(&id(1)).unwrap().last_activity_at, at(20));
    assert_eq!(events(&draft, EventKind::SessionChanged).len(), 1);
    assert!(events(&draft, EventKind::SessionStatus).is_empty());
    set(&mut draft, &id(1), Status::Running, hook(10)).unwrap();
    let row = draft.session(&id(1)).unwrap();
    assert_eq!((row.status_since, row.last_activity_at), (at(10), at(20)));
    let event = changed(&draft);
    assert_eq!(
        (&event["from"], &event["to"]),
        (&json!("idle"), &json!("running"))
    );
}

#[test]
fn a_change_of_status_has_the_most_important_fact_in_one_line() {
    let asks = asking(1, QuestionKind::Permission, 0);
    let failed = SessionRow {
        error: Some("npm install: exit code 1\nand more".into()),
        ..session(1)
    };
    let ended = |code| SessionRow {
        exit_code: code,
        ..session(1)
    };
    use EvidenceSource::{Hook, Process};
    for (row, status, source, wanted) in [
        (asks, Status::Waiting, Hook, "Which?"),
        (limited(1, None), Status::Waiting, Hook, "usage limit"),
        (
            failed.clone(),
            Status::SetupFailed,
            Hook,
            "npm install: exit code 1",
        ),
        (failed, Status::Errored, Hook, "npm install: exit code 1"),
        (with(1, Status::Running), Status::Idle, Hook, TURN_OVER),
        (with(1, Status::Running), Status::Idle, Process, "seen"),
        (ended(Some(3)), Status::Exited, Process, "exit code 3"),
        (ended(None), Status::Exited, Process, "seen"),
        (ended(Some(3)), Status::Killed, Process, "seen"),
    ] {
        let row = SessionRow {
            status: if status == Status::Idle {
                Status::Running
            } else {
                Status::Idle
            },
            ..row
        };
        let mut draft = draft(50, [row]);
        set(&mut draft, &id(1), status, by(source, 20)).unwrap();
        let event = changed(&draft);
        let detail = event["detail"].as_str().unwrap();
        assert!(
            detail.starts_with(wanted),
            "{status:?} {detail:?}, not {wanted:?}"
        );
    }
}

#[test]
fn a_change_of_status_carries_the_answer_the_reason_and_the_marks_for_conductors() {
    let mut row = with(1, Status::Running);
    let mut seen = observed(Activity::Idle);
    seen.answer = Some("it is done".into());
    row.observed = Some(seen);
    row.result = Some(LastReport {
        report: WorkerReport {
            status: ReportStatus::Done,
            summary: "all".into(),
            files: Vec::new(),
            at: at(0),
        },
        fresh: true,
        unchecked: None,
    });
    let mut idle = draft(50, [row.clone()]);
    set(&mut idle, &id(1), Status::Idle, hook(20)).unwrap();
    let event = changed(&idle);
    assert_eq!(
        (&event["answer"], &event["reported"]),
        (&json!("it is done"), &json!(true))
    );
    assert_eq!(
        (&event["goesOn"], &event["reason"]),
        (&json!(false), &Value::Null)
    );
    let mut waits = draft(50, [row]);
    set(&mut waits, &id(1), Status::Errored, hook(20)).unwrap();
    let event = changed(&waits);
    assert!(event.get("answer").is_none(), "only of a turn that ended");
    assert_eq!(event["reason"]["text"], "seen");
}

#[test]
fn words_of_the_session_replace_ours() {
    let mut draft = draft(50, [with(1, Status::Running)]);
    set_telling(&mut draft, &id(1), Status::Exited, hook(20), Some("42")).unwrap();
    assert_eq!(changed(&draft)["detail"], "42");
}

#[test]
fn the_end_of_a_session_withdraws_the_message_that_continues_it() {
    for (status, left) in [(Status::Exited, 0), (Status::Killed, 0), (Status::Running, 1)] {
        let mut draft = draft(50, [limited(1, Some(10))]);
        let message = put(&mut draft, new("continue"), MessageState::Queued);
        let seen = draft.session(&id(1)).unwrap().observed.as_mut().unwrap();
        seen.limit.as_mut().unwrap().message = Some(message);
        set(&mut draft, &id(1), status, hook(20)).unwrap();
        assert_eq!(waiting(&draft).len(), left, "{status:?}");
    }
}

#[test]
fn a_turn_that_ends_while_workers_are_busy_causes_no_notice() {
    let lead = with(1, Status::Running);
    let busy = |status| SessionRow {
        status,
        ..worker(2, &lead)
    };
    for (other, is_told) in [
        (busy(Status::Queued), false),
        (busy(Status::Spawning), false),
        (busy(Status::Running), false),
        (busy(Status::Waiting), false),
        (busy(Status::Idle), true),
        (busy(Status::Exited), true),
        (with(2, Status::Running), true),
    ] {
        let mut draft = draft(50, [lead.clone(), other.clone()]);
        set(&mut draft, &id(1), Status::Idle, hook(20)).unwrap();
        let wanted: &[_] = if is_told {
            &["finished: finished its turn"]
        } else {
            &[]
        };
        assert_eq!(told(&draft), wanted, "{:?}", other.status);
    }
}

#[test]
fn the_person_is_notified_of_a_question_an_error_and_the_end_of_a_turn() {
    let failed = SessionRow {
        error: Some("no such branch".into()),
        ..with(1, Status::Spawning)
    };
    let asks = SessionRow {
        status: Status::Running,
        ..asking(1, QuestionKind::Choice, 0)
    };
    for (row, status, source, wanted) in [
        (
            asks,
            Status::Waiting,
            EvidenceSource::Hook,
            Some("needsInput: Which?"),
        ),
        (
            failed,
            Status::Errored,
            EvidenceSource::Engine,
            Some("failed: no such branch"),
        ),
        (
            with(1, Status::Running),
            Status::Idle,
            EvidenceSource::Process,
            None,
        ),
        (
            with(1, Status::Running),
            Status::Exited,
            EvidenceSource::Process,
            None,
        ),
    ] {
        let mut draft = draft(50, [row]);
        set(&mut draft, &id(1), status, by(source, 20)).unwrap();
        assert_eq!(
            told(&draft),
            Vec::from_iter(wanted.map(str::to_owned)),
            "{status:?}"
        );
    }
}

#[test]
fn a_failure_is_stored_whole_and_reported_by_its_first_line() {
    let mut draft = draft(50, [with(1, Status::Spawning)]);
    fail(&mut draft, &id(1), Status::Errored, "it broke\nat line 3").unwrap();
    let row = draft.session(&id(1)).unwrap();
    assert_eq!(row.error.as_deref(), Some("it broke\nat line 3"));
    assert_eq!(row.status_evidence, by_engine("it broke", at(50)));
}

#[test]
fn a_session_that_does_not_continue_after_all_reports_its_status() {
    let mut draft = draft(50, [with(1, Status::Exited)]);
    stays(&mut draft, &id(1), "stopped by you").unwrap();
    let event = changed(&draft);
    assert_eq!(
        (&event["from"], &event["to"]),
        (&json!("exited"), &json!("exited"))
    );
    assert_eq!(
        (&event["detail"], &event["goesOn"]),
        (&json!("stopped by you"), &json!(false))
    );
    let row = draft.session(&id(1)).unwrap();
    assert_eq!(row.status_evidence, by_engine("stopped by you", at(50)));
    assert_eq!(row.status_since, at(0));
}
