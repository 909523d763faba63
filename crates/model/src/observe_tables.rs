//! Tables of histories: which status, question and age follow, in the words of
//! `docs/guide/status-and-notices.md`.

use super::*;
use crate::fact::FactKind::{
    Answered, Cleared, Conversation, ConversationEnded, Output, Plan, QuestionClosed, Quiet, Ready, Stuck,
    SubAgent, SubAgentWorks, ToolsListed, ToolsMissing, Topic, TurnEnded, TurnStarted, Working,
};
use crate::fixture::{asks, asks_in_prose, at, fails, hook, leaves, limited, question, seen_by};
use crate::status::EvidenceSource::{Engine, Hook, Input, Process, Screen, Title};
use crate::status::Status::{Idle, Running, Unknown, Waiting};

fn output(kind: FactKind) -> Fact {
    seen_by(EvidenceSource::Output, kind)
}

#[test]
fn every_hook_gives_the_status_of_the_guide() {
    for (words, kind, status) in [
        ("its prompt is empty", Ready(None), Idle),
        ("it took a message", TurnStarted, Running),
        ("it works", Working, Running),
        ("its sub-agent works", SubAgent, Running),
        (
            "its sub-agent works, and may outlast the turn",
            SubAgentWorks,
            Running,
        ),
        ("a question is open", asks("ls"), Waiting),
        ("it asks you in prose", asks_in_prose("Which one?"), Waiting),
        ("it cannot continue", fails(), Waiting),
        ("it hit a usage limit", limited(None), Waiting),
        ("it finished its turn", TurnEnded, Idle),
        ("it ended its conversation", ConversationEnded, Unknown),
        ("a person cleared the status", Cleared, Unknown),
    ] {
        for before in [&[][..], &[hook(TurnStarted)]] {
            let seen = Observed::of(before).then(&[hook(kind.clone())]);
            assert_eq!(seen.activity.status(), status, "{words}, after {before:?}");
        }
    }
    assert_eq!(Observed::of(&[]).activity.status(), Unknown, "nothing tells yet");
}

#[test]
fn without_hooks_the_status_follows_output_and_silence() {
    let (draws, quiet) = (output(Output), output(Quiet));
    for (words, facts, want) in [
        ("it draws", vec![draws.clone()], Activity::Active),
        (
            "it falls silent",
            vec![draws.clone(), quiet.clone()],
            Activity::Unknown,
        ),
        (
            "silent at a prompt that its title showed",
            vec![seen_by(Title, Ready(None)), quiet.clone()],
            Activity::Ready,
        ),
        (
            "silent at a prompt that its screen showed",
            vec![seen_by(Screen, Ready(None)), quiet.clone()],
            Activity::Ready,
        ),
        (
            "silent at a prompt that nobody saw",
            vec![seen_by(Process, Ready(None)), quiet.clone()],
            Activity::Unknown,
        ),
        (
            "silent after a turn that its title ended",
            vec![seen_by(Title, TurnEnded), quiet],
            Activity::Unknown,
        ),
        (
            "it draws at its prompt",
            vec![seen_by(Title, Ready(None)), draws.clone()],
            Activity::Active,
        ),
        (
            "it draws again after a failure",
            vec![seen_by(Screen, fails()), draws],
            Activity::Active,
        ),
    ] {
        assert_eq!(Observed::of(&facts).activity, want, "{words}");
    }
}

#[test]
fn output_and_silence_answer_no_question_and_end_no_limit() {
    for (before, activity) in [
        (seen_by(Screen, asks("ls")), Activity::WaitingInput),
        (seen_by(Screen, limited(None)), Activity::Blocked),
    ] {
        let told = Observed::of(&[before]);
        assert_eq!(told.activity, activity);
        for kind in [Output, Quiet] {
            let seen = told.clone().then(&[output(kind.clone())]);
            assert_eq!(seen, told, "nothing new is known after {kind:?}");
        }
    }
}

#[test]
fn output_of_an_agent_with_hooks_says_nothing() {
    for before in [TurnStarted, TurnEnded, Ready(None), fails(), Cleared, asks("ls")] {
        let told = Observed::of(&[hook(before)]);
        for kind in [Output, Quiet] {
            assert_eq!(told.clone().then(&[output(kind)]), told);
        }
    }
}

