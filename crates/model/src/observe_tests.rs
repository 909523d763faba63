//! What facts make of a session: tests of [`super`].

use super::*;
use crate::usage_limit::UsageLimit;

fn fact(second: i64, source: EvidenceSource, kind: FactKind) -> Fact {
    let at = Timestamp::from_second(second).unwrap();
    Fact {
        at,
        source,
        detail: format!("{kind:?}"),
        kind,
        about: About::default(),
    }
}

/// A fact of a sub-agent, or of the agent itself, about a call.
fn of(second: i64, sub_agent: &str, call: &str, ended: bool, kind: FactKind) -> Fact {
    let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    Fact {
        about: About {
            sub_agent: text(sub_agent),
            call: text(call),
            ended,
        },
        ..fact(second, Hook, kind)
    }
}

fn asks(text: &str) -> FactKind {
    let question = Question {
        text: text.into(),
        ..question()
    };
    FactKind::Asked(question)
}

fn shown(seen: &Observed) -> Option<&str> {
    seen.question().map(|question| question.text.as_str())
}

fn question() -> Question {
    Question {
        kind: QuestionKind::Permission,
        text: "Bash: ls".into(),
        options: vec![],
    }
}

fn run(facts: &[(EvidenceSource, FactKind)]) -> Observed {
    let start = Observed::started(Timestamp::from_second(0).unwrap());
    facts.iter().enumerate().fold(start, |seen, (i, (source, kind))| {
        seen.after(&fact(i as i64 + 1, *source, kind.clone()))
    })
}

use EvidenceSource::{Hook, Input, Output};

#[test]
fn the_screen_adds_the_answers_that_a_hook_does_not_tell() {
    let asked = |options: &[&str]| {
        FactKind::Asked(Question {
            kind: QuestionKind::Permission,
            text: "Bash: ls".into(),
            options: options.iter().map(|&text| text.to_owned()).collect(),
        })
    };
    let start = || Observed::started(Timestamp::from_second(0).unwrap());
    let offered = fact(
        2,
        EvidenceSource::Screen,
        FactKind::Offered(vec!["Yes".into(), "No".into()]),
    );
    let seen = start().after(&fact(1, Hook, asked(&[]))).after(&offered);
    assert_eq!(seen.question().unwrap().options, ["Yes", "No"]);
    assert_eq!(seen.evidence.source, Hook, "the hook opened it");
    let told = start().after(&fact(1, Hook, asked(&["Once"]))).after(&offered);
    assert_eq!(told.question().unwrap().options, ["Once"]);
    assert_eq!(start().after(&offered).open, []);
}

#[test]
fn a_question_left_for_the_conductor_opens_when_the_turn_ends() {
    let left = Question {
        kind: QuestionKind::Asks,
        text: "Which one?".into(),
        options: vec![],
    };
    let left = (EvidenceSource::Engine, FactKind::Left(left));
    let mut facts = vec![
        (Hook, FactKind::TurnStarted),
        left.clone(),
        (Hook, FactKind::Working),
    ];
    assert_eq!(run(&facts).activity, Activity::Active, "it still works");
    facts.push((Hook, asks("ls?")));
    facts.push((Hook, FactKind::QuestionClosed));
    facts.push((Hook, FactKind::TurnEnded));
    let asked = run(&facts);
    assert_eq!(
        (asked.activity, shown(&asked)),
        (Activity::WaitingInput, Some("Which one?"))
    );
    assert_eq!(asked.evidence.source, EvidenceSource::Engine);
    facts.push((Hook, FactKind::TurnStarted));
    facts.push((Hook, FactKind::TurnEnded));
    assert_eq!(run(&facts).activity, Activity::Idle, "a new turn answered it");
    let late = run(&[(Hook, FactKind::TurnEnded), left]);
    assert_eq!(
        late.activity,
        Activity::WaitingInput,
        "one that comes behind the turn is open at once"
    );
}

#[test]
fn a_turn_with_a_question() {
    let mut facts = vec![(Hook, FactKind::Ready(None))];
    assert_eq!(run(&facts).activity.status(), Status::Idle);
    facts.push((Hook, FactKind::TurnStarted));
    assert_eq!(run(&facts).activity.status(), Status::Running);
    facts.push((Hook, FactKind::Asked(question())));
    assert_eq!(run(&facts).activity.status(), Status::Waiting);
    assert_eq!(run(&facts).question(), Some(&question()));
    facts.push((Hook, FactKind::Working));
    assert_eq!(
        run(&facts).question(),
        Some(&question()),
        "other work is no answer"
    );
    facts.push((Hook, FactKind::TurnEnded));
    let seen = run(&facts);
    assert_eq!(seen.activity, Activity::Idle);
    assert_eq!(seen.since, seen.evidence.at);
}

