//! Tables of what becomes of the workers of a plan.

use super::{Follows, Found, Passes, Seen, change, follows, hold, let_go, passes, seen, seen_in};
use crate::decide::example::{new, put};
use crate::decide::go_on;
use crate::state::draft::Draft;
use crate::state::example::{at, draft, id, observed, project, session, told, with};
use downbeat_model::limit::TOO_DEEP;
use downbeat_model::session::{LastReport, ReportStatus, Then, WorkerReport};
use downbeat_model::{Activity, MessageState, PlanId, Status};
use downbeat_plans::{Domains, MOST_STARTS, PlanRecord, PlanState, ShareState, Split, read_goal};
use downbeat_wire::{ApiError, Code};
use serde_json::json;

fn at_rest() -> downbeat_store::SessionRow {
    let mut row = session(1);
    row.observed = Some(observed(Activity::Idle));
    row
}

#[test]
fn what_is_seen_of_a_worker_follows_from_its_status_and_its_report() {
    let said = |said| Seen::AtRest { said };
    let exited = |code| {
        let mut row = with(1, Status::Exited);
        row.exit_code = code;
        seen(&row)
    };
    assert_eq!(seen(&session(1)), Seen::AtWork, "nothing shows that a turn ended");
    assert_eq!(seen(&at_rest()), said(false));
    assert_eq!(seen(&with(1, Status::Running)), Seen::AtWork);
    assert_eq!(seen(&with(1, Status::Waiting)), Seen::AtWork);
    assert_eq!(exited(Some(0)), said(true), "nothing else shows that it is done");
    let mut left = at_rest();
    (left.status, left.exit_code) = (Status::Exited, Some(0));
    assert_eq!(seen(&left), said(false), "somebody left its agent");
    left.one_shot = true;
    assert_eq!(seen(&left), said(true));
    assert!(matches!(exited(Some(1)), Seen::Failed(_)));
    assert!(matches!(exited(None), Seen::Failed(_)));
    assert!(matches!(seen(&with(1, Status::Killed)), Seen::Failed(_)));
    for (status, wanted) in [
        (ReportStatus::Done, said(true)),
        (
            ReportStatus::Blocked,
            Seen::Failed("its worker reports: no key".into()),
        ),
    ] {
        let mut row = at_rest();
        row.result = Some(LastReport {
            report: WorkerReport {
                status,
                summary: "no key\nmore".into(),
                files: Vec::new(),
                at: at(1),
            },
            fresh: true,
            unchecked: None,
        });
        assert_eq!(seen(&row), wanted, "{status:?}");
        row.result.as_mut().unwrap().fresh = false;
        assert_eq!(seen(&row), said(false), "{status:?}, before its newest turn");
        let found = Found {
            head: "b".into(),
            uncommitted: 0,
            has_checks: false,
            has_base: true,
            at: at(100),
        };
        let is_done = follows(&row, false, &found) == Follows::Done;
        assert_eq!(is_done, status == ReportStatus::Done, "{status:?}, and a commit");
        row.status = Status::Running;
        assert_eq!(seen(&row), Seen::AtWork, "{status:?}, before its newest turn");
    }
}

#[test]
fn who_is_restarted_or_was_told_more_is_still_at_work() {
    let rest = Seen::AtRest { said: false };
    let mut draft = draft(9, [at_rest(), with(2, Status::Exited)]);
    let of = |draft: &Draft, number| {
        let state = draft.state();
        seen_in(state, &state.sessions[&id(number)])
    };
    assert_eq!(of(&draft, 1), rest);
    for (state, wanted) in [(MessageState::Failed, rest), (MessageState::Queued, Seen::AtWork)] {
        put(&mut draft, new("And the footer"), state);
        assert_eq!(of(&draft, 1), wanted, "{state:?}");
    }
    assert!(matches!(of(&draft, 2), Seen::Failed(_)), "its agent has ended");
    go_on::request(
        &mut draft,
        &id(2),
        Then::Resume {
            model: None,
            permission: None,
        },
    );
    assert_eq!(of(&draft, 2), Seen::AtWork, "its agent ends to be started again");
}

