//! Tables of histories with failures: usage limits, retries and errors, in the words of
//! `docs/guide/status-and-notices.md`.

use super::*;
use crate::fact::FactKind::{SubAgent, SubAgentWorks, TurnEnded, TurnStarted, Working};
use crate::fixture::{at, fails, hook, limited, retries, retries_after_limit, seen_by};
use crate::status::EvidenceSource::{Screen, Transcript};
use crate::status::Status::{Running, Waiting};
use std::slice;

#[test]
fn an_agent_whose_next_try_comes_within_a_minute_counts_as_running() {
    // The retry is reported at second 2.
    for (words, fact, status) in [
        ("in a minute", hook(retries(Some(62))), Running),
        ("in more than a minute", hook(retries(Some(63))), Waiting),
        ("nobody knows when", hook(retries(None)), Waiting),
        (
            "a usage limit, however short",
            hook(retries_after_limit(Some(3))),
            Waiting,
        ),
        (
            "read off the screen, which alone shows no wait",
            seen_by(Screen, retries(Some(900))),
            Running,
        ),
        (
            "a limit read off the screen",
            seen_by(Screen, retries_after_limit(Some(900))),
            Running,
        ),
    ] {
        let seen = Observed::of(&[hook(TurnStarted), fact]);
        assert_eq!(seen.activity.status(), status, "{words}");
        assert!(seen.retry.is_some(), "{words}");
    }
}

#[test]
fn a_blocked_agent_stays_blocked_until_it_works_is_prompted_or_stopped() {
    for (words, fact, want) in [
        ("it repeats that it rests", hook(TurnEnded), Activity::Blocked),
        (
            "a sub-agent of it ends",
            hook(SubAgent).by("a"),
            Activity::Blocked,
        ),
        (
            "a sub-agent of it works",
            hook(SubAgentWorks).by("a"),
            Activity::Blocked,
        ),
        ("it was stopped", hook(TurnEnded).as_end(), Activity::Idle),
        ("it works", hook(Working), Activity::Active),
        ("it took a message", hook(TurnStarted), Activity::Active),
    ] {
        for failure in [fails(), limited(Some(900))] {
            let failed = Observed::of(&[hook(TurnStarted), hook(failure.clone())]);
            let seen = failed.clone().then(slice::from_ref(&fact));
            assert_eq!(seen.activity, want, "{words}, {failure:?}");
            let stays = want == Activity::Blocked;
            let same = (&seen.blocked, &seen.limit) == (&failed.blocked, &failed.limit);
            assert_eq!(same, stays, "the failure is told as long as it lasts: {words}");
        }
    }
}

#[test]
fn a_message_waits_behind_the_retry_of_its_agent() {
    for (words, before, second, want) in [
        (
            "before the retry",
            hook(retries(Some(900))),
            899,
            Activity::Blocked,
        ),
        ("at the retry", hook(retries(Some(900))), 900, Activity::Active),
        ("no time was told", hook(retries(None)), 9000, Activity::Blocked),
        (
            "the retry is part of its work",
            hook(retries(Some(30))),
            20,
            Activity::Active,
        ),
        ("it failed for good", hook(fails()), 20, Activity::Active),
    ] {
        let blocked = Observed::of(&[hook(TurnStarted), before]);
        let seen = blocked.clone().after(&hook(TurnStarted).at(second));
        assert_eq!(seen.activity, want, "{words}");
        let is_behind = seen == blocked;
        assert_eq!(is_behind, want == Activity::Blocked, "{words}");
    }
    let works = Observed::of(&[hook(TurnStarted), hook(retries(Some(900)))]).then(&[hook(Working)]);
    assert_eq!(works.activity, Activity::Active, "work of its own is no message");
}

#[test]
fn a_failure_keeps_the_best_known_reason() {
    let limit_then_failure = Observed::of(&[hook(limited(Some(900))), hook(fails())]);
    assert_eq!(
        limit_then_failure.blocked, None,
        "the usage limit is the better reason"
    );
    assert_eq!(limit_then_failure.limit.unwrap().limit.resets_at, Some(at(900)));
    let failed = Observed::of(&[hook(TurnStarted), hook(fails())]);
    assert_eq!(failed.blocked.as_deref(), Some("Invalid API key"));
    let retries_next = failed.then(&[hook(retries(Some(900)))]);
    assert_eq!(retries_next.blocked, None);
    assert!(retries_next.retry.is_some() && retries_next.limit.is_none());
}

#[test]
fn a_limit_keeps_the_end_that_was_reported_first() {
    for (first, again, want) in [
        (None, Some(900), 900),
        (Some(800), Some(900), 800),
        (Some(800), None, 800),
    ] {
        let seen = Observed::of(&[hook(limited(first)), seen_by(Transcript, limited(again))]);
        let limited = seen.limit.unwrap();
        assert_eq!(limited.limit.resets_at, Some(at(want)));
        assert_eq!((limited.refusals, limited.at), (1, at(1)), "it is one refusal");
    }
}

#[test]
fn the_wait_after_a_limit_grows_only_without_a_finished_turn_between_refusals() {
    let again = [hook(TurnStarted), hook(limited(None))];
    let twice = Observed::of(&again).then(&again);
    assert_eq!(twice.limit.as_ref().unwrap().refusals, 2);
    let finished = twice
        .clone()
        .then(&[hook(TurnStarted), hook(TurnEnded)])
        .then(&again);
    assert_eq!(finished.limit.unwrap().refusals, 1);
    let by_itself = twice.then(&[hook(retries_after_limit(Some(900)))]);
    let limit = by_itself.limit.unwrap();
    assert_eq!(
        limit.refusals, 1,
        "an agent that tries again by itself is asked by nobody"
    );
    assert_eq!(
        (limit.limit.text.as_str(), limit.limit.resets_at),
        ("Too Many Requests", Some(at(900)))
    );
}

#[test]
fn an_error_belongs_to_the_present_turn_if_no_later_fact_is_known() {
    let told_by_agent = Observed::of(&[hook(TurnStarted), hook(Working)]);
    assert!(told_by_agent.turn_failed_at(at(2)) && !told_by_agent.turn_failed_at(at(1)));
    let rests = told_by_agent.clone().then(&[hook(TurnEnded)]);
    assert!(!rests.turn_failed_at(at(9)), "no turn goes on");
    let sub_agent_only = Observed::of(&[hook(SubAgentWorks).by("a")]);
    assert!(sub_agent_only.turn_failed_at(at(1)) && !sub_agent_only.turn_failed_at(at(0)));
    let beside = told_by_agent.then(&[hook(SubAgentWorks).by("a")]);
    assert!(
        beside.turn_failed_at(at(2)),
        "a sub-agent's work is not the agent's own"
    );
}
