//! What rules do about pull requests: what is sent together, what counts as an attempt, and what is merged.

use super::fixture::*;
use super::*;
use crate::pull::fixture::{check, commit, green};
use crate::pull::{CheckState, Pull, PullState, Review, ReviewDecision, ReviewState, SeenPull};
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
fn what_is_said_in_the_conversation_is_sent_once_and_its_problem_ends_with_that() {
    let sends_comments = Rule {
        escalate_after: after("30m"),
        ..sends(Event::ChangesRequested, 2)
    };
    let mut desk = Desk::new(vec![
        sends_comments,
        rule(Event::BugbotComments, Action::SendToAgent),
    ]);
    let mut seen = green().with_remark("rename", false).with_remark("summary", true);
    assert_eq!(desk.see(0, &seen), [], "more may come");
    seen = seen.with_remark("and-this", false);
    desk.see(30, &seen);
    assert_eq!(
        items(&desk.pass(90)),
        [
            ["comment:summary"].as_slice(),
            &["comment:rename", "comment:and-this"]
        ]
    );
    assert_eq!(
        items(&desk.pass(3 * 3600)),
        [[""; 0]; 0],
        "nobody is told that it is unresolved"
    );
    // A merge does not wait for what is only said.
    assert!(is_ready(&seen), "{seen:?}");
    // The next one is another problem, with a budget of its own; an older one is not sent again.
    seen = seen.with_checks(2, Vec::new()).with_remark("thanks", false);
    desk.see(4 * 3600, &seen);
    let sent = desk.pass(4 * 3600 + 60);
    assert_eq!((items(&sent), sent[0].attempt), (vec![vec!["comment:thanks"]], 1));
    // What a reviewer requests stands until that reviewer is content.
    seen.decision = ReviewDecision::ChangesRequested;
    desk.see(9 * 3600, &seen);
    let told = desk.pass(9 * 3600 + 31 * 60);
    assert!(
        matches!(
            told[..],
            [Effect {
                act: Act::Escalate { .. },
                ..
            }]
        ),
        "{told:?}"
    );
}

#[test]
fn a_comment_of_the_conversation_that_cannot_be_sent_is_told_to_the_person() {
    let mut desk = Desk::new(vec![sends(Event::ChangesRequested, 2)]);
    let seen = green().with_remark("rename", false);
    desk.see(0, &seen);
    let sent = desk.pass(60);
    assert_eq!(items(&sent), [["comment:rename"]]);
    desk.record.failed(sent[0].problem, "the session has no terminal");
    let told = desk.pass(61);
    assert!(
        matches!(
            &told[..],
            [Effect {
                act: Act::Escalate {
                    why: EscalationReason::Failed { .. },
                    ..
                },
                ..
            }]
        ),
        "{told:?}"
    );
    assert_eq!(desk.pass(3 * HOUR), [], "once");
}

#[test]
fn comments_of_the_conversation_beyond_the_budget_are_told_once_and_the_next_ones_have_another() {
    let mut desk = Desk::new(vec![sends(Event::BugbotComments, 1)]);
    let mut seen = green().with_remark("first", true);
    desk.see(0, &seen);
    assert_eq!(items(&desk.pass(60)), [["comment:first"]]);
    seen = seen.with_checks(2, Vec::new()).with_remark("second", true);
    let told = desk.see(600, &seen);
    assert!(
        matches!(
            &told[..],
            [Effect {
                act: Act::Escalate {
                    why: EscalationReason::Attempts { made: 1, .. },
                    ..
                },
                ..
            }]
        ),
        "{told:?}"
    );
    seen = seen.with_checks(3, Vec::new()).with_remark("third", true);
    assert_eq!(desk.see(1200, &seen), [], "the person was told");
    assert_eq!(desk.pass(1300), []);
    seen = seen.with_checks(4, Vec::new()).with_remark("fourth", true);
    desk.see(3 * HOUR, &seen);
    assert_eq!(
        items(&desk.pass(3 * HOUR + 60)),
        [["comment:fourth"]],
        "another problem"
    );
}

fn is_ready(seen: &SeenPull) -> bool {
    let cases = cases_of_pull(&Pull::of(seen));
    let ready = |case: &Case| case.event == Event::ApprovedAndGreen && case.standing == Standing::Open;
    cases.iter().any(ready)
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
fn checks_that_run_after_green_ones_are_no_problem_that_stands() {
    let mut rule = sends(Event::CiFailed, 2);
    rule.escalate_after = after("30m");
    let mut desk = Desk::new(vec![rule]);
    let seen = |n: u64, state| green().with_checks(n, vec![check(&format!("r{n}"), "test", state)]);
    desk.see(0, &seen(1, Failed));
    desk.see(600, &seen(2, Passed));
    desk.see(1700, &seen(3, Running));
    assert_eq!(desk.pass(2 * HOUR), []);
    // While they run after red ones, the problem stands.
    desk.see(3 * HOUR, &seen(4, Failed));
    desk.see(3 * HOUR + 60, &seen(5, Running));
    desk.pass(4 * HOUR);
    assert_eq!(desk.counts(), (2, 1));
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
fn only_what_lacks_nothing_is_merged() {
    let ready = |seen: SeenPull| {
        let mut desk = Desk::new(vec![rule(Event::ApprovedAndGreen, Action::Merge)]);
        desk.see(0, &seen).len() + desk.pass(HOUR).len() == 1
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

#[test]
fn a_new_commit_without_checks_is_ready_once_they_would_have_started() {
    use crate::pull::Checks;
    let bare = |number: u64| SeenPull {
        checks: Checks::new(commit(number), Vec::new(), None, Some(false)),
        head: commit(number),
        ..green()
    };
    let mut desk = Desk::new(vec![rule(Event::ApprovedAndGreen, Action::Merge)]);
    assert_eq!(desk.see(0, &bare(1)), []);
    assert_eq!(desk.pass(119), []);
    let red = green().with_checks(1, vec![check("r1", "test", CheckState::Failed)]);
    assert_eq!(desk.see(119, &red), [], "checks started after all");
    assert_eq!(desk.pass(300), []);
    // Another commit begins anew, also while nothing else is missing.
    assert_eq!(desk.see(400, &bare(2)), []);
    assert_eq!(desk.pass(519), []);
    assert_eq!(desk.pass(520).len(), 1);
    assert_eq!(desk.see(521, &bare(3)), []);
    assert_eq!(desk.pass(700).len(), 1);
}
