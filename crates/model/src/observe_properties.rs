//! Properties that hold after every history of facts, in whatever order and by whatever clock they come.

use super::*;
use crate::fact::{About, Task};
use crate::fixture::{
    asks, asks_in_prose, at, fails, hook, leaves, limited, retries, retries_after_limit, seen_by,
};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

fn any_kind() -> impl Strategy<Value = FactKind> {
    let text = || select(vec!["one".to_owned(), "two".to_owned()]);
    prop_oneof![
        6 => select(vec![
            FactKind::Ready(None),
            FactKind::TurnStarted,
            FactKind::Working,
            FactKind::Runs("vim".into()),
            FactKind::SubAgent,
            FactKind::SubAgentWorks,
            FactKind::QuestionClosed,
            FactKind::TurnEnded,
            FactKind::ConversationEnded,
            FactKind::Output,
            FactKind::Quiet,
            FactKind::Stuck,
            FactKind::Cleared,
            fails(),
            asks("dialog"),
            asks_in_prose("prose"),
            leaves("left"),
        ]),
        2 => option::of(0..200i64).prop_map(limited),
        2 => option::of(0..200i64).prop_map(retries),
        1 => option::of(0..200i64).prop_map(retries_after_limit),
        1 => any_note(text()),
    ]
}

/// A fact that says nothing about the activity.
fn any_note(text: impl Strategy<Value = String> + Clone) -> impl Strategy<Value = FactKind> {
    prop_oneof![
        text.clone().prop_map(FactKind::Conversation),
        text.clone().prop_map(FactKind::Answered),
        text.clone().prop_map(FactKind::Topic),
        text.clone().prop_map(|text| FactKind::Offered(vec![text])),
        text.prop_map(|id| FactKind::Task(Task {
            id,
            text: None,
            is_current: Some(true)
        })),
        Just(FactKind::Plan(Vec::new())),
        Just(FactKind::ToolsListed),
        Just(FactKind::ToolsMissing),
    ]
}

fn any_about() -> impl Strategy<Value = About> {
    let id = |ids: &[&str]| option::of(select(ids.iter().map(|&id| id.to_owned()).collect::<Vec<_>>()));
    (id(&["a", "b"]), id(&["1", "2"]), any::<bool>()).prop_map(|(sub_agent, call, ended)| About {
        sub_agent,
        call,
        ended,
    })
}

fn any_source() -> impl Strategy<Value = EvidenceSource> {
    use EvidenceSource::{Engine, Hook, Input, Output, Process, Screen, Title, Transcript};
    select(vec![
        Hook, Hook, Hook, Title, Screen, Transcript, Output, Input, Process, Engine,
    ])
}

/// Returns any fact, by a clock that goes back and forth.
fn any_fact() -> impl Strategy<Value = Fact> {
    (0..100i64, any_source(), any_kind(), any_about()).prop_map(|(second, source, kind, about)| Fact {
        about,
        ..seen_by(source, kind).at(second)
    })
}

fn any_history() -> impl Strategy<Value = Observed> {
    vec(any_fact(), 0..24).prop_map(|facts| {
        let start = Observed::started(at(50));
        facts.iter().fold(start, |seen, fact| seen.after(fact))
    })
}