#[test]
fn notes_do_not_change_the_status() {
    let task = crate::fact::Task {
        id: "1".into(),
        text: Some("Write".into()),
        is_current: Some(true),
    };
    for before in [
        vec![],
        vec![hook(TurnStarted)],
        vec![hook(TurnStarted), hook(limited(None))],
    ] {
        for kind in [
            Conversation("c".into()),
            Answered("done".into()),
            Plan(vec![task.clone()]),
            FactKind::Task(task.clone()),
            Topic("Totals".into()),
            ToolsListed,
            ToolsMissing,
            FactKind::Offered(vec!["Yes".into()]),
            Stuck,
        ] {
            let told = Observed::of(&before);
            let seen = told.clone().then(&[hook(kind.clone())]);
            assert_eq!(
                (
                    seen.activity,
                    seen.since,
                    &seen.evidence,
                    &seen.limit,
                    seen.own_at
                ),
                (
                    told.activity,
                    told.since,
                    &told.evidence,
                    &told.limit,
                    told.own_at
                ),
                "{kind:?}"
            );
        }
    }
}

#[test]
fn a_key_or_the_screen_only_closes_an_open_question() {
    for (words, before, want) in [
        (
            "a question",
            vec![hook(TurnStarted), hook(asks("ls"))],
            Activity::Active,
        ),
        (
            "the words of a usage limit",
            vec![seen_by(Screen, limited(None))],
            Activity::Active,
        ),
        ("a finished turn", vec![hook(TurnEnded)], Activity::Idle),
        ("another failure", vec![hook(fails())], Activity::Blocked),
        ("an empty prompt", vec![hook(Ready(None))], Activity::Ready),
    ] {
        for source in [Input, Screen] {
            let seen = Observed::of(&before).then(&[seen_by(source, QuestionClosed)]);
            assert_eq!(seen.shows(), (want, None), "{words}, {source:?}");
        }
    }
}

#[test]
fn a_finished_turn_is_not_reopened_by_a_sub_agent_that_ends_behind_it() {
    for (before, want) in [
        (TurnEnded, Activity::Idle),
        (fails(), Activity::Blocked),
        (Working, Activity::Active),
        (Ready(None), Activity::Active),
    ] {
        let seen = Observed::of(&[hook(before.clone()), hook(SubAgent)]);
        assert_eq!(seen.activity, want, "{before:?}");
    }
}

#[test]
fn a_question_left_for_the_conductor_waits_for_the_end_of_the_turn() {
    let left = Observed::of(&[hook(TurnStarted), seen_by(Engine, leaves("Which one?"))]);
    let opened = Some("Which one?");
    let rows: [(&str, &[Fact], Activity, Option<&str>); 8] = [
        (
            "the turn ends",
            &[hook(TurnEnded)],
            Activity::WaitingInput,
            opened,
        ),
        (
            "it ends in prose",
            &[hook(asks_in_prose("Well?"))],
            Activity::WaitingInput,
            opened,
        ),
        ("it works on", &[hook(Working)], Activity::Active, None),
        (
            "a dialog comes first",
            &[hook(asks("ls"))],
            Activity::WaitingInput,
            Some("ls"),
        ),
        (
            "it ends after a dialog",
            &[hook(asks("ls")), hook(TurnEnded)],
            Activity::WaitingInput,
            opened,
        ),
        (
            "it ends after work and other facts",
            &[hook(Working), hook(Topic("x".into())), hook(TurnEnded)],
            Activity::WaitingInput,
            opened,
        ),
        (
            "a sub-agent works on",
            &[hook(SubAgentWorks).by("a"), hook(TurnEnded)],
            Activity::Active,
            None,
        ),
        (
            "the sub-agent ends",
            &[
                hook(SubAgentWorks).by("a"),
                hook(TurnEnded),
                hook(SubAgent).by("a").as_end(),
            ],
            Activity::WaitingInput,
            opened,
        ),
    ];
    for (words, facts, activity, shown) in rows {
        let seen = left.clone().then(facts);
        assert_eq!(seen.shows(), (activity, shown), "{words}");
    }
}

#[test]
fn a_new_turn_or_conversation_voids_a_question_for_the_conductor() {
    let left = [hook(TurnStarted), seen_by(Engine, leaves("Which one?"))];
    for void in [TurnStarted, Ready(None), Cleared, ConversationEnded] {
        let seen = Observed::of(&left).then(&[hook(void.clone()), hook(TurnEnded)]);
        assert_eq!(seen.shows(), (Activity::Idle, None), "{void:?}");
    }
}

#[test]
fn a_question_left_after_the_turn_opens_immediately() {
    let opened = |before: Fact| {
        Observed::of(&[before, seen_by(Engine, leaves("Which one?"))])
            .shows()
            .1
            .is_some()
    };
    assert!(opened(hook(TurnEnded)) && opened(hook(Ready(None))));
    assert!(!opened(hook(TurnStarted)) && !opened(hook(fails())) && !opened(hook(Cleared)));
}