#[test]
fn output_neither_opens_nor_closes_where_hooks_speak() {
    let asked = run(&[(Hook, FactKind::Asked(question())), (Output, FactKind::Output)]);
    assert_eq!(asked.activity, Activity::WaitingInput);
    let idle = run(&[(Hook, FactKind::TurnEnded), (Output, FactKind::Output)]);
    assert_eq!(idle.activity, Activity::Idle);
    let blind = run(&[(Output, FactKind::Output), (Output, FactKind::Quiet)]);
    assert_eq!(blind.activity, Activity::Unknown);
}

#[test]
fn silence_is_what_an_agent_at_its_prompt_is_like() {
    use EvidenceSource::{Process, Title};
    for (source, then) in [(Title, Activity::Ready), (Process, Activity::Unknown)] {
        let quiet = run(&[(source, FactKind::Ready(None)), (Output, FactKind::Quiet)]);
        assert_eq!(quiet.activity, then, "{source:?}");
    }
}

#[test]
fn a_key_closes_a_question() {
    let open = run(&[(Hook, FactKind::Asked(question()))]);
    let closed = open.after(&fact(9, Input, FactKind::QuestionClosed));
    assert_eq!((closed.activity, closed.question()), (Activity::Active, None));
}

#[test]
fn facts_count_in_their_order_when_the_clock_is_set_back() {
    let start = Observed::started(Timestamp::from_second(100).unwrap());
    let works = start.after(&fact(101, Hook, FactKind::TurnStarted));
    let key = works.not_before(Timestamp::from_second(1).unwrap());
    let asks = works.after(&fact(2, Hook, FactKind::Asked(question())));
    assert_eq!(asks.activity, Activity::WaitingInput);
    assert!(
        asks.evidence.at > key,
        "a key of before the question is no answer"
    );
    let key = asks.not_before(Timestamp::from_second(3).unwrap());
    assert!(key >= asks.evidence.at, "one of after it may be");
    let closed = asks.after(&fact(4, Input, FactKind::QuestionClosed));
    assert_eq!(closed.activity, Activity::Active);
    let rests = closed.after(&fact(5, Hook, FactKind::TurnEnded));
    assert_eq!((rests.activity, rests.since), (Activity::Idle, rests.evidence.at));
    let on_time = rests.after(&fact(200, Hook, FactKind::TurnStarted));
    assert_eq!(on_time.since, Timestamp::from_second(200).unwrap());
}

#[test]
fn a_late_sub_agent_does_not_reopen_a_finished_turn() {
    let seen = run(&[
        (Hook, FactKind::TurnStarted),
        (Hook, FactKind::SubAgent),
        (Hook, FactKind::TurnEnded),
        (Hook, FactKind::SubAgent),
    ]);
    assert_eq!(seen.activity, Activity::Idle);
}

#[test]
fn sub_agents_that_work_on_after_the_turn_are_work_until_the_last_one_ends() {
    let start = Observed::started(Timestamp::from_second(0).unwrap());
    let works = |second, who| of(second, who, "", false, FactKind::SubAgentWorks);
    let ends = |second, who| of(second, who, "", true, FactKind::SubAgent);
    let own = |second, kind| of(second, "", "", true, kind);
    let facts = [
        own(1, FactKind::TurnStarted),
        works(2, "a"),
        works(3, "b"),
        own(4, FactKind::TurnEnded),
    ];
    let behind = facts.iter().fold(start, |seen, fact| seen.after(fact));
    assert_eq!(behind.activity, Activity::Active);
    assert_eq!(behind.evidence.detail, "TurnEnded: 2 sub-agents still work");
    let asked = behind
        .clone()
        .after(&of(5, "b", "Bash ls", false, asks("Bash: ls")));
    assert_eq!(shown(&asked), Some("Bash: ls"));
    let one = asked.clone().after(&ends(6, "a"));
    assert_eq!(shown(&one), Some("Bash: ls"));
    let none = one.after(&ends(7, "b"));
    assert_eq!((none.activity, shown(&none)), (Activity::Idle, None));
    // One that works beside the turn ends it no sooner.
    let beside = asked.after(&own(6, FactKind::TurnStarted));
    let beside = beside.after(&works(7, "b")).after(&ends(8, "b"));
    assert_eq!(beside.activity, Activity::Active);
    assert_eq!(
        beside.after(&own(9, FactKind::TurnEnded)).activity,
        Activity::Idle
    );
}