#[test]
fn a_share_is_done_with_a_commit_and_verified_where_there_are_checks() {
    let mut row = at_rest();
    row.base = Some(serde_json::from_value(json!({ "name": "main", "commit": "a", "behind": 0 })).unwrap());
    let found = |head: &str, uncommitted, has_checks| Found {
        head: head.into(),
        uncommitted,
        has_checks,
        has_base: true,
        at: at(100),
    };
    let table = [
        (found("a", 0, false), true, Follows::Done),
        (
            found("a", 0, false),
            false,
            Follows::Stuck("its worker ended its turn without a commit".into()),
        ),
        (found("b", 0, false), false, Follows::Done),
        (found("b", 0, true), false, Follows::Check),
    ];
    for (found, said, wanted) in table {
        assert_eq!(follows(&row, said, &found), wanted, "{found:?}");
    }
    assert!(matches!(
        follows(&row, true, &found("b", 2, false)),
        Follows::Stuck(_)
    ));
    let mut ended = row.clone();
    ended.status = Status::Exited;
    let follows_ended = follows(&ended, true, &found("b", 1, false));
    assert!(
        matches!(&follows_ended, Follows::Failed(why) if why.contains("1 file not committed: resume it")),
        "{follows_ended:?}"
    );
    let mut cancelled = row.clone();
    cancelled.checks.cancelled_at = Some(at(5));
    assert!(matches!(
        follows(&cancelled, false, &found("b", 0, true)),
        Follows::Stuck(_)
    ));
    cancelled.status_since = at(6);
    assert_eq!(
        follows(&cancelled, false, &found("b", 0, true)),
        Follows::Check,
        "after its next turn"
    );
    let lost = Found {
        has_base: false,
        ..found("b", 0, false)
    };
    let why = "its branch does not contain the commit that it began with any more: have it rebased on a";
    assert_eq!(follows(&row, true, &lost), Follows::Failed(why.into()));
    let check = |outcome: &str| json!({ "name": "test", "command": "test", "required": true, "outcome": outcome, "exitCode": 1, "millis": 1, "excerpt": "" });
    for (outcome, commit, wanted) in [
        ("passed", "b", Follows::Done),
        ("failed", "b", Follows::Failed("its checks failed: test".into())),
        ("passed", "c", Follows::Check),
    ] {
        let last = json!({
            "commit": commit, "tree": "t", "hash": "h", "uncommitted": 0, "startedAt": at(0), "finishedAt": at(1),
            "checks": [check(outcome)],
        });
        row.checks.last = Some(serde_json::from_value(last).unwrap());
        row.checks.head = Some("b".into());
        assert_eq!(
            follows(&row, false, &found("b", 0, true)),
            wanted,
            "{outcome} {commit}"
        );
        row.checks.head = None;
        let again = follows(&row, false, &found("b", 0, true));
        assert_eq!(
            again, wanted,
            "{outcome} {commit}, the newest commit is not known"
        );
    }
}

#[test]
fn a_share_whose_agent_repairs_what_its_checks_found_has_not_failed() {
    let mut row = at_rest();
    row.base = Some(serde_json::from_value(json!({ "name": "main", "commit": "a", "behind": 0 })).unwrap());
    let last = json!({
        "commit": "b", "tree": "t", "hash": "h", "uncommitted": 0, "startedAt": at(9), "finishedAt": at(10),
        "checks": [{ "name": "test", "command": "test", "required": true, "outcome": "failed", "exitCode": 1, "millis": 1, "excerpt": "" }],
    });
    row.checks.last = Some(serde_json::from_value(last).unwrap());
    let seen_at = |row: &downbeat_store::SessionRow, second| {
        let found = Found {
            head: "b".into(),
            uncommitted: 0,
            has_checks: true,
            has_base: true,
            at: at(second),
        };
        follows(row, false, &found)
    };
    let red = || Follows::Failed("its checks failed: test".into());
    let open = Follows::Waits(Some("its checks failed".into()));
    assert_eq!(seen_at(&row, 11), open, "the rules have not decided yet");
    assert_eq!(seen_at(&row, 13), red(), "no rule sends it to the agent");
    row.checks.repairs = true;
    assert_eq!(
        (seen_at(&row, 11), seen_at(&row, 60)),
        (Follows::Repairs, Follows::Repairs)
    );
    let mut ended = row.clone();
    ended.status = Status::Exited;
    assert_eq!(seen_at(&ended, 60), red(), "nobody repairs it");
    row.checks.last.as_mut().unwrap().error = Some("no disk".into());
    assert_eq!(
        seen_at(&row, 60),
        Follows::Failed("its checks could not run".into())
    );
}

fn with_plan() -> (Draft, PlanId) {
    let plan = read_goal(
        "Create API (id: a), Build UI (depends_on: a)",
        &Domains::default(),
    )
    .unwrap();
    let key = PlanId::parse("pl000000000001").unwrap();
    let mut plan = PlanRecord::new(key.clone(), project().id, plan, Split::Domain, at(0));
    (plan.state, plan.started_at) = (PlanState::Running, Some(at(0)));
    let mut draft = draft(10, []);
    draft.put_plan(plan);
    (draft, key)
}

