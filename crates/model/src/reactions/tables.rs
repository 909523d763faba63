//! What rules do, and why they do nothing.

use super::fixture::*;
use super::*;
use crate::fixture::at;
use crate::pull::fixture::{check, green};
use crate::pull::{CheckState, PullState, Review, ReviewDecision, ReviewState, SeenPull};
use crate::queue::CheckResult;
use crate::status::Status;
use CheckState::{Failed, Passed, Running};

const HOUR: i64 = 3600;

#[test]
fn comments_that_arrive_together_are_one_message() {
    // The seconds at which comments arrive, and those at which messages are sent with them.
    for (arrivals, messages) in [
        (&[0][..], &[(60, 1)][..]),
        (&[0, 30, 80], &[(140, 3)]),
        (&[0, 61], &[(60, 1), (121, 1)]),
        (&[0, 50, 100, 150, 200, 250, 290], &[(300, 7)]),
        (&[0, 50, 100, 150, 200, 250, 299, 320], &[(300, 7), (380, 1)]),
    ] {
        let mut desk = Desk::new(vec![rule(Event::ChangesRequested, Action::SendToAgent)]);
        let mut seen = green();
        for (n, second) in arrivals.iter().enumerate() {
            seen = seen.with_comment(&n.to_string(), false);
            desk.see(*second, &seen);
        }
        desk.pass(1000);
        let sent: Vec<_> = desk
            .effects
            .iter()
            .map(|(at, effect)| (at.as_second(), effect.items.len()))
            .collect();
        assert_eq!(sent, messages, "{arrivals:?}");
        assert_eq!(desk.effects.last().unwrap().1.attempt, 1, "it is about one head");
    }
}

#[test]
fn a_submitted_review_is_sent_immediately() {
    let mut desk = Desk::new(vec![rule(Event::ChangesRequested, Action::SendToAgent)]);
    let mut seen = green();
    for n in 0..8 {
        seen = seen.with_comment(&n.to_string(), false);
    }
    seen.threads
        .iter_mut()
        .for_each(|thread| thread.comments[0].is_of_review = true);
    seen.decision = ReviewDecision::ChangesRequested;
    seen.reviews = vec![Review {
        id: "9".into(),
        author: "ada".into(),
        is_bot: false,
        state: ReviewState::ChangesRequested,
        text: String::new(),
    }];
    let sent = desk.see(0, &seen);
    assert_eq!(
        (sent.len(), sent[0].items.len(), sent[0].items[0].as_str()),
        (1, 9, "review:9")
    );
}

#[test]
fn people_programs_and_ourselves_are_told_apart() {
    let mut desk = Desk::new(vec![
        rule(Event::ChangesRequested, Action::SendToAgent),
        rule(Event::BugbotComments, Action::SendToAgent),
    ]);
    let mut seen = green()
        .with_comment("person", false)
        .with_comment("bot", true)
        .with_comment("ours", false);
    seen.threads[2].comments[0].is_ours = true;
    desk.see(0, &seen);
    assert_eq!(items(&desk.pass(60)), [["comment:person"], ["comment:bot"]]);
}

#[test]
fn failures_of_one_head_are_one_attempt() {
    let mut desk = Desk::new(vec![sends(Event::CiFailed, 2)]);
    let runs = |head, lint, test, unit: &str| {
        let unit_state = if unit == "u1" { Running } else { Failed };
        green().with_checks(
            head,
            vec![
                check("l", "lint", lint),
                check("t", "test", test),
                check(unit, "unit", unit_state),
            ],
        )
    };
    // The first one is sent before the others ended, within a minute; the second one with them.
    assert_eq!(desk.see(0, &runs(1, Failed, Running, "u1")), []);
    assert_eq!(items(&desk.pass(30)), [["run:l"]]);
    desk.see(600, &runs(1, Failed, Failed, "u1"));
    let sent = desk.pass(630);
    assert_eq!((items(&sent), sent[0].attempt), (vec![vec!["run:t"]], 1));
    let sent = desk.see(700, &runs(1, Failed, Failed, "u2"));
    assert_eq!((items(&sent), sent[0].attempt), (vec![vec!["run:u2"]], 1));
    // The same check again, on the same head: somebody ran it again.
    let sent = desk.see(800, &runs(1, Failed, Failed, "u3"));
    assert_eq!((items(&sent), sent[0].attempt), (vec![vec!["run:u3"]], 2));
    let told = desk.see(900, &runs(1, Failed, Failed, "u4"));
    assert!(matches!(&told[..], [effect] if is_escalation(effect)));
}

