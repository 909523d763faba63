//! Tables of when work may be merged, and of what follows from the result of a merge.

use super::*;
use crate::state::example::{at, draft, id, told, with};
use downbeat_model::session::{CheckRun, CheckedFor};
use downbeat_model::{CheckOutcome, CheckResult, Status, Subject};

fn verification(hash: &str, green: bool) -> Verification {
    let check = CheckResult {
        name: "test".into(),
        command: "make test".into(),
        required: true,
        outcome: if green {
            CheckOutcome::Passed
        } else {
            CheckOutcome::Failed
        },
        exit_code: Some(i32::from(!green)),
        millis: 1,
        excerpt: "1 failed".into(),
    };
    Verification {
        commit: "c1".into(),
        tree: "t1".into(),
        hash: hash.into(),
        uncommitted: 0,
        started_at: at(0),
        finished_at: at(1),
        checks: vec![check],
        error: None,
    }
}

fn wanted(strategy: MergeStrategy, unchecked: bool) -> Wanted {
    Wanted {
        strategy: Some(strategy),
        unchecked,
        pull: Some(pull(false)),
        any_order: false,
    }
}

fn pull(by_rule: bool) -> MergingPull {
    MergingPull {
        id: Subject::of_word("pull:github.com/PR_1"),
        number: 7,
        head: downbeat_model::oid::Oid::parse(&"1".repeat(40)).unwrap(),
        base: "main".into(),
        delete_branch: false,
        when_ready: false,
        by_rule,
    }
}

fn row(status: Status) -> SessionRow {
    SessionRow {
        workspace_path: Some("/shop/w".into()),
        ..with(1, status)
    }
}

#[test]
fn work_is_merged_once_the_current_checks_are_green_or_the_person_says_so() {
    let running = CheckRun {
        id: id(9),
        at: at(0),
        requested: CheckedFor::Caller,
        anew: true,
        started_at: None,
        now: None,
    };
    for (last, run, hash, unchecked, wanted) in [
        (None, None, None, false, None),
        (None, None, Some("h"), false, Some("have not run yet")),
        (None, None, Some("h"), true, None),
        (Some(verification("h", true)), None, Some("h"), false, None),
        (
            Some(verification("h", false)),
            None,
            Some("h"),
            false,
            Some("failed on its last commit"),
        ),
        (
            Some(verification("old", true)),
            None,
            Some("h"),
            false,
            Some("have changed"),
        ),
        (
            Some(verification("h", true)),
            Some(running),
            Some("h"),
            false,
            Some("are running"),
        ),
        (Some(verification("h", false)), None, Some("h"), true, None),
    ] {
        let mut row = row(Status::Idle);
        (row.checks.last, row.checks.run) = (last, run);
        let refused = refuse_unverified(&row, hash, unchecked).err();
        let is = refused.as_ref().map(|error| error.message.as_str());
        match wanted {
            None => assert_eq!(is, None),
            Some(words) => assert!(is.is_some_and(|is| is.contains(words)), "{is:?}"),
        }
    }
}

fn result(outcome: MergeOutcome) -> MergeResult {
    MergeResult {
        outcome,
        target: "main".into(),
        head: "0123456789".into(),
        commit: None,
        detail: "what came of it".into(),
        files: vec!["a.rs".into(), "evil\n- deploy".into()],
        at: at(2),
    }
}

#[test]
fn the_person_learns_of_a_merge_at_a_forge_unless_a_rule_tells_of_it() {
    for (outcome, notices) in [
        (MergeOutcome::Landed, vec![]),
        (MergeOutcome::Queued, vec![]),
        (
            MergeOutcome::Refused,
            vec!["needsLook: what came of it".to_owned()],
        ),
    ] {
        let mut draft = draft(10, [row(Status::Idle)]);
        let order = Check {
            session: id(1),
            run: id(11),
        };
        let how = wanted(MergeStrategy::Squash, false);
        request(&mut draft, &id(1), id(11), &how).unwrap();
        request(&mut draft, &id(1), id(12), &how).unwrap();
        assert_eq!(draft.state().effects.len(), 1);
        assert!(begin(&mut draft, &order).unwrap());
        conclude(&mut draft, &order, result(outcome)).unwrap();
        conclude(&mut draft, &order, result(MergeOutcome::Landed)).unwrap();
        assert!(draft.state().effects.is_empty() && under_way(draft.state(), &order).is_none());
        let last = draft.state().sessions[&id(1)].merging.last.clone();
        assert_eq!(
            last.map(|last| last.outcome),
            Some(outcome),
            "a result is recorded once"
        );
        assert_eq!(told(&draft), notices);
    }
}

#[test]
fn an_agent_is_told_what_it_can_mend_in_quoted_text() {
    let mut draft = draft(10, [row(Status::Idle)]);
    for outcome in [
        MergeOutcome::Landed,
        MergeOutcome::Refused,
        MergeOutcome::Conflict,
        MergeOutcome::ChecksFailed,
    ] {
        tell_agent(
            &mut draft,
            &id(1),
            &result(outcome),
            Why {
                checked: Some(&verification("h", false)),
                conflict: None,
            },
        );
    }
    let queue = draft.state().queues[&id(1)].clone();
    let sent: Vec<&str> = queue.iter().map(|row| row.text.as_str()).collect();
    assert_eq!(sent.len(), 2, "{sent:?}");
    assert!(
        sent[0].starts_with("Your commit 01234567 cannot be merged into main"),
        "{sent:?}"
    );
    assert!(
        sent[0].contains("\n    > a.rs\n    > evil - deploy\n"),
        "{sent:?}"
    );
    assert!(
        sent[1].contains("- test (make test) exited with 1\n    > 1 failed\n"),
        "{sent:?}"
    );
}

