//! Tables of what a pause shows, what it holds back, and what continues after it.

use super::*;
use crate::decide::example::waiting;
use crate::decide::observe;
use crate::state::draft::Draft;
use crate::state::example::{
    asking, at, draft, events, fact, id, observed, paused, session, state, with, worker,
};
use downbeat_model::{EvidenceSource, FactKind, QuestionKind};

/// Returns a session with this activity, and the status that follows from it.
fn does(activity: Activity) -> SessionRow {
    let mut row = with(1, activity.status());
    row.observed = Some(observed(activity));
    row
}

fn of(draft: &mut Draft) -> (Status, String) {
    let row = draft.session(&id(1)).unwrap();
    (row.status, row.status_evidence.detail.clone())
}

#[test]
fn a_pause_is_shown_if_nothing_on_the_screen_needs_anybody() {
    for (row, wanted) in [
        (does(Activity::Idle), Status::Paused),
        (does(Activity::Ready), Status::Paused),
        (does(Activity::Unknown), Status::Paused),
        (does(Activity::Blocked), Status::Paused),
        (asking(1, QuestionKind::Asks, 0), Status::Paused),
        (does(Activity::Active), Status::Running),
        (with(1, Status::Spawning), Status::Spawning),
        (with(1, Status::Queued), Status::Queued),
    ] {
        let was = row.status;
        let mut draft = draft(50, [row]);
        begin(&mut draft, &id(1), "paused by you".into(), None).unwrap();
        assert_eq!(of(&mut draft).0, wanted, "{was:?}");
        let pause = draft.session(&id(1)).unwrap().hold.pause.clone().unwrap();
        assert_eq!((pause.at, pause.why.as_str()), (at(50), "paused by you"));
        assert_eq!(pause.interrupts, was == Status::Running, "{was:?}");
        assert_eq!(
            events(&draft, EventKind::SessionPaused)[0]["why"],
            "paused by you"
        );
    }
}

#[test]
fn a_question_is_shown_during_a_pause() {
    let mut row = asking(1, QuestionKind::Permission, 0);
    row.observed.as_mut().unwrap().activity = Activity::WaitingInput;
    let mut draft = draft(50, [row]);
    begin(&mut draft, &id(1), "paused by you".into(), None).unwrap();
    assert_eq!(of(&mut draft).0, Status::Waiting);
}

#[test]
fn an_interrupted_session_gets_a_message_to_continue_if_it_rests() {
    for (activity, interrupts, is_told) in [
        (Activity::Idle, true, true),
        (Activity::Idle, false, false),
        (Activity::Active, true, false),
        (Activity::Blocked, true, false),
    ] {
        let mut row = paused(does(activity));
        row.hold.pause.as_mut().unwrap().interrupts = interrupts;
        let mut draft = draft(50, [row]);
        end(&mut draft, &id(1)).unwrap();
        let messages: &[&str] = if is_told { &["continue"] } else { &[] };
        assert_eq!(waiting(&draft), messages, "{activity:?} {interrupts}");
        assert!(draft.session(&id(1)).unwrap().hold.pause.is_none());
        assert_eq!(events(&draft, EventKind::SessionWentOn).len(), 1);
    }
    let mut over = paused(does(Activity::Idle));
    over.status = Status::Exited;
    over.hold.pause.as_mut().unwrap().interrupts = true;
    let mut draft = draft(50, [over]);
    end(&mut draft, &id(1)).unwrap();
    assert!(waiting(&draft).is_empty(), "it is over");
}

#[test]
fn a_session_that_worked_for_the_person_meanwhile_is_not_told_to_continue() {
    let turn = [FactKind::TurnStarted, FactKind::TurnEnded];
    for (before, is_told) in [(Activity::Idle, false), (Activity::Active, true)] {
        let mut row = paused(does(before));
        row.hold.pause.as_mut().unwrap().interrupts = true;
        let mut draft = draft(50, [row]);
        for kind in turn.clone() {
            let fact = fact(60, EvidenceSource::Hook, kind);
            observe::observe(&mut draft, &id(1), &fact).unwrap();
        }
        end(&mut draft, &id(1)).unwrap();
        let messages: &[&str] = if is_told { &["continue"] } else { &[] };
        assert_eq!(waiting(&draft), messages, "{before:?} when the turn began");
    }
}

