//! Tables of the sentences about rules: how often each acted, and why it acts, waits or rests.

use super::*;
use crate::state::example::at;
use downbeat_model::reactions::Event;
use serde_json::json;

/// Returns a rule that does this.
fn rule(action: Action) -> Rule {
    let command = (action == Action::Run).then(|| json!({ "argv": ["make", "the page"], "limitMinutes": 1 }));
    serde_json::from_value(
        json!({ "id": "r", "event": Event::CiFailed, "action": action, "command": command }),
    )
    .unwrap()
}

/// Returns the explanation of a rule that acted this often.
fn acted(attempts: u32, most_attempts: Option<u32>, verdict: Verdict) -> Explanation {
    Explanation {
        rule: Some("r".into()),
        event: Event::CiFailed,
        detail: String::new(),
        verdict,
        fresh: 0,
        attempts,
        most_attempts,
        since: None,
        fired_at: None,
        escalation: None,
    }
}

fn rests(because: Because) -> Verdict {
    Verdict::Rests { because }
}

#[test]
fn each_action_says_how_often_it_was_taken() {
    for (action, never, once) in [
        (
            Action::Notify,
            "you have not been notified yet",
            "you were notified",
        ),
        (
            Action::Merge,
            "it has not been merged yet",
            "a merge was requested 1 time",
        ),
        (
            Action::AutoMerge,
            "it has not been merged yet",
            "a merge was requested 1 time",
        ),
        (
            Action::Archive,
            "the session has not been archived yet",
            "the session will be archived when nothing runs in it",
        ),
        (
            Action::Restart,
            "the agent has not been restarted yet",
            "the agent was restarted 1 time",
        ),
        (
            Action::Spawn,
            "no session has been started for it yet",
            "a session was started for it 1 time",
        ),
        (
            Action::Pause,
            "the session has not been paused yet",
            "the session was paused 1 time",
        ),
        (
            Action::Run,
            "`make 'the page'` has not run yet",
            "`make 'the page'` ran 1 time",
        ),
        (
            Action::SendToAgent,
            "the agent has not been notified yet",
            "the agent was notified 1 time",
        ),
    ] {
        let said = |attempts| explained(&rule(action), &acted(attempts, None, rests(Because::Handled)));
        assert_eq!((said(0).as_str(), said(1).as_str()), (never, once), "{action:?}");
    }
}

#[test]
fn what_has_a_budget_says_how_much_of_it_is_used() {
    for (action, wanted) in [
        (Action::Restart, "the agent was restarted 1 of at most 3 times"),
        (Action::Run, "`make 'the page'` ran 1 of at most 3 times"),
        (Action::SendToAgent, "the agent was notified 1 of at most 3 times"),
    ] {
        let used = acted(1, Some(3), rests(Because::Handled));
        assert_eq!(explained(&rule(action), &used), wanted);
        let up = acted(3, Some(3), rests(Because::AttemptsUsedUp { made: 3 }));
        let said = explained(&rule(action), &up);
        assert!(said.ends_with(" 3 times, which is the maximum"), "{said}");
    }
}

#[test]
fn each_verdict_has_its_reason() {
    let waits = |what| Verdict::Waits { what, until: at(9) };
    let fires = Verdict::Fires {
        items: Vec::new(),
        attempt: 1,
    };
    for (verdict, wanted) in [
        (fires, "not yet; it acts now"),
        (
            waits(WaitsFor::More),
            "not yet; waiting briefly in case more follows",
        ),
        (
            waits(WaitsFor::Threshold),
            "not yet; waiting to see whether it resolves itself",
        ),
        (rests(Because::Handled), "not yet"),
        (rests(Because::NoRule), "not yet"),
        (rests(Because::Clear), "over; not yet"),
        (
            rests(Because::Unclear),
            "not yet; waiting for checks and for the forge",
        ),
        (
            rests(Because::NotAutomatic { items: 1 }),
            "not yet (not automatic)",
        ),
        (rests(Because::SwitchedOff), "not yet (switched off)"),
        (rests(Because::Paused), "not yet (paused)"),
        (
            rests(Because::ConditionFails),
            "not yet; its condition is not met",
        ),
        (
            rests(Because::ConditionError {
                error: "no such label".into(),
            }),
            "not yet; its condition failed: no such label",
        ),
        (rests(Because::NotApproved), "not yet; it waits for your approval"),
        (rests(Because::NoSession), "not yet; there is nothing to act on"),
        (rests(Because::NoHead), "not yet; there is nothing to act on"),
        (
            rests(Because::TooMuch),
            "not yet; there are more items than it handles",
        ),
    ] {
        let said = explained(&rule(Action::Notify), &acted(0, None, verdict));
        let said = said.replace("you have not been notified yet", "not yet");
        assert_eq!(said, wanted);
    }
}