#[test]
fn a_failure_that_disappears_before_it_is_sent_is_not_sent() {
    let mut desk = Desk::new(vec![sends(Event::CiFailed, 2)]);
    let seen =
        |first, second| green().with_checks(1, vec![check("a", "test", first), check("b", "lint", second)]);
    desk.see(0, &seen(Failed, Running));
    desk.see(10, &seen(Running, Running));
    desk.see(20, &seen(Passed, Passed));
    assert_eq!(desk.pass(2 * HOUR), []);
    assert!(desk.record.is_at_rest());
}

#[test]
fn a_problem_is_over_when_it_was_clear_for_an_hour_and_not_before() {
    for (clear_for, sent) in [(HOUR - 1, 2), (HOUR, 3)] {
        let mut desk = Desk::new(vec![sends(Event::CiFailed, 2)]);
        let seen = |n: u64, state| green().with_checks(n, vec![check(&format!("r{n}"), "test", state)]);
        desk.see(0, &seen(1, Failed));
        desk.see(10, &seen(2, Failed));
        desk.see(20, &seen(3, Passed));
        desk.see(20 + clear_for, &seen(4, Failed));
        assert_eq!(
            desk.counts(),
            (sent, usize::from(sent == 2)),
            "clear for {clear_for} s"
        );
    }
}

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
        checks: Some(CheckResult {
            tree: crate::pull::fixture::commit(tree),
            hash: "h".into(),
            green,
        }),
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
fn a_label_counts_each_time_it_is_added_and_under_its_condition() {
    let mut with = rule(Event::LabelAdded, Action::SendToAgent);
    with.condition = Some("label == 'needs-tests'".into());
    let labelled = |labels: &[&str]| SeenPull {
        labels: labels.iter().map(|&label| label.into()).collect(),
        ..green()
    };
    let mut desk = Desk::new(vec![with]);
    assert_eq!(
        items(&desk.see(0, &labelled(&["needs-tests"]))),
        [["label:needs-tests"]]
    );
    assert_eq!(desk.see(1, &labelled(&["needs-tests"])), []);
    desk.see(2, &labelled(&[]));
    assert_eq!(desk.see(3, &labelled(&["needs-tests"])).len(), 1);
    desk.condition = Condition::Fails;
    assert_eq!(desk.see(4, &labelled(&["needs-tests", "other"])), []);
    let because = Because::ConditionFails;
    assert_eq!(desk.verdict(4, Event::LabelAdded), Verdict::Rests { because });
    desk.condition = Condition::Error("no such value: lable".into());
    let told = desk.see(5, &labelled(&["other"]));
    assert!(matches!(&told[..], [effect] if is_escalation(effect)));
    assert_eq!(desk.ask(6), []);
}

#[test]
fn all_complete_is_told_each_time() {
    let mut desk = Desk::new(vec![rule(Event::AllComplete, Action::Notify)]);
    for (second, open, since, told) in [
        (0, 2, None, 0),
        (1, 0, Some(1), 1),
        (2, 0, Some(1), 0),
        (3, 1, Some(1), 0),
        (4, 0, Some(4), 1),
    ] {
        desk.situation.cases = cases_of_completion(Complete {
            open,
            since: since.map(at),
        });
        assert_eq!(desk.ask(second).len(), told, "second {second}");
    }
}