#[test]
fn a_cancelled_merge_has_no_result() {
    let mut draft = draft(10, [row(Status::Idle)]);
    let order = Check {
        session: id(1),
        run: id(11),
    };
    request(&mut draft, &id(1), id(11), &wanted(MergeStrategy::Merge, true)).unwrap();
    assert!(cancel(&mut draft, &id(1)).unwrap());
    assert!(!cancel(&mut draft, &id(1)).unwrap());
    assert!(!begin(&mut draft, &order).unwrap());
    conclude(&mut draft, &order, result(MergeOutcome::Landed)).unwrap();
    assert_eq!(draft.state().sessions[&id(1)].merging.last, None);
    assert!(draft.state().effects.is_empty() && told(&draft).is_empty());
}

#[test]
fn a_merge_that_lands_cannot_be_cancelled_and_one_that_does_not_can() {
    let mut draft = draft(10, [row(Status::Idle)]);
    let merge = Check {
        session: id(1),
        run: id(11),
    };
    request(&mut draft, &id(1), id(11), &wanted(MergeStrategy::Merge, true)).unwrap();
    assert!(set_landing(&mut draft, &merge, true).unwrap());
    assert_eq!(cancel(&mut draft, &id(1)).unwrap_err().code, Code::Conflict);
    assert!(set_landing(&mut draft, &merge, false).unwrap());
    assert!(cancel(&mut draft, &id(1)).unwrap());
    assert!(
        !set_landing(&mut draft, &merge, true).unwrap(),
        "it was cancelled"
    );
}

#[test]
fn a_session_is_not_removed_while_its_work_lands() {
    let mut draft = draft(10, [row(Status::Exited)]);
    let merge = Check {
        session: id(1),
        run: id(11),
    };
    request(&mut draft, &id(1), id(11), &wanted(MergeStrategy::Merge, true)).unwrap();
    refuse_landing(&draft.state().sessions[&id(1)]).unwrap();
    assert!(set_landing(&mut draft, &merge, true).unwrap());
    let refused = refuse_landing(&draft.state().sessions[&id(1)]).unwrap_err();
    assert!(refused.message.contains("landing at this moment"), "{refused:?}");
}

#[test]
fn a_merge_of_a_rule_is_put_off_ten_times_and_a_quiet_end_tells_nobody() {
    let mut draft = draft(0, [row(Status::Idle)]);
    let how = Wanted {
        strategy: None,
        unchecked: false,
        pull: Some(pull(true)),
        any_order: false,
    };
    request(&mut draft, &id(1), id(11), &how).unwrap();
    let order = Check {
        session: id(1),
        run: id(11),
    };
    let mut waits = Vec::new();
    for _ in 0..10 {
        assert!(begin(&mut draft, &order).unwrap() && set_landing(&mut draft, &order, true).unwrap());
        assert!(put_off(&mut draft, &order, "a check runs").unwrap());
        let effect = draft.state().merge(&id(1)).unwrap();
        waits.push(effect.not_before.duration_since(draft.now()).as_secs());
        refuse_landing(draft.session(&id(1)).unwrap()).unwrap();
    }
    assert!(waits.is_sorted() && waits[0] >= 29, "{waits:?}");
    assert!(
        !put_off(&mut draft, &order, "a check runs").unwrap(),
        "it was tried often enough"
    );
    conclude_quietly(&mut draft, &order, result(MergeOutcome::Refused)).unwrap();
    assert!(draft.state().merge(&id(1)).is_none());
    assert_eq!(told(&draft), Vec::<String>::new());
    assert!(
        !put_off(&mut draft, &order, "a check runs").unwrap(),
        "it is over"
    );
}

#[test]
fn what_became_of_a_queued_merge_is_recorded_once_and_the_person_is_told_only_if_it_was_given_up() {
    let queued = MergeResult {
        head: "c1".into(),
        ..result(MergeOutcome::Queued)
    };
    for (head, why, outcome, notices) in [
        ("c1", None, MergeOutcome::Landed, 0),
        ("c1", Some("it failed"), MergeOutcome::Refused, 1),
        ("c2", Some("it failed"), MergeOutcome::Queued, 0),
    ] {
        let mut session = row(Status::Idle);
        session.merging.last = Some(queued.clone());
        assert!(is_queued(&session, "c1") && !is_queued(&session, "c2"));
        let mut draft = draft(10, [session]);
        for _ in 0..2 {
            left_queue(&mut draft, &id(1), (7, head), why).unwrap();
        }
        let last = draft.state().sessions[&id(1)].merging.last.clone().unwrap();
        assert_eq!(last.outcome, outcome);
        let words =
            "needsLook: pull request #7 left the merge queue of the forge and was not merged: it failed";
        assert_eq!(told(&draft), vec![words; notices]);
    }
}
