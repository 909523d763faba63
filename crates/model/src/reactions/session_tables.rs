//! What rules do about sessions: agents that are stuck, ask, end or rest, and checks of their work.

use super::fixture::*;
use super::*;
use crate::fixture::at;
use crate::queue::CheckResult;
use crate::status::Status;

#[test]
fn thresholds_count_from_the_beginning() {
    let stuck = |since: Option<i64>| SessionFacts {
        quiet_since: since.map(at),
        status: Status::Running,
        ..idle_session()
    };
    for (threshold, fires_at) in [(None, 600), (Some("2m"), 120), (Some("30m"), 1800)] {
        let mut rule = rule(Event::AgentStuck, Action::Notify);
        rule.threshold = threshold.map(|text| Period::parse(text).unwrap());
        let mut desk = Desk::new(vec![rule]);
        assert_eq!(desk.see_session(60, &stuck(Some(0))), []);
        let until = at(fires_at);
        let what = WaitsFor::Threshold;
        assert_eq!(
            desk.verdict(60, Event::AgentStuck),
            Verdict::Waits { what, until }
        );
        assert_eq!(desk.pass(fires_at - 1), []);
        assert_eq!(desk.pass(fires_at).len(), 1);
        assert_eq!(desk.see_session(fires_at + 1, &stuck(None)), []);
    }
}

#[test]
fn events_of_a_session_are_about_one_thing_each() {
    let facts = idle_session;
    let rows = [
        (Event::AgentIdle, facts(), Some("idle:1970-01-01T00:00:00Z")),
        (
            Event::AgentIdle,
            SessionFacts {
                status: Status::Running,
                ..facts()
            },
            None,
        ),
        (
            Event::AgentNeedsInput,
            SessionFacts {
                question_since: Some(at(5)),
                ..facts()
            },
            Some("question:1970-01-01T00:00:05Z"),
        ),
        (
            Event::AgentExited,
            SessionFacts {
                status: Status::Exited,
                status_since: at(9),
                ..facts()
            },
            Some("exit:1970-01-01T00:00:09Z"),
        ),
        (
            Event::AgentExited,
            SessionFacts {
                status: Status::Exited,
                was_ended: true,
                ..facts()
            },
            None,
        ),
        (
            Event::AgentExited,
            SessionFacts {
                status: Status::Killed,
                ..facts()
            },
            None,
        ),
        (
            Event::UsageLimit,
            SessionFacts {
                limit_since: Some(at(7)),
                ..facts()
            },
            Some("limit:1970-01-01T00:00:07Z"),
        ),
        (
            Event::BudgetReached,
            SessionFacts {
                budgets: vec![("session/usd".into(), at(7))],
                ..facts()
            },
            Some("session/usd:1970-01-01T00:00:07Z"),
        ),
        (
            Event::ChecksPassed,
            SessionFacts {
                mergeable: Some((crate::pull::fixture::commit(7), at(7))),
                ..facts()
            },
            Some("passed:0000000000000000000000000000000000000007"),
        ),
    ];
    for (event, facts, item) in rows {
        let mut desk = Desk::new(vec![rule(event, Action::Notify)]);
        let effects = desk.see_session(10, &facts);
        let items: Vec<_> = effects
            .iter()
            .flat_map(|effect| &effect.items)
            .map(String::as_str)
            .collect();
        assert_eq!(items, item.into_iter().collect::<Vec<_>>(), "{event:?}");
    }
}

#[test]
fn checks_of_a_tree_that_failed_are_sent_once_and_count() {
    let failed = |tree: u64, green| SessionFacts {
        checks: Some((
            CheckResult {
                tree: crate::pull::fixture::commit(tree),
                hash: "h".into(),
                green,
            },
            at(0),
        )),
        ..idle_session()
    };
    let mut desk = Desk::new(vec![sends(Event::ChecksFailed, 2)]);
    for (second, tree) in (0..).zip([1, 1, 2, 1, 3, 4]) {
        desk.see_session(second * 10, &failed(tree, false));
        desk.see_session(
            second * 10 + 5,
            &SessionFacts {
                checks: None,
                ..idle_session()
            },
        );
    }
    assert_eq!(desk.counts(), (2, 1));
}

