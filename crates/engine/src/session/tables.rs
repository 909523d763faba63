//! Tables of what a session's row says by itself: how it shows while it is paused, what it counts as, when its agent
//! tries again, and what is quoted of it.

use crate::session::end_mode::{EndMode, KILL_GRACE};
use crate::session::{copies, hold, lines, report, retry, row, status};
use crate::state::example::{asking, at, fact, observed, paused, session, with};
use downbeat_model::EvidenceSource::{Engine, Hook, Process, Screen, Tool};
use downbeat_model::session::{Intent, LastReport, ReportStatus, WorkerReport};
use downbeat_model::{Activity, EventKind, FactKind, QuestionKind, Retry, Status};
use downbeat_store::SessionRow;
use serde_json::json;
use std::path::PathBuf;

fn does(activity: Activity) -> SessionRow {
    let mut row = with(1, activity.status());
    row.observed = Some(observed(activity));
    row
}

#[test]
fn a_pause_shows_with_its_reason_and_its_time() {
    let seen = observed(Activity::Idle);
    let (shown, why) = hold::shown(&paused(session(1)), &seen);
    assert_eq!(shown, Status::Paused);
    assert_eq!(why, status::by_engine("paused by you", at(0)));
    let (shown, why) = hold::shown(&session(1), &seen);
    assert_eq!((shown, why), (Status::Idle, seen.evidence));
    let mut asks = asking(1, QuestionKind::Choice, 0).observed.unwrap();
    asks.activity = Activity::WaitingInput;
    assert_eq!(hold::shown(&paused(session(1)), &asks).0, Status::Waiting);
}

#[test]
fn nothing_is_shown_of_a_pause_once_its_session_is_over() {
    assert_eq!(hold::state(&session(1)), None);
    assert_eq!(hold::state(&paused(with(1, Status::Exited))), None);
    let shown = hold::state(&paused(session(1))).unwrap();
    assert_eq!((shown.why.as_str(), shown.by_budget), ("paused by you", false));
}

#[test]
fn an_agent_tries_again_while_it_waits_and_its_time_is_yet_to_come() {
    for (status, activity, second, wanted) in [
        (Status::Waiting, Activity::Blocked, 99, true),
        (Status::Waiting, Activity::Blocked, 100, false),
        // A pause may be shown in place of its status.
        (Status::Paused, Activity::Blocked, 99, true),
        (Status::Exited, Activity::Blocked, 99, false),
        (Status::Running, Activity::Active, 99, false),
    ] {
        let mut row = does(activity);
        row.status = status;
        row.observed.as_mut().unwrap().retry = Some(Retry {
            at: Some(at(100)),
            ..Retry::default()
        });
        let found = retry::retries_at(&row, at(second));
        assert_eq!(found, wanted.then_some(at(100)), "{status:?} {second}");
    }
}

#[test]
fn only_an_agent_that_works_holds_the_machine_awake() {
    for (activity, source, works, awake) in [
        (Activity::Active, Hook, true, true),
        // A program in a shell, such as an editor.
        (Activity::Active, Process, true, false),
        (Activity::Idle, Hook, false, false),
    ] {
        let mut row = does(activity);
        row.status_evidence.source = source;
        assert_eq!(
            (row::works(&row), row::keeps_awake(&row)),
            (works, awake),
            "{activity:?}"
        );
    }
    let mut ended = does(Activity::Active);
    ended.status = Status::Exited;
    assert!(!row::works(&ended));
}

#[test]
fn of_a_run_of_one_prompt_its_work_and_its_process_count() {
    for (source, kind, wanted) in [
        (Hook, FactKind::Working, true),
        (Hook, FactKind::SubAgent, true),
        (Hook, FactKind::Stuck, true),
        (Hook, FactKind::TurnEnded, false),
        (Screen, FactKind::Cleared, false),
        (Engine, FactKind::Cleared, true),
        (Process, FactKind::TurnEnded, true),
    ] {
        assert_eq!(
            row::counts(&fact(0, source, kind.clone())),
            wanted,
            "{source:?} {kind:?}"
        );
    }
}