/// Enough histories to meet every pair of facts, few enough to run in a second.
const HISTORIES: u32 = 128;

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(HISTORIES) })]

    #[test]
    fn a_session_waits_for_an_answer_exactly_while_a_question_is_open(seen in any_history()) {
        prop_assert_eq!(seen.activity == Activity::WaitingInput, seen.question().is_some());
        let shown = seen.open.first().map(|open| &open.evidence);
        prop_assert!(shown.is_none_or(|shown| *shown == seen.evidence));
    }

    #[test]
    fn a_blocked_session_says_why_and_no_other_does(seen in any_history()) {
        let told = [seen.blocked.is_some(), seen.limit.is_some(), seen.retry.is_some()];
        if seen.activity == Activity::Blocked {
            prop_assert!(told.contains(&true));
        } else {
            // A retry that comes soon, or that a screen shows, is work.
            prop_assert!(seen.blocked.is_none() && seen.limit.is_none());
            prop_assert!(seen.retry.is_none() || seen.activity == Activity::Active);
        }
    }

    #[test]
    fn time_never_goes_back(seen in any_history(), fact in any_fact()) {
        let after = seen.clone().after(&fact);
        prop_assert!(after.since >= seen.since);
        prop_assert!(after.time_in_order(Timestamp::MIN) >= seen.since);
        prop_assert!(after.activity == seen.activity || after.since >= seen.time_in_order(fact.at));
    }

    #[test]
    fn with_hooks_no_output_changes_the_status(seen in any_history(), second in 0..100i64, draws in any::<bool>()) {
        let known = seen.after(&hook(FactKind::Conversation("c".into())).at(0));
        let kind = if draws { FactKind::Output } else { FactKind::Quiet };
        let after = known.clone().after(&seen_by(EvidenceSource::Output, kind).at(second));
        let stuck = after.stuck.clone();
        prop_assert_eq!(after, Observed { stuck, ..known });
    }

    #[test]
    fn a_note_changes_no_status(seen in any_history(), kind in any_note(Just("x".to_owned())), source in any_source()) {
        let after = seen.clone().after(&seen_by(source, kind).at(99));
        prop_assert_eq!((after.activity, after.since, after.evidence), (seen.activity, seen.since, seen.evidence));
        prop_assert_eq!((after.limit, after.blocked, after.retry), (seen.limit, seen.blocked, seen.retry));
        prop_assert_eq!(after.open.len(), seen.open.len());
    }

    #[test]
    fn a_sub_agent_closes_no_question_of_anyone_else(
        seen in any_history(),
        call in option::of(select(vec!["1".to_owned(), "2".to_owned()])),
        ended in any::<bool>(),
        kind in select(vec![FactKind::SubAgent, FactKind::SubAgentWorks, FactKind::QuestionClosed]),
    ) {
        let about = About { sub_agent: Some("a".into()), call, ended };
        let after = seen.clone().after(&Fact { about, ..hook(kind).at(99) });
        let of_others = |seen: &Observed| -> Vec<OpenQuestion> {
            let open = seen.open.iter().filter(|open| open.about.sub_agent.as_deref() != Some("a"));
            open.cloned().collect()
        };
        // A question for the conductor may open after the last sub-agent ended, instead of the rest.
        prop_assume!(seen.left.is_none());
        prop_assert_eq!(of_others(&after), of_others(&seen));
    }

    #[test]
    fn a_key_or_screen_opens_no_question(seen in any_history(), source in select(vec![EvidenceSource::Input, EvidenceSource::Screen])) {
        let after = seen.clone().after(&seen_by(source, FactKind::QuestionClosed).at(99));
        prop_assert_eq!(after.question(), None);
        prop_assert!(after.activity == seen.activity || after.activity == Activity::Active);
    }

    #[test]
    fn what_a_person_clears_is_unknown_whatever_was_known(seen in any_history()) {
        let cleared = seen.after(&seen_by(EvidenceSource::Engine, FactKind::Cleared).at(99));
        prop_assert_eq!(cleared.shows(), (Activity::Unknown, None));
        prop_assert_eq!((&cleared.limit, &cleared.blocked, &cleared.retry, &cleared.left), (&None, &None, &None, &None));
        prop_assert_eq!((&cleared.stuck, cleared.sub_agents.any_at_work()), (&None, false));
    }

    #[test]
    fn a_message_is_work_unless_it_stands_behind_a_retry(seen in any_history()) {
        let taken = hook(FactKind::TurnStarted).as_end().at(500);
        let waits = seen.retry.as_ref().is_some_and(|retry| seen.activity == Activity::Blocked && retry.at.is_none());
        let after = seen.after(&taken);
        if waits {
            prop_assert_eq!(after.activity, Activity::Blocked);
        } else {
            // Only questions of calls and sub-agents that work next to the turn stay.
            let stays = after.open.iter().all(|open| open.about != About::default() && !open.is_prose());
            prop_assert!(stays && matches!(after.activity, Activity::Active | Activity::WaitingInput));
        }
    }

    #[test]
    fn what_is_known_is_bounded(facts in vec(any_fact(), 0..100)) {
        let seen = facts.iter().fold(Observed::started(at(50)), |seen, fact| seen.after(fact));
        prop_assert!(seen.open.len() <= questions::MAX_OPEN);
    }

    #[test]
    fn what_is_stored_comes_back_as_it_was(seen in any_history()) {
        let stored = serde_json::to_string(&seen).unwrap();
        prop_assert_eq!(serde_json::from_str::<Observed>(&stored).unwrap(), seen);
    }
}
