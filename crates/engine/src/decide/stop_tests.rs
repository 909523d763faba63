//! Tables of what kind of stop an event is: by what was asked and reported, and by the form of an answer.

use super::*;
use ReportStatus::{Blocked, Done, Failed, Partial};
use Stop::{Choice, Complete, Confirmation, Ended, Error, Held, Plan, Question, TurnEnded};

/// An event about which nothing is known.
const NOTHING: Known<'static> = Known {
    event: WorkerEventKind::Finished,
    asked: None,
    reason: None,
    report: None,
    is_done: false,
    text: "",
};

fn asked(kind: QuestionKind, options: &[&str]) -> Asked {
    Asked {
        kind,
        options: options.iter().map(|option| (*option).to_owned()).collect(),
        is_plan: false,
    }
}

#[test]
fn what_happened_decides_whatever_the_answer_says() {
    let text = "Implementation complete";
    for (event, report, reason, wanted) in [
        (WorkerEventKind::Reported, Some(Done), None, Some(Complete)),
        (WorkerEventKind::Reported, Some(Partial), None, Some(TurnEnded)),
        (WorkerEventKind::Reported, Some(Blocked), None, Some(Error)),
        (WorkerEventKind::Reported, Some(Failed), None, Some(Error)),
        (
            WorkerEventKind::Waiting,
            None,
            Some(ReasonKind::Limit),
            Some(Held),
        ),
        (
            WorkerEventKind::Waiting,
            None,
            Some(ReasonKind::Retrying),
            Some(Held),
        ),
        (
            WorkerEventKind::Waiting,
            None,
            Some(ReasonKind::Failed),
            Some(Error),
        ),
        (WorkerEventKind::Waiting, None, None, Some(Error)),
        // An event of an earlier version, which did not say what was asked.
        (
            WorkerEventKind::Waiting,
            None,
            Some(ReasonKind::Question),
            Some(Question),
        ),
        (WorkerEventKind::Errored, None, None, Some(Error)),
        (WorkerEventKind::SetupFailed, None, None, Some(Error)),
        (WorkerEventKind::Paused, None, None, Some(Held)),
        (WorkerEventKind::Exited, None, None, Some(Ended)),
        (WorkerEventKind::Killed, None, None, Some(Ended)),
        (WorkerEventKind::Checked, None, None, None),
        (WorkerEventKind::Collides, None, None, None),
    ] {
        let known = Known {
            event,
            report,
            reason,
            text,
            ..NOTHING
        };
        assert_eq!(of(&known), wanted, "{event:?} {report:?} {reason:?}");
    }
    let once = Known {
        event: WorkerEventKind::Finished,
        is_done: true,
        text: "42",
        ..NOTHING
    };
    assert_eq!(of(&once), Some(Complete), "a one-shot session");
}

#[test]
fn a_question_is_named_by_its_kind_and_a_question_in_prose_by_its_answers() {
    use QuestionKind::{Asks, Blocked, Permission, Trust};
    let plan = Asked {
        is_plan: true,
        ..asked(QuestionKind::Choice, &["Yes, manually approve edits", "No"])
    };
    let yes_no = || asked(Asks, &["Yes", "No"]);
    for (asked, text, wanted) in [
        (plan, "", Plan),
        (asked(Permission, &["Yes", "No"]), "", Confirmation),
        (asked(Trust, &[]), "", Confirmation),
        (asked(Blocked, &[]), "", Error),
        (asked(QuestionKind::Choice, &["Red", "Blue"]), "", Choice),
        (asked(Asks, &[]), "Which port?", Question),
        (asked(Asks, &["SQLite", "Postgres"]), "", Choice),
        (yes_no(), "Should I proceed?", Confirmation),
        (yes_no(), "# Plan\n1. Store\n2. API\n\nShall I start?", Plan),
        (yes_no(), "Plan:\n1. Store\n2. API\n\nShall I start?", Plan),
        (yes_no(), "## Spec: login\nIt…\n\nShall I start?", Plan),
        (
            yes_no(),
            "We plan to add a login.\n\nShall I start?",
            Confirmation,
        ),
        // A question about a plan is not a request to approve it.
        (
            asked(Asks, &[]),
            "# Plan\n1. Store\n\nWhich port should it use?",
            Question,
        ),
    ] {
        let known = Known {
            event: WorkerEventKind::Waiting,
            asked: Some(&asked),
            text,
            ..NOTHING
        };
        assert_eq!(of(&known), Some(wanted), "{asked:?} {text}");
    }
}

#[test]
fn a_question_to_the_conductor_is_named_by_the_answers_that_its_text_offers() {
    for (text, wanted) in [
        ("Cents or floats?", Question),
        ("Should I proceed?", Confirmation),
        ("Which store do you prefer?\n\n1. SQLite\n2. Postgres", Choice),
        ("I need the name of the bucket.", Question),
        ("Should the tool support plugins?", Question),
        (
            "How should I go on?\n\nOption 1: Keep it\nOption 2: Break it\nOption 3: Wait",
            Choice,
        ),
    ] {
        let known = Known {
            event: WorkerEventKind::Asks,
            text,
            ..NOTHING
        };
        assert_eq!(of(&known), Some(wanted), "{text}");
    }
}

#[test]
fn a_turn_that_ended_is_named_by_the_form_of_its_answer() {
    for (text, wanted) in [
        ("", TurnEnded),
        ("I read the code.", TurnEnded),
        ("Implementation complete", Complete),
        ("**Implementation complete!** 12 tests pass.", Complete),
        ("✅ All tasks completed.", Complete),
        ("All tasks completed successfully: see below.", Complete),
        ("I am done.\n\nAll tasks are done, and committed.", Complete),
        ("## Implementation complete\n\nThe API…", Complete),
        ("Implementation complete?", TurnEnded),
        ("Implementation complete except for the tests.", TurnEnded),
        ("The implementation completes the first task.", TurnEnded),
        ("Not all tasks are done.", TurnEnded),
        ("It prints:\n```\nImplementation complete\n```", TurnEnded),
        ("> Implementation complete\n\nThat is a quote.", TurnEnded),
        ("# Implementation plan\n\n1. Store\n2. API", Plan),
        ("# Specification\n\nThe login…", Plan),
        ("Here is my plan:\n- the store\n- the API", Plan),
        (
            "We could plan the store, the API and the tests as follows:\n- …",
            TurnEnded,
        ),
        ("#plan", TurnEnded),
        ("# Planning\n\nI read.", TurnEnded),
        ("```\n# Plan\n```", TurnEnded),
    ] {
        let known = Known {
            event: WorkerEventKind::Finished,
            text,
            ..NOTHING
        };
        assert_eq!(of(&known), Some(wanted), "{text:?}");
    }
}