#[test]
fn what_is_not_automatic_waits_for_the_person() {
    let mut merge = rule(Event::ApprovedAndGreen, Action::Merge);
    merge.auto = false;
    merge.escalate_after = after("1h");
    let mut desk = Desk::new(vec![
        merge,
        Rule {
            auto: false,
            ..rule(Event::PrOpened, Action::Notify)
        },
    ]);
    assert_eq!(desk.see(0, &green()).len(), 1, "a notice is not an action");
    assert_eq!(desk.pass(2 * HOUR), []);
    let because = Because::NotAutomatic { items: 1 };
    assert_eq!(
        desk.verdict(2 * HOUR, Event::ApprovedAndGreen),
        Verdict::Rests { because }
    );
    desk.run_now = Some("approved-and-green".into());
    assert!(matches!(
        desk.ask(3 * HOUR)[..],
        [Effect {
            act: Act::Merge { .. },
            ..
        }]
    ));
}

#[test]
fn a_person_pauses_switches_off_skips_and_runs_now() {
    let red = |n: u64| green().with_checks(n, vec![check(&format!("r{n}"), "test", Failed)]);
    let mut desk = Desk::new(vec![sends(Event::CiFailed, 1)]);
    desk.controls.paused = true;
    assert_eq!(desk.see(0, &red(1)), []);
    assert_eq!(
        desk.verdict(0, Event::CiFailed),
        Verdict::Rests {
            because: Because::Paused
        }
    );
    desk.controls = Controls {
        paused: false,
        off: ["ci-failed".to_owned()].into(),
    };
    assert_eq!(desk.ask(1), []);
    assert_eq!(
        desk.verdict(1, Event::CiFailed),
        Verdict::Rests {
            because: Because::SwitchedOff
        }
    );
    desk.controls = Controls::default();
    assert_eq!(desk.ask(2).len(), 1, "what was new meanwhile");
    desk.controls.paused = true;
    desk.see(3, &red(2));
    let rule = desk.rules[0].clone();
    skip(&mut desk.record, &desk.situation, &rule, at(3));
    desk.controls.paused = false;
    assert_eq!(desk.ask(4), [], "it was skipped");
    assert!(is_escalation(&desk.see(5, &red(3))[0]), "attempts are used up");
    desk.run_now = Some("ci-failed".into());
    let sent = desk.ask(6);
    assert_eq!((items(&sent), sent[0].attempt), (vec![vec!["run:r3"]], 2));
}

#[test]
fn explanations_say_what_happened_and_what_is_next() {
    let mut rule = sends(Event::CiFailed, 1);
    rule.escalate_after = after("30m");
    let mut desk = Desk::new(vec![rule]);
    let red = |n: u64| green().with_checks(n, vec![check(&format!("r{n}"), "test", Failed)]);
    let explained = |desk: &Desk, second| {
        let all = desk.explain(second);
        all.into_iter()
            .find(|known| known.event == Event::CiFailed)
            .unwrap()
    };
    desk.situation.cases = Vec::new();
    assert_eq!(desk.explain(0), []);
    desk.see(0, &red(1));
    let now = explained(&desk, 10);
    assert_eq!(
        now.verdict,
        Verdict::Rests {
            because: Because::Handled
        }
    );
    assert_eq!(
        (now.attempts, now.most_attempts, now.fired_at),
        (1, Some(1), Some(at(0)))
    );
    let since = at(0);
    assert_eq!(now.escalation, Some((at(1800), EscalationReason::Time { since })));
    desk.see(20, &red(2));
    let now = explained(&desk, 30);
    assert_eq!(
        now.verdict,
        Verdict::Rests {
            because: Because::AttemptsUsedUp { made: 1 }
        }
    );
    assert_eq!(
        now.escalation,
        Some((at(20), EscalationReason::Attempts { made: 1 }))
    );
    let without = desk.explain(30).into_iter().filter(|known| known.rule.is_none());
    assert_eq!(
        without.map(|known| known.event).collect::<Vec<_>>(),
        [Event::PrOpened]
    );
    let stored = serde_json::to_string(&desk.explain(30)).unwrap();
    assert_eq!(
        serde_json::from_str::<Vec<Explanation>>(&stored).unwrap(),
        desk.explain(30)
    );
}

