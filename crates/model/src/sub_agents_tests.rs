//! Tests of sub-agents that continue to work after the turn of their agent.

use super::*;
use crate::fact::FactKind::{
    Cleared, ConversationEnded, QuestionClosed, Ready, SubAgent, SubAgentWorks, TurnEnded, TurnStarted,
    Working,
};
use crate::fixture::{asks, asks_in_prose, hook, seen_by};
use crate::observe::Observed;
use crate::status::{Activity, EvidenceSource};

fn works(id: &str) -> Fact {
    hook(SubAgentWorks).by(id)
}

fn ends(id: &str) -> Fact {
    hook(SubAgent).by(id).as_end()
}

#[test]
fn a_session_runs_until_its_own_turn_and_all_its_sub_agents_are_over() {
    let own_end = hook(TurnEnded).as_end();
    let rows: [(&str, &[Fact], Activity); 8] = [
        (
            "the turn ends last",
            &[works("a"), ends("a"), own_end.clone()],
            Activity::Idle,
        ),
        (
            "the sub-agent ends last",
            &[works("a"), own_end.clone(), ends("a")],
            Activity::Idle,
        ),
        (
            "one of two still works",
            &[works("a"), works("b"), own_end.clone(), ends("a")],
            Activity::Active,
        ),
        (
            "told to work twice, it is one",
            &[works("a"), works("a"), own_end.clone(), ends("a")],
            Activity::Idle,
        ),
        (
            "its call ends, it goes on",
            &[works("a"), own_end.clone(), ends("a").in_call("Bash: ls")],
            Activity::Active,
        ),
        (
            "a fact of its work is no end",
            &[works("a"), own_end.clone(), hook(SubAgent).by("a")],
            Activity::Active,
        ),
        (
            "a stranger ends",
            &[works("a"), own_end.clone(), ends("b")],
            Activity::Active,
        ),
        (
            "the agent works on itself",
            &[works("a"), own_end.clone(), hook(Working), ends("a")],
            Activity::Active,
        ),
    ];
    for (words, facts, want) in rows {
        let seen = Observed::of(&[hook(TurnStarted)]).then(facts);
        assert_eq!(seen.activity, want, "{words}");
    }
}

#[test]
fn sub_agents_are_known_by_their_ids_while_they_work() {
    let seen = Observed::of(&[hook(TurnStarted), works("a"), works("b"), ends("a")]);
    assert!(seen.sub_agents.any_at_work());
    assert!(seen.sub_agents.is_at_work("b") && !seen.sub_agents.is_at_work("a"));
    assert!(!seen.then(&[ends("b")]).sub_agents.any_at_work());
}

#[test]
fn a_new_turn_forgets_sub_agents_whose_end_was_never_reported() {
    for anew in [TurnStarted, Ready(None), ConversationEnded, Cleared] {
        let lost = Observed::of(&[hook(TurnStarted), works("lost"), hook(anew.clone())]);
        assert!(!lost.sub_agents.any_at_work(), "{anew:?}");
        let rests = lost.then(&[hook(TurnStarted), hook(TurnEnded).as_end()]);
        assert_eq!(rests.activity, Activity::Idle, "{anew:?}");
    }
}

#[test]
fn the_end_of_a_turn_does_not_count_for_the_next_turn() {
    let facts = [
        hook(TurnStarted),
        hook(TurnEnded),
        hook(TurnStarted),
        works("a"),
        ends("a"),
    ];
    assert_eq!(Observed::of(&facts).activity, Activity::Active);
}

#[test]
fn the_late_end_of_an_unknown_sub_agent_changes_nothing() {
    let rests = Observed::of(&[hook(TurnStarted), hook(TurnEnded)]);
    assert_eq!(rests.clone().then(&[ends("a")]), rests);
}

#[test]
fn a_turn_that_ends_with_a_question_in_prose_is_over() {
    let asked = Observed::of(&[hook(TurnStarted), works("a"), hook(asks_in_prose("Which one?"))]);
    let ended = asked.clone().then(&[ends("a")]);
    assert_eq!(ended.shows(), (Activity::WaitingInput, Some("Which one?")));
    let dismissed = asked.then(&[seen_by(EvidenceSource::Input, QuestionClosed), ends("a")]);
    assert_eq!(dismissed.shows(), (Activity::Idle, None));
}

#[test]
fn a_dialog_in_the_middle_of_a_turn_does_not_end_it() {
    let dismissed = seen_by(EvidenceSource::Input, QuestionClosed);
    let seen = Observed::of(&[
        hook(TurnStarted),
        works("a"),
        hook(asks("ls")),
        dismissed,
        ends("a"),
    ]);
    assert_eq!(seen.shows(), (Activity::Active, None));
}

#[test]
fn the_evidence_of_a_finished_turn_names_how_many_sub_agents_still_work() {
    let none: &[&str] = &[];
    for (at_work, want) in [
        (none, "Stop hook"),
        (&["a"], "Stop hook: 1 sub-agent is still working"),
        (&["a", "b"], "Stop hook: 2 sub-agents are still working"),
    ] {
        let facts: Vec<Fact> = at_work.iter().map(|id| works(id)).collect();
        let mut end = hook(TurnEnded).as_end();
        end.detail = "Stop hook".into();
        let seen = Observed::of(&[hook(TurnStarted)]).then(&facts).then(&[end]);
        assert_eq!(seen.evidence.detail, want);
    }
    let works_on = Observed::of(&[hook(TurnStarted), works("a"), hook(Working)]);
    assert_eq!(works_on.evidence.detail, "Working", "its turn goes on");
}

#[test]
fn the_list_of_sub_agents_is_bounded() {
    let many: Vec<Fact> = (0..100).map(|n| works(&n.to_string())).collect();
    let seen = Observed::of(&[hook(TurnStarted)])
        .then(&many)
        .then(&[hook(TurnEnded)]);
    assert!(
        seen.evidence.detail.contains("32 sub-agents"),
        "{:?}",
        seen.evidence
    );
}
