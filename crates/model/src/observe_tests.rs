//! Stories of sessions, from fact to fact. Single rules are in the tables next to this file.

use super::*;
use crate::fact::FactKind::{
    QuestionClosed, Ready, SubAgent, SubAgentWorks, ToolsListed, ToolsMissing, TurnEnded, TurnStarted,
    Working,
};
use crate::fixture::{asks, at, fails, hook, limited, seen_by};
use crate::status::EvidenceSource::{Engine, Input, Output, Transcript};
use std::slice;

#[test]
fn a_turn_with_a_question_is_followed_from_start_to_end() {
    let mut seen = Observed::of(&[]);
    for (fact, status, question) in [
        (hook(Ready(None)), Status::Idle, None),
        (hook(TurnStarted), Status::Running, None),
        (
            hook(asks("Bash: npm run migrate")).in_call("1"),
            Status::Waiting,
            Some("Bash: npm run migrate"),
        ),
        (
            hook(Working).in_call("2").as_end(),
            Status::Waiting,
            Some("Bash: npm run migrate"),
        ),
        (hook(Working).in_call("1").as_end(), Status::Running, None),
        (hook(TurnEnded), Status::Idle, None),
    ] {
        seen = seen.then(slice::from_ref(&fact));
        assert_eq!(
            (seen.activity.status(), seen.shows().1),
            (status, question),
            "{fact:?}"
        );
    }
}

#[test]
fn the_program_of_a_shell_is_known_until_the_activity_changes() {
    let runs = seen_by(EvidenceSource::Process, FactKind::Runs("vim (a copy) x".into()));
    let seen = Observed::of(slice::from_ref(&runs));
    assert_eq!(seen.activity, Activity::Active);
    assert_eq!(seen.program.as_deref(), Some("vim (a copy) x"));
    let rests = seen.then(&[seen_by(EvidenceSource::Process, TurnEnded)]);
    assert_eq!((rests.activity, rests.program), (Activity::Idle, None));
}

#[test]
fn facts_count_in_their_order_when_the_clock_is_set_back() {
    let works = Observed::of(&[]).after(&hook(TurnStarted).at(101));
    let key = works.time_in_order(at(1));
    let asks = works.after(&hook(asks("ls")).at(2));
    assert_eq!(asks.activity, Activity::WaitingInput);
    assert!(
        asks.evidence.at > key,
        "a key of before the question is no answer"
    );
    let key = asks.time_in_order(at(3));
    assert!(key >= asks.evidence.at, "one of after it may be");
    let closed = asks.after(&seen_by(Input, QuestionClosed).at(4));
    assert_eq!(closed.activity, Activity::Active);
    let rests = closed.after(&hook(TurnEnded).at(5));
    assert_eq!((rests.activity, rests.since), (Activity::Idle, rests.evidence.at));
    let on_time = rests.after(&hook(TurnStarted).at(200));
    assert_eq!(on_time.since, at(200));
}

#[test]
fn a_session_runs_until_the_last_sub_agent_behind_its_turn_ends() {
    let works = |id| hook(SubAgentWorks).by(id);
    let ends = |id| hook(SubAgent).by(id).as_end();
    let own_end = hook(TurnEnded).as_end();
    let behind = Observed::of(&[hook(TurnStarted), works("a"), works("b"), own_end.clone()]);
    assert_eq!(behind.activity, Activity::Active);
    let asked = behind.then(&[hook(asks("Bash: ls")).in_call("1").by("b")]);
    let one = asked.clone().then(&[ends("a")]);
    assert_eq!(one.shows(), (Activity::WaitingInput, Some("Bash: ls")));
    assert_eq!(one.then(&[ends("b")]).shows(), (Activity::Idle, None));
    // A sub-agent that ends during the next turn does not end that turn.
    let beside = asked.then(&[hook(TurnStarted).as_end(), works("b"), ends("b")]);
    assert_eq!(beside.activity, Activity::Active);
    assert_eq!(beside.then(&[own_end]).activity, Activity::Idle);
}

#[test]
fn a_usage_limit_stays_until_the_agent_works_again() {
    let hit = Observed::of(&[hook(TurnStarted), hook(limited(None))]);
    // The transcript knows the end; the other sources say only that the agent rests.
    let still = hit.then(&[
        seen_by(Transcript, limited(Some(900))),
        hook(TurnEnded),
        hook(SubAgent),
        hook(fails()),
        seen_by(Output, FactKind::Output),
    ]);
    let told = |seen: &Observed| {
        let limited = seen.limit.as_ref().unwrap();
        (limited.limit.resets_at, limited.refusals)
    };
    assert_eq!(
        (still.activity, told(&still)),
        (Activity::Blocked, (Some(at(900)), 1))
    );
    let works = still.then(&[hook(TurnStarted)]);
    assert_eq!((works.activity, &works.limit), (Activity::Active, &None));
    let again = works.then(&[hook(limited(Some(900)))]);
    assert_eq!(told(&again), (Some(at(900)), 2), "refused twice in a row");
    let done = again.then(&[hook(TurnStarted), hook(TurnEnded)]);
    assert_eq!((done.limit, done.refusals), (None, 0));
}

#[test]
fn the_state_of_the_tools_does_not_change_the_activity() {
    let awaits = Observed {
        tools: Some(ToolsState::Awaited),
        ..Observed::of(&[])
    };
    let missing = awaits.then(&[hook(TurnStarted), seen_by(Engine, ToolsMissing)]);
    assert_eq!(missing.tools, Some(ToolsState::Missing));
    assert_eq!((missing.activity, missing.since), (Activity::Active, at(1)));
    let listed = missing.then(&[seen_by(Engine, ToolsListed)]);
    assert_eq!(listed.tools, Some(ToolsState::Listed));
    let late = listed.then(&[seen_by(Engine, ToolsMissing)]);
    assert_eq!(late.tools, Some(ToolsState::Listed), "they came in between");
    let none = Observed::of(&[hook(ToolsListed)]);
    assert_eq!(none.tools, None, "it was given none");
}