#[test]
fn an_agent_that_ends_again_and_again_is_restarted_within_its_budget() {
    let mut rule = rule(Event::AgentExited, Action::Restart);
    rule.retries = Some(3);
    let mut desk = Desk::new(vec![rule]);
    for second in (0..1000).step_by(100) {
        let status_since = at(second);
        desk.see_session(
            second,
            &SessionFacts {
                status: Status::Exited,
                status_since,
                ..idle_session()
            },
        );
        desk.see_session(
            second + 50,
            &SessionFacts {
                status: Status::Running,
                ..idle_session()
            },
        );
    }
    assert_eq!(desk.counts(), (3, 1));
}

#[test]
fn all_complete_is_told_each_time() {
    let mut desk = Desk::new(vec![rule(Event::AllComplete, Action::Notify)]);
    for (second, open, since, told) in [
        (0, 2, None, 0),
        (1, 0, Some(1), 1),
        (2, 0, Some(1), 0),
        // One of them is archived.
        (2, 0, Some(0), 0),
        (3, 1, Some(1), 0),
        (4, 0, Some(4), 1),
    ] {
        let workers = Some(Complete {
            open,
            since: since.map(at),
        });
        let facts = SessionFacts {
            workers,
            ..idle_session()
        };
        assert_eq!(desk.see_session(second, &facts).len(), told, "second {second}");
    }
}

#[test]
fn each_request_for_changes_is_handled_once_and_none_is_a_failed_attempt() {
    let mut desk = Desk::new(vec![sends(Event::ChangesRequested, 1)]);
    let requested = |review: Option<u32>| SessionFacts {
        changes_requested: review.map(|number| (number, at(i64::from(number)))),
        ..idle_session()
    };
    for (second, review, items) in [
        (1, Some(1), vec![vec!["review:1"]]),
        (2, Some(1), vec![]),
        (3, Some(2), vec![vec!["review:2"]]),
        (4, None, vec![]),
        (5, Some(2), vec![]),
        (6, Some(6), vec![vec!["review:6"]]),
    ] {
        let effects = desk.see_session(second, &requested(review));
        let found: Vec<Vec<&str>> = effects
            .iter()
            .map(|effect| effect.items.iter().map(String::as_str).collect())
            .collect();
        assert_eq!(found, items, "second {second}");
    }
    // The reviewer knows that it stands: the person is not told of it after the rule's time.
    desk.pass(100_000);
    assert_eq!(desk.counts(), (3, 0));
}

#[test]
fn each_approval_merges_its_own_commit_once() {
    let mut desk = Desk::new(vec![rule(Event::ApprovedAndGreen, Action::AutoMerge)]);
    let approved = |review: Option<(u32, u64)>| SessionFacts {
        approved: review.map(|(number, commit)| (number, crate::pull::fixture::commit(commit), at(0))),
        ..idle_session()
    };
    for (second, review, merged) in [
        (1, Some((1, 1)), Some(1)),
        (2, Some((1, 1)), None),
        // Another commit is at the head: the approval is outdated.
        (3, None, None),
        (4, Some((1, 1)), None),
        (5, Some((2, 2)), Some(2)),
        (6, Some((3, 2)), Some(2)),
    ] {
        let effects = desk.see_session(second, &approved(review));
        let heads: Vec<_> = effects.iter().map(|effect| effect.act.clone()).collect();
        let expected: Vec<_> = merged
            .map(|commit| Act::AutoMerge {
                head: crate::pull::fixture::commit(commit),
                strategy: None,
                delete_after: false,
            })
            .into_iter()
            .collect();
        assert_eq!(heads, expected, "second {second}");
    }
}