#[test]
fn a_session_that_continues_shows_its_observation() {
    let mut draft = draft(50, [does(Activity::Blocked)]);
    begin(&mut draft, &id(1), "paused by you".into(), None).unwrap();
    assert_eq!(of(&mut draft), (Status::Paused, "paused by you".into()));
    end(&mut draft, &id(1)).unwrap();
    assert_eq!(of(&mut draft), (Status::Waiting, "process started".into()));
}

#[test]
fn another_budget_replaces_the_earlier_one() {
    let mut draft = draft(50, [does(Activity::Idle)]);
    let why = || "over its budget".to_owned();
    begin(&mut draft, &id(1), why(), Some(BudgetScope::Session)).unwrap();
    again(&mut draft, &id(1), "over the day's", BudgetScope::ProjectDay).unwrap();
    let pause = draft.session(&id(1)).unwrap().hold.pause.clone().unwrap();
    assert_eq!(
        (pause.why.as_str(), pause.budget, pause.at),
        ("over the day's", Some(BudgetScope::ProjectDay), at(50))
    );
    assert_eq!(of(&mut draft), (Status::Paused, "over the day's".into()));
    // A new budget does not pause a session that is not paused.
    let mut free = crate::state::example::draft(50, [does(Activity::Idle)]);
    again(&mut free, &id(1), "over the day's", BudgetScope::ProjectDay).unwrap();
    assert!(free.session(&id(1)).unwrap().hold.pause.is_none());
}

#[test]
fn the_nearest_paused_session_above_holds_a_session_back() {
    let (first, second) = (session(1), worker(2, &session(1)));
    let over = |mut row: SessionRow| {
        row.status = Status::Exited;
        row
    };
    for (above_them, wanted) in [
        ([first.clone(), second.clone()], None),
        ([paused(first.clone()), second.clone()], Some("session-1")),
        ([paused(first.clone()), paused(second.clone())], Some("session-2")),
        // An ended session holds nobody back.
        (
            [paused(first.clone()), over(paused(second.clone()))],
            Some("session-1"),
        ),
        ([over(paused(first)), second], None),
    ] {
        let state = state(above_them);
        assert_eq!(above(&state, Some(&id(2))).as_deref(), wanted);
        assert_eq!(above(&state, None), None);
    }
}

#[test]
fn sessions_below_continue_with_their_ancestor_if_paused_for_the_same_reason() {
    let by_budget = |row: SessionRow| {
        let mut row = paused(row);
        row.hold.pause.as_mut().unwrap().budget = Some(BudgetScope::Subtree);
        row
    };
    let lead = session(1);
    let fleet = |first: fn(SessionRow) -> SessionRow, lead: &SessionRow| {
        [
            first(lead.clone()),
            paused(worker(2, lead)),
            by_budget(worker(3, lead)),
            by_budget(worker(4, lead)),
            worker(5, lead),
            paused(session(6)),
        ]
    };
    for (by_budget, stay, wanted) in [
        (false, vec![], vec![3, 4, 6]),
        (true, vec![], vec![2, 6]),
        (true, vec![id(4)], vec![2, 4, 6]),
    ] {
        let first = if by_budget {
            |row: SessionRow| {
                let mut row = paused(row);
                row.hold.pause.as_mut().unwrap().budget = Some(BudgetScope::Session);
                row
            }
        } else {
            paused
        };
        let mut draft = draft(50, fleet(first, &lead));
        go_on(&mut draft, &id(1), &[], &stay).unwrap();
        let rows = draft.state().sessions.values();
        let held: Vec<_> = rows.filter(|row| row.hold.pause.is_some()).collect();
        let held: Vec<_> = held.into_iter().map(|row| row.id.clone()).collect();
        let wanted: Vec<_> = wanted.into_iter().map(id).collect();
        assert_eq!(held, wanted, "{by_budget} {stay:?}");
    }
}

#[test]
fn a_budget_that_may_be_exceeded_is_noted_once() {
    let mut row = paused(session(1));
    row.hold.past = vec!["day".into()];
    let mut draft = draft(50, [row]);
    let past = ["day".to_owned(), "own".to_owned()];
    go_on(&mut draft, &id(1), &past, &[]).unwrap();
    assert_eq!(draft.session(&id(1)).unwrap().hold.past, past);
}