#[test]
fn a_turn_that_failed_stays_so_while_its_sub_agents_work() {
    let start = Observed::started(Timestamp::from_second(0).unwrap());
    let works = |second| of(second, "a", "", false, FactKind::SubAgentWorks);
    let own = |second, kind| of(second, "", "", true, kind);
    let failed = start
        .after(&own(1, FactKind::TurnStarted))
        .after(&works(2))
        .after(&own(3, FactKind::Blocked("no credit".into())));
    assert_eq!(failed.after(&works(4)).activity, Activity::Blocked);
}

#[test]
fn what_a_sub_agent_does_does_not_hide_that_its_agents_own_turn_failed() {
    let start = Observed::started(Timestamp::from_second(0).unwrap());
    let works = |second| of(second, "a", "", false, FactKind::SubAgentWorks);
    let own = |second, kind| of(second, "", "", true, kind);
    let at = |second| Timestamp::from_second(second).unwrap();
    let both = start.after(&own(1, FactKind::TurnStarted)).after(&works(4));
    // Its transcript is read later than the sub-agent posts.
    assert!(both.fails(at(3)));
    let next = both.after(&own(5, FactKind::TurnStarted)).after(&works(6));
    assert!(!next.fails(at(3)), "that was the turn before");
    assert!(
        !next
            .after(&own(7, FactKind::Blocked("no credit".into())))
            .fails(at(8))
    );
}

#[test]
fn what_one_sub_agent_does_never_closes_the_question_of_another() {
    let working = |sub_agent: &str, call: &str, second| of(second, sub_agent, call, true, FactKind::SubAgent);
    let start = Observed::started(Timestamp::from_second(0).unwrap());
    let both = start
        .after(&of(1, "a", "Bash: one", false, asks("one")))
        .after(&of(2, "b", "Bash: two", false, asks("two")))
        .after(&of(3, "b", "Bash: two", false, asks("two")));
    assert_eq!(
        (shown(&both), both.open.len()),
        (Some("one"), 2),
        "asked again is asked once"
    );
    let other = both
        .clone()
        .after(&working("b", "Read: x", 4))
        .after(&working("c", "Bash: one", 5))
        .after(&of(6, "", "Bash: one", true, FactKind::Working))
        .after(&of(7, "", "", true, FactKind::TurnStarted));
    let at = other.own_at;
    assert_eq!(at, Some(Timestamp::from_second(7).unwrap()));
    let own_at = both.own_at;
    assert_eq!(Observed { own_at, ..other }, both, "none of this is an answer");
    let first = both.clone().after(&working("a", "Bash: one", 8));
    assert_eq!(
        (first.activity, shown(&first)),
        (Activity::WaitingInput, Some("two"))
    );
    assert_eq!(
        (first.since, first.evidence.at),
        (both.since, Timestamp::from_second(3).unwrap())
    );
    let stopped = first.clone().after(&working("b", "", 9));
    assert_eq!((stopped.activity, shown(&stopped)), (Activity::Active, None));
    let rests = both.clone().after(&fact(8, Hook, FactKind::TurnEnded));
    assert_eq!((rests.activity, shown(&rests)), (Activity::Idle, None));
    let left = both.after(&fact(8, Input, FactKind::QuestionClosed));
    assert_eq!(
        left.activity,
        Activity::Active,
        "the screen shows no question any more"
    );
}

#[test]
fn what_a_person_clears_is_unknown_until_the_next_fact() {
    let asked = run(&[(Hook, FactKind::Asked(question()))]);
    let cleared = asked.after(&fact(9, EvidenceSource::Engine, FactKind::Cleared));
    assert_eq!((cleared.activity, cleared.question()), (Activity::Unknown, None));
    let ended = cleared.after(&fact(10, Hook, FactKind::TurnEnded));
    assert_eq!(ended.activity, Activity::Idle);
}

#[test]
fn what_seems_stuck_goes_on_with_the_next_fact() {
    let works = run(&[(Hook, FactKind::TurnStarted)]);
    let stuck = works.after(&fact(9, EvidenceSource::Screen, FactKind::Stuck));
    assert_eq!((stuck.activity, stuck.stuck.is_some()), (Activity::Active, true));
    assert_eq!(
        stuck.clone().after(&fact(10, Hook, FactKind::Working)).stuck,
        None
    );
    let rests = stuck.after(&fact(10, Hook, FactKind::TurnEnded));
    assert_eq!(
        rests
            .after(&fact(11, EvidenceSource::Screen, FactKind::Stuck))
            .stuck,
        None
    );
}

