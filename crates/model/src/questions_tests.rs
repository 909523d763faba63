//! Tests of what closes a question: facts about the question itself, or about the whole agent.

use super::*;
use crate::fact::FactKind::{
    Cleared, ConversationEnded, Output, QuestionClosed, Quiet, Ready, SubAgent, SubAgentWorks, TurnEnded,
    TurnStarted, Working,
};
use crate::fixture::{asks, asks_in_prose, fails, hook, leaves, limited, retries, seen_by};
use crate::observe::Observed;
use crate::status::Activity;
use std::slice;

/// Returns an agent that asks in a call of its own, with sub-agents `a` and `b` that ask at the same time.
fn three_ask() -> Observed {
    Observed::of(&[
        hook(TurnStarted),
        hook(asks("own")).in_call("Bash: ls"),
        hook(asks("a's")).in_call("Bash: ls").by("a"),
        hook(asks("b's")).in_call("Bash: ls").by("b"),
    ])
}

fn open(seen: &Observed) -> Vec<&str> {
    seen.open.iter().map(|open| open.question.text.as_str()).collect()
}

#[test]
fn a_question_of_the_agent_is_closed_only_by_its_own_facts() {
    let all: &[&str] = &["own", "a's", "b's"];
    let rows: [(&str, Fact, &[&str]); 8] = [
        (
            "the call ends",
            hook(Working).in_call("Bash: ls").as_end(),
            &["a's", "b's"],
        ),
        ("another call ends", hook(Working).in_call("Read").as_end(), all),
        ("the call goes on", hook(Working).in_call("Bash: ls"), all),
        ("some work", hook(Working), all),
        (
            "a hook closes the agent's",
            hook(QuestionClosed).as_end(),
            &["a's", "b's"],
        ),
        (
            "a hook closes a sub-agent's",
            hook(QuestionClosed).by("a").as_end(),
            &["own", "b's"],
        ),
        (
            "a hook closes another call's",
            hook(QuestionClosed).in_call("Read").as_end(),
            all,
        ),
        (
            "a new turn of the agent",
            hook(TurnStarted).as_end(),
            &["a's", "b's"],
        ),
    ];
    for (words, fact, want) in rows {
        let seen = three_ask().then(&[fact]);
        assert_eq!(open(&seen), want, "{words}");
        assert_eq!(seen.activity, Activity::WaitingInput, "{words}");
    }
}

#[test]
fn a_question_of_a_sub_agent_is_closed_only_by_its_own_call_or_end() {
    let all: &[&str] = &["own", "a's", "b's"];
    let rows: [(&str, Fact, &[&str]); 6] = [
        (
            "the call of a sub-agent ends",
            hook(SubAgent).by("a").in_call("Bash: ls").as_end(),
            &["own", "b's"],
        ),
        (
            "another call of it ends",
            hook(SubAgent).by("a").in_call("Read").as_end(),
            all,
        ),
        (
            "a sub-agent ends",
            hook(SubAgent).by("b").as_end(),
            &["own", "a's"],
        ),
        (
            "a sub-agent that did not ask ends",
            hook(SubAgent).by("c").as_end(),
            all,
        ),
        ("a sub-agent works", hook(SubAgentWorks).by("a"), all),
        (
            "its call ends while it works on",
            hook(SubAgentWorks).by("a").in_call("Bash: ls").as_end(),
            &["own", "b's"],
        ),
    ];
    for (words, fact, want) in rows {
        let seen = three_ask().then(&[fact]);
        assert_eq!(open(&seen), want, "{words}");
        assert_eq!(seen.activity, Activity::WaitingInput, "{words}");
    }
}