#[test]
fn the_person_is_told_once_that_a_plan_cannot_go_on_and_once_that_it_is_complete() {
    let (mut draft, key) = with_plan();
    let claim = |draft: &mut Draft, place, number| {
        change(draft, &key, |plan, now| {
            assert!(plan.claim(place, id(number), now));
            Ok(())
        })
        .unwrap();
    };
    claim(&mut draft, 0, 1);
    for _ in 0..2 {
        change(&mut draft, &key, |plan, now| {
            plan.failed(0, "broken".into(), now);
            Ok(())
        })
        .unwrap();
    }
    assert_eq!(told(&draft).len(), 1, "{:?}", told(&draft));
    for (place, number) in [(0, 1), (1, 2)] {
        if place == 1 {
            claim(&mut draft, place, number);
        }
        change(&mut draft, &key, |plan, now| {
            plan.done(place, Some("b".into()), now);
            Ok(())
        })
        .unwrap();
    }
    assert_eq!(told(&draft).len(), 2);
    let plan = &draft.state().plans[&key];
    assert_eq!((plan.state, plan.ended_at), (PlanState::Complete, Some(at(10))));
}

#[test]
fn a_held_plan_is_told_of_once_and_goes_on_when_the_person_says_so() {
    let (mut draft, key) = with_plan();
    for _ in 0..2 {
        change(&mut draft, &key, |plan, _| {
            hold(plan, "its 5 min are over");
            Ok(())
        })
        .unwrap();
    }
    let plan = &draft.state().plans[&key];
    assert_eq!((plan.state, plan.told), (PlanState::Paused, true));
    assert_eq!(
        plan.held(&plan.schedule().held[0].1),
        "the plan is paused: its 5 min are over"
    );
    assert_eq!(told(&draft).len(), 1, "{:?}", told(&draft));
    change(&mut draft, &key, |plan, now| {
        let_go(plan, now);
        Ok(())
    })
    .unwrap();
    let plan = &draft.state().plans[&key];
    assert_eq!((plan.state, plan.why.as_ref()), (PlanState::Running, None));
}

#[test]
fn a_start_is_tried_again_a_few_times_unless_it_waits_for_others_or_cannot_pass() {
    let error = |code, words: &str| passes(&ApiError::new(code, words));
    for (code, words, wanted) in [
        (
            Code::LimitReached,
            "16 workers of this conductor are already queued",
            Passes::ByItself,
        ),
        (Code::TooDeep, TOO_DEEP, Passes::No),
        (Code::Failed, "git does not answer", Passes::Perhaps),
        (Code::Unavailable, "the disk is full", Passes::Perhaps),
        (Code::NotFound, "no agent", Passes::No),
    ] {
        assert_eq!(error(code, words), wanted, "{words}");
    }
    let (mut draft, key) = with_plan();
    for number in 1..=MOST_STARTS {
        change(&mut draft, &key, |plan, now| {
            plan.not_started(0, "git does not answer", now);
            Ok(())
        })
        .unwrap();
        let is_failed = draft.state().plans[&key].shares[0].state == ShareState::Failed;
        assert_eq!(is_failed, number == MOST_STARTS, "{number}");
    }
    assert_eq!(told(&draft).len(), 1, "the person is told");
}

#[test]
fn a_plan_that_is_paused_while_its_last_worker_finishes_is_complete() {
    let (mut draft, key) = with_plan();
    change(&mut draft, &key, |plan, now| {
        assert!(plan.claim(0, id(1), now));
        plan.skip(1, now);
        hold(plan, "$5.00 of $5.00 are used up");
        Ok(())
    })
    .unwrap();
    let state = |draft: &Draft| draft.state().plans[&key].state;
    assert_eq!(state(&draft), PlanState::Paused);
    let before = told(&draft).len();
    change(&mut draft, &key, |plan, now| {
        plan.done(0, Some("a".into()), now);
        Ok(())
    })
    .unwrap();
    assert_eq!(state(&draft), PlanState::Complete);
    assert_eq!(draft.state().plans[&key].why, None);
    assert_eq!(told(&draft).len(), before + 1, "its end is told");
}

#[test]
fn the_person_is_told_of_a_stuck_worker_whose_conductor_ended() {
    for (status, is_told) in [(Status::Idle, false), (Status::Exited, true)] {
        let (mut draft, key) = with_plan();
        draft.put_session(with(9, status));
        let before = told(&draft).len();
        change(&mut draft, &key, |plan, now| {
            plan.conductor = Some(id(9));
            assert!(plan.claim(0, id(1), now));
            plan.waits(0, Some("its worker ended its turn without a commit".into()), true);
            Ok(())
        })
        .unwrap();
        assert_eq!(told(&draft).len() - before, usize::from(is_told), "{status:?}");
    }
}