fn limit(resets: Option<i64>) -> FactKind {
    FactKind::Limited(UsageLimit {
        text: "You've hit your limit".into(),
        resets_at: resets.map(|second| Timestamp::from_second(second).unwrap()),
    })
}

#[test]
fn a_usage_limit_stays_until_the_agent_works_again() {
    let hit = run(&[(Hook, FactKind::TurnStarted), (Hook, limit(None))]);
    assert_eq!((hit.activity, hit.refusals), (Activity::Blocked, 1));
    let told = |seen: &Observed| {
        let limited = seen.limit.as_ref().unwrap();
        (
            limited.limit.resets_at.map(Timestamp::as_second),
            limited.refusals,
        )
    };
    // The transcript knows more; what merely says that the agent rests, or that a sub-agent ended, does not.
    let more = [
        (EvidenceSource::Transcript, limit(Some(900))),
        (Hook, FactKind::TurnEnded),
        (Hook, FactKind::SubAgent),
        (Hook, FactKind::Blocked("again".into())),
        (Output, FactKind::Output),
    ];
    let still = (10..).zip(more).fold(hit, |seen, (second, (source, kind))| {
        seen.after(&fact(second, source, kind))
    });
    assert_eq!(
        (still.activity, told(&still)),
        (Activity::Blocked, (Some(900), 1))
    );
    let works = still.clone().after(&fact(20, Hook, FactKind::TurnStarted));
    assert_eq!((works.activity, &works.limit), (Activity::Active, &None));
    let again = works.after(&fact(21, Hook, limit(Some(900))));
    assert_eq!(told(&again), (Some(900), 2), "refused twice in a row");
    let done =
        again
            .after(&fact(22, Hook, FactKind::TurnStarted))
            .after(&fact(23, Hook, FactKind::TurnEnded));
    assert_eq!((done.limit, done.refusals), (None, 0));
}

#[test]
fn a_limit_on_the_screen_ends_when_it_leaves_it() {
    let hit = run(&[(EvidenceSource::Screen, limit(None)), (Output, FactKind::Output)]);
    assert_eq!(hit.activity, Activity::Blocked, "a spinner says nothing");
    let gone = hit.after(&fact(9, EvidenceSource::Screen, FactKind::QuestionClosed));
    assert_eq!((gone.activity, gone.limit), (Activity::Active, None));
}

#[test]
fn one_that_was_stopped_while_it_waited_for_a_limit_rests() {
    let limited = run(&[(Hook, FactKind::TurnStarted), (Hook, limit(None))]);
    let repeated = limited.clone().after(&of(3, "", "", false, FactKind::TurnEnded));
    assert_eq!(repeated.activity, Activity::Blocked);
    let stopped = limited.after(&of(3, "", "", true, FactKind::TurnEnded));
    assert_eq!((stopped.activity, stopped.limit), (Activity::Idle, None));
}

#[test]
fn questions_are_bounded() {
    let start = Observed::started(Timestamp::from_second(0).unwrap());
    let many = (1..100).fold(start, |seen, n| {
        seen.after(&of(n, "a", &format!("{n}"), false, asks("x")))
    });
    assert_eq!(many.open.len(), MAX_OPEN);
}

#[test]
fn what_is_known_of_its_tools_says_nothing_of_what_it_does() {
    let started = Observed {
        tools: Some(ToolsState::Awaited),
        ..Observed::started(Timestamp::from_second(0).unwrap())
    };
    let works = started.after(&fact(1, Hook, FactKind::TurnStarted));
    let missing = works.after(&fact(2, EvidenceSource::Engine, FactKind::ToolsMissing));
    assert_eq!(missing.tools, Some(ToolsState::Missing));
    assert_eq!(
        (missing.activity, missing.since.as_second()),
        (Activity::Active, 1)
    );
    let listed = missing.after(&fact(3, EvidenceSource::Engine, FactKind::ToolsListed));
    assert_eq!(listed.tools, Some(ToolsState::Listed));
    let late = listed.after(&fact(4, EvidenceSource::Engine, FactKind::ToolsMissing));
    assert_eq!(late.tools, Some(ToolsState::Listed), "they came in between");
    let none = Observed::started(Timestamp::from_second(0).unwrap());
    assert_eq!(
        none.after(&fact(1, Hook, FactKind::ToolsListed)).tools,
        None,
        "it was given none"
    );
}