#[test]
fn a_fact_about_the_whole_agent_closes_every_question() {
    let by_screen = |kind| seen_by(EvidenceSource::Screen, kind);
    let by_key = |kind| seen_by(EvidenceSource::Input, kind);
    for (fact, want) in [
        (by_key(QuestionClosed), Activity::Active),
        (by_screen(QuestionClosed), Activity::Active),
        (hook(TurnEnded), Activity::Idle),
        (hook(Ready(None)), Activity::Ready),
        (hook(ConversationEnded), Activity::Unknown),
        (hook(fails()), Activity::Blocked),
        (hook(limited(None)), Activity::Blocked),
        (hook(retries(None)), Activity::Blocked),
        (seen_by(EvidenceSource::Engine, Cleared), Activity::Unknown),
    ] {
        assert_eq!(
            three_ask().then(slice::from_ref(&fact)).shows(),
            (want, None),
            "{fact:?}"
        );
    }
}

#[test]
fn no_other_fact_answers_a_question() {
    for fact in [
        seen_by(EvidenceSource::Output, Output),
        seen_by(EvidenceSource::Output, Quiet),
        seen_by(EvidenceSource::Engine, leaves("Which one?")),
        hook(FactKind::Conversation("c".into())),
        hook(FactKind::Answered("done".into())),
        hook(FactKind::ToolsListed),
    ] {
        assert_eq!(
            three_ask().then(slice::from_ref(&fact)).open,
            three_ask().open,
            "{fact:?}"
        );
    }
}

#[test]
fn questions_of_sub_agents_stay_open_while_they_work_after_the_turn() {
    let behind = three_ask().then(&[hook(SubAgentWorks).by("a"), hook(TurnEnded).as_end()]);
    assert_eq!(open(&behind), ["a's", "b's"]);
}

#[test]
fn a_call_asks_once_and_its_latest_words_count() {
    let asked = Observed::of(&[
        hook(asks("ls")).in_call("1"),
        hook(asks("cat")).in_call("2"),
        hook(asks("ls -l")).in_call("1"),
    ]);
    assert_eq!(open(&asked), ["cat", "ls -l"]);
}

#[test]
fn a_question_in_prose_stays_until_the_next_turn_or_work() {
    let asked = Observed::of(&[hook(TurnStarted), hook(asks_in_prose("Which one?"))]);
    assert!(asked.asks_in_prose());
    for (words, fact, stays) in [
        ("it repeats that it rests", hook(TurnEnded), true),
        (
            "a background sub-agent ends",
            hook(SubAgent).by("a").as_end(),
            true,
        ),
        ("it was stopped", hook(TurnEnded).as_end(), false),
        ("a new turn", hook(TurnStarted), false),
        ("work", hook(Working), false),
        ("a dialog", hook(asks("ls")), false),
        ("another one in prose", hook(asks_in_prose("Go on?")), false),
    ] {
        let seen = asked.clone().then(&[fact]);
        let is_shown = seen
            .question()
            .is_some_and(|question| question.text == "Which one?");
        assert_eq!(is_shown, stays, "{words}");
        assert!(seen.open.len() <= 1, "{words}");
    }
}

#[test]
fn a_dialog_is_not_a_question_in_prose() {
    let asked = Observed::of(&[hook(TurnStarted), hook(asks("ls"))]);
    assert!(!asked.asks_in_prose() && !Observed::of(&[]).asks_in_prose());
    assert_eq!(asked.then(&[hook(TurnEnded)]).shows(), (Activity::Idle, None));
}

#[test]
fn a_turn_that_ends_in_prose_leaves_no_dialog_open() {
    let asked = three_ask().then(&[hook(asks_in_prose("Which one?"))]);
    assert_eq!(open(&asked), ["Which one?"]);
}

#[test]
fn the_number_of_open_questions_is_bounded() {
    let many: Vec<Fact> = (0..100)
        .map(|n| hook(asks(&format!("question {n}"))).in_call(&n.to_string()))
        .collect();
    let seen = Observed::of(&many);
    assert_eq!((seen.open.len(), seen.shows().1), (32, Some("question 0")));
}