#[test]
fn without_a_session_no_agent_is_told() {
    let mut desk = Desk::new(vec![sends(Event::CiFailed, 1)]);
    desk.situation.session = None;
    let red = green().with_checks(1, vec![check("r", "test", Failed)]);
    assert_eq!(desk.see(0, &red), []);
    assert_eq!(
        desk.verdict(0, Event::CiFailed),
        Verdict::Rests {
            because: Because::NoSession
        }
    );
}

#[test]
fn only_what_lacks_nothing_is_merged() {
    let ready = |seen: SeenPull| {
        let mut desk = Desk::new(vec![rule(Event::ApprovedAndGreen, Action::Merge)]);
        desk.see(0, &seen).len() == 1
    };
    assert!(ready(green()));
    assert!(ready(SeenPull {
        decision: ReviewDecision::Approved,
        ..green()
    }));
    let no_checks = |are_expected| SeenPull {
        checks: crate::pull::Checks::new(green().head, Vec::new(), None, are_expected),
        ..green()
    };
    assert!(ready(no_checks(Some(false))));
    assert!(ready(green().with_comment("bot", true)));
    for (seen, why) in [
        (no_checks(None), "no checks yet"),
        (
            SeenPull {
                decision: ReviewDecision::Required,
                ..green()
            },
            "a review is missing",
        ),
        (
            SeenPull {
                decision: ReviewDecision::ChangesRequested,
                ..green()
            },
            "changes",
        ),
        (green().with_comment("c", false), "an open thread"),
        (
            SeenPull {
                is_draft: true,
                ..green()
            },
            "a draft",
        ),
        (
            SeenPull {
                is_behind: true,
                ..green()
            },
            "behind",
        ),
        (
            SeenPull {
                mergeable: crate::pull::Mergeable::Unknown,
                ..green()
            },
            "unknown",
        ),
        (
            SeenPull {
                mergeable: crate::pull::Mergeable::Conflicts,
                ..green()
            },
            "conflicts",
        ),
        (
            green().with_checks(1, vec![check("a", "test", Running)]),
            "pending",
        ),
        (green().with_checks(1, vec![check("a", "test", Failed)]), "red"),
        (
            SeenPull {
                state: PullState::Merged,
                ..green()
            },
            "merged",
        ),
        (
            SeenPull {
                state: PullState::Closed,
                ..green()
            },
            "closed",
        ),
    ] {
        assert!(!ready(seen), "{why}");
    }
}

#[test]
fn too_much_is_told_and_nothing_is_forgotten() {
    let mut desk = Desk::new(vec![rule(Event::ChangesRequested, Action::SendToAgent)]);
    let mut case = Case::of(Event::ChangesRequested, Standing::Open);
    let comments = |count| (0..count).map(|n| Item::thing(&format!("comment:{n}"))).collect();
    case.items = comments(4096);
    desk.situation.cases = vec![case.clone()];
    assert_eq!(desk.ask(0)[0].items.len(), 4096);
    case.items = comments(4097);
    desk.situation.cases = vec![case.clone()];
    let told = desk.ask(1);
    let why = |effect: &Effect| match &effect.act {
        Act::Escalate { why, .. } => Some(why.clone()),
        _ => None,
    };
    assert_eq!(
        (told.len(), why(&told[0]), told[0].items.len()),
        (1, Some(EscalationReason::TooMuch), 100)
    );
    assert!(desk.ask(2).is_empty());
    let mut desk = Desk::new(desk.rules);
    case.items = comments(5000);
    desk.situation.cases = vec![case];
    assert_eq!(
        desk.ask(0).iter().map(why).collect::<Vec<_>>(),
        [Some(EscalationReason::TooMuch)]
    );
}