#[test]
fn an_age_begins_when_the_activity_changes() {
    for (words, facts, since) in [
        (
            "it works on",
            vec![hook(TurnStarted), hook(Working), hook(Working)],
            1,
        ),
        ("a question", vec![hook(TurnStarted), hook(asks("ls"))], 2),
        (
            "a second question",
            vec![hook(asks("ls")).in_call("1"), hook(asks("cat")).in_call("2")],
            1,
        ),
        (
            "the first of two is answered",
            vec![
                hook(asks("ls")).in_call("1"),
                hook(asks("cat")).in_call("2"),
                hook(Working).in_call("1").as_end(),
            ],
            1,
        ),
        (
            "a question that was left",
            vec![hook(TurnStarted), hook(leaves("Which one?")), hook(TurnEnded)],
            3,
        ),
        (
            "a question that was left behind a dialog",
            vec![hook(asks("ls")), hook(leaves("Which one?")), hook(TurnEnded)],
            1,
        ),
        (
            "it repeats that it rests",
            vec![hook(TurnStarted), hook(TurnEnded), hook(TurnEnded)],
            2,
        ),
    ] {
        assert_eq!(Observed::of(&facts).since, at(since), "{words}");
    }
}

#[test]
fn the_evidence_is_the_last_fact_or_the_fact_that_asked() {
    for (words, facts, second) in [
        ("it works on", vec![hook(TurnStarted), hook(Working)], 2),
        (
            "a question",
            vec![hook(asks("ls")).in_call("1"), hook(Working)],
            1,
        ),
        (
            "a question that was left",
            vec![hook(TurnStarted), hook(leaves("Which one?")), hook(TurnEnded)],
            2,
        ),
        (
            "the next question",
            vec![
                hook(asks("ls")).in_call("1"),
                hook(asks("cat")).in_call("2"),
                hook(Working).in_call("1").as_end(),
            ],
            2,
        ),
    ] {
        assert_eq!(Observed::of(&facts).evidence.at, at(second), "{words}");
    }
}

#[test]
fn only_a_session_at_work_seems_stuck_and_only_until_the_next_fact() {
    let stuck = seen_by(Screen, Stuck);
    for (before, want) in [
        (TurnStarted, true),
        (TurnEnded, false),
        (asks("ls"), false),
        (Cleared, false),
    ] {
        let seen = Observed::of(&[hook(before.clone()), stuck.clone()]);
        assert_eq!(seen.stuck.is_some(), want, "{before:?}");
        assert_eq!(seen.then(&[hook(Working)]).stuck, None);
    }
}

#[test]
fn a_fact_keeps_its_time_unless_the_clock_was_set_back() {
    let works = Observed::of(&[]).after(&hook(TurnStarted).at(100));
    for (second, want) in [(101, at(101)), (100, at(100)), (99, at(100) + TICK)] {
        let ends = works.clone().after(&hook(TurnEnded).at(second));
        assert_eq!((ends.since, ends.evidence.at), (want, want), "{second}");
    }
}

#[test]
fn the_last_answer_stays_until_the_next_message_or_conversation() {
    let answered = Observed::of(&[hook(TurnStarted), hook(Answered("42".into())), hook(TurnEnded)]);
    assert_eq!(answered.answer.as_deref(), Some("42"));
    for (kind, stays) in [
        (TurnStarted, false),
        (Ready(None), false),
        (Working, true),
        (TurnEnded, true),
    ] {
        let seen = answered.clone().then(&[hook(kind.clone())]);
        assert_eq!(seen.answer.is_some(), stays, "{kind:?}");
    }
}

#[test]
fn the_screen_adds_answers_to_a_dialog_without_any() {
    let offered = seen_by(Screen, FactKind::Offered(vec!["Yes".into(), "No".into()]));
    let with_options = FactKind::Asked(Question {
        options: vec!["Once".into()],
        ..question(QuestionKind::Permission, "ls")
    });
    for (asked, want) in [
        (asks("ls"), &["Yes", "No"][..]),
        (with_options, &["Once"]),
        (asks_in_prose("Which one?"), &[]),
    ] {
        let seen = Observed::of(&[hook(asked), offered.clone()]);
        assert_eq!(seen.question().unwrap().options, want);
    }
}

#[test]
fn a_session_has_hooks_after_its_first_hook_fired() {
    assert!(!Observed::of(&[seen_by(Title, Ready(None)), output(Output)]).has_hooks);
    let heard = Observed::of(&[seen_by(Hook, Conversation("c".into())), seen_by(Title, Working)]);
    assert!(heard.has_hooks);
}

#[test]
fn a_note_does_not_count_as_progress_of_a_stuck_session() {
    let stuck = Observed::of(&[hook(TurnStarted), seen_by(Screen, Stuck)]);
    for kind in [
        Topic("x".into()),
        Plan(Vec::new()),
        Answered("x".into()),
        ToolsListed,
    ] {
        assert_eq!(
            stuck.clone().then(&[seen_by(Title, kind.clone())]).stuck,
            stuck.stuck,
            "{kind:?}"
        );
    }
}