#[test]
fn a_shell_has_its_number_and_the_program_that_runs_in_it() {
    for (name, wanted) in [
        ("fix/shell-3", 3),
        ("fix/shell-12", 12),
        ("fix", 0),
        ("fix/shell-x", 0),
    ] {
        let named = SessionRow {
            name: name.into(),
            ..session(1)
        };
        assert_eq!(row::number(&named), wanted);
    }
    let mut runs = does(Activity::Active);
    runs.observed.as_mut().unwrap().program = Some("make".into());
    assert_eq!(row::program(&runs), Some("make"));
    runs.status = Status::Idle;
    assert_eq!(row::program(&runs), None);
    assert_eq!(row::program(&session(1)), None);
}

#[test]
fn a_workspace_that_was_removed_is_told_with_the_way_back() {
    let mut row = session(1);
    let error = row::path_of(&row).unwrap_err();
    assert_eq!(error.message, "the workspace of session-1 was removed");
    row.workspace_path = Some("/worktree".into());
    assert_eq!(row::path_of(&row).unwrap(), PathBuf::from("/worktree"));
    assert_eq!(
        row::first_words(&format!("\n{}\nmore", "ö".repeat(90))),
        "ö".repeat(80)
    );
    assert_eq!((row::short("0123456789"), row::short("012")), ("01234567", "012"));
}

#[test]
fn of_others_words_four_kilobytes_are_quoted_and_no_letter_is_cut() {
    assert_eq!(lines::set_in("one\ntwo"), "one\n    > two");
    let most = "x".repeat(4096);
    assert_eq!(lines::set_in(&most), most);
    assert_eq!(lines::set_in(&format!("{most}x")), format!("{most}\n    > …"));
    let odd = format!("x{}", "ö".repeat(2048));
    assert_eq!(lines::set_in(&odd), format!("x{}\n    > …", "ö".repeat(2047)));
}

#[test]
fn a_wish_stands_in_the_row_as_it_was_made() {
    for (mode, intent, kind) in [
        (EndMode::Stop, Intent::Stop, EventKind::SessionStopped),
        (EndMode::Kill, Intent::Kill, EventKind::SessionKilled),
    ] {
        assert_eq!((mode.intent(), mode.event()), (intent.clone(), kind));
        let row = SessionRow {
            intent: Some(intent),
            ..session(1)
        };
        assert_eq!(EndMode::of(&row), Some(mode));
    }
    let resumed = SessionRow {
        intent: Some(Intent::Resume),
        ..session(1)
    };
    assert_eq!((EndMode::of(&resumed), EndMode::of(&session(1))), (None, None));
    assert!(
        EndMode::Stop.grace() > EndMode::Kill.grace(),
        "an agent may still write its conversation"
    );
    assert_eq!(EndMode::Kill.grace(), KILL_GRACE);
}

#[test]
fn news_of_a_session_says_whether_it_reported_in_its_turn() {
    let mut row = session(1);
    assert_eq!((report::of(&row), report::is_fresh(&row)), (None, false));
    let said = WorkerReport {
        status: ReportStatus::Done,
        summary: "all".into(),
        files: Vec::new(),
        at: at(0),
    };
    row.result = Some(LastReport {
        report: said.clone(),
        fresh: true,
        unchecked: None,
    });
    row.status_evidence.source = Tool;
    assert_eq!(report::of(&row), Some(said));
    let marks = json!({ "reported": true, "asked": true, "goesOn": true, "done": false });
    assert_eq!(report::marks(&row, true), marks);
    report::turn_started(&mut row, at(1));
    assert!(!report::is_fresh(&row));
}

#[test]
fn a_record_of_copies_that_cannot_be_read_is_an_error_and_not_nothing() {
    let mut row = session(1);
    assert!(
        copies::copied(&row).is_ok() && copies::made(&row).is_ok(),
        "nothing yet"
    );
    row.copies = Some(json!("damaged"));
    row.run.made = Some(json!(7));
    let said = copies::copied(&row).unwrap_err().message;
    assert!(
        said.starts_with("what was copied into its worktree cannot be read (of session-1)"),
        "{said}"
    );
    let said = copies::made(&row).unwrap_err().message;
    assert!(said.starts_with("what its set-up made cannot be read"), "{said}");
}
