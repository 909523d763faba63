//! What a person decides about reactions, and what they are told about them.

use super::fixture::*;
use super::*;
use crate::fixture::at;
use crate::pull::CheckState::Failed;
use crate::pull::fixture::{check, green};

const HOUR: i64 = 3600;

#[test]
fn what_is_not_automatic_waits_for_the_person() {
    let mut merge = rule(Event::ApprovedAndGreen, Action::Merge);
    merge.auto = false;
    merge.escalate_after = after("1h");
    let mut desk = Desk::new(vec![
        merge,
        Rule {
            auto: false,
            ..rule(Event::PrOpened, Action::Notify)
        },
    ]);
    assert_eq!(desk.see(0, &green()).len(), 1, "a notice is not an action");
    assert_eq!(desk.pass(2 * HOUR), []);
    let because = Because::NotAutomatic { items: 1 };
    assert_eq!(
        desk.verdict(2 * HOUR, Event::ApprovedAndGreen),
        Verdict::Rests { because }
    );
    desk.run_now = Some("approved-and-green".into());
    assert!(matches!(
        desk.ask(3 * HOUR)[..],
        [Effect {
            act: Act::Merge { .. },
            ..
        }]
    ));
}

#[test]
fn a_person_pauses_switches_off_skips_and_runs_now() {
    let red = |n: u64| green().with_checks(n, vec![check(&format!("r{n}"), "test", Failed)]);
    let mut desk = Desk::new(vec![sends(Event::CiFailed, 1)]);
    desk.controls.paused = true;
    assert_eq!(desk.see(0, &red(1)), []);
    assert_eq!(
        desk.verdict(0, Event::CiFailed),
        Verdict::Rests {
            because: Because::Paused
        }
    );
    desk.controls = Controls {
        paused: false,
        off: ["ci-failed".to_owned()].into(),
    };
    assert_eq!(desk.ask(1), []);
    assert_eq!(
        desk.verdict(1, Event::CiFailed),
        Verdict::Rests {
            because: Because::SwitchedOff
        }
    );
    desk.controls = Controls::default();
    assert_eq!(desk.ask(2).len(), 1, "what was new meanwhile");
    desk.controls.paused = true;
    desk.see(3, &red(2));
    let rule = desk.rules[0].clone();
    skip(&mut desk.record, &desk.situation, &rule, at(3));
    desk.controls.paused = false;
    assert_eq!(desk.ask(4), [], "it was skipped");
    assert!(is_escalation(&desk.see(5, &red(3))[0]), "attempts are used up");
    desk.run_now = Some("ci-failed".into());
    let sent = desk.ask(6);
    assert_eq!((items(&sent), sent[0].attempt), (vec![vec!["run:r3"]], 2));
}

#[test]
fn explanations_say_what_happened_and_what_is_next() {
    let mut rule = sends(Event::CiFailed, 1);
    rule.escalate_after = after("30m");
    let mut desk = Desk::new(vec![rule]);
    let red = |n: u64| green().with_checks(n, vec![check(&format!("r{n}"), "test", Failed)]);
    let explained = |desk: &Desk, second| {
        let all = desk.explain(second);
        all.into_iter()
            .find(|known| known.event == Event::CiFailed)
            .unwrap()
    };
    desk.situation.cases = Vec::new();
    assert_eq!(desk.explain(0), []);
    desk.see(0, &red(1));
    let now = explained(&desk, 10);
    assert_eq!(
        now.verdict,
        Verdict::Rests {
            because: Because::Handled
        }
    );
    assert_eq!(
        (now.attempts, now.most_attempts, now.fired_at),
        (1, Some(1), Some(at(0)))
    );
    let since = at(0);
    assert_eq!(now.escalation, Some((at(1800), EscalationReason::Time { since })));
    desk.see(20, &red(2));
    let now = explained(&desk, 30);
    assert_eq!(
        now.verdict,
        Verdict::Rests {
            because: Because::AttemptsUsedUp { made: 1 }
        }
    );
    assert_eq!(
        now.escalation,
        Some((
            at(20),
            EscalationReason::Attempts {
                made: 1,
                action: Some(Action::SendToAgent),
            }
        ))
    );
    let without = desk.explain(30).into_iter().filter(|known| known.rule.is_none());
    assert_eq!(
        without.map(|known| known.event).collect::<Vec<_>>(),
        [Event::PrOpened]
    );
    let stored = serde_json::to_string(&desk.explain(30)).unwrap();
    assert_eq!(
        serde_json::from_str::<Vec<Explanation>>(&stored).unwrap(),
        desk.explain(30)
    );
}

#[test]
fn without_a_session_no_agent_is_told() {
    let mut desk = Desk::new(vec![sends(Event::CiFailed, 1)]);
    desk.situation.session = None;
    let red = green().with_checks(1, vec![check("r", "test", Failed)]);
    assert_eq!(desk.see(0, &red), []);
    assert_eq!(
        desk.verdict(0, Event::CiFailed),
        Verdict::Rests {
            because: Because::NoSession
        }
    );
}

#[test]
fn a_command_waits_for_the_persons_approval_and_nothing_is_lost_meanwhile() {
    let run = |approved| Rule {
        command: Some(command(approved)),
        ..rule(Event::CiFailed, Action::Run)
    };
    let red = green().with_checks(1, vec![check("r1", "test", Failed)]);
    let mut desk = Desk::new(vec![run(false)]);
    let told = desk.see(0, &red);
    let why = EscalationReason::NotApproved;
    assert!(matches!(&told[..], [Effect { act: Act::Escalate { why: told, .. }, .. }] if *told == why));
    assert_eq!(desk.pass(10), [], "the person is told once");
    let because = Because::NotApproved;
    assert_eq!(desk.verdict(10, Event::CiFailed), Verdict::Rests { because });
    desk.run_now = Some("ci-failed".into());
    assert_eq!(desk.ask(20), [], "nobody can run what is not approved");
    desk.run_now = None;
    desk.rules = vec![run(true)];
    let ran = desk.pass(40);
    assert!(matches!(
        &ran[..],
        [Effect {
            act: Act::Run { .. },
            attempt: 1,
            ..
        }]
    ));
    assert_eq!(items(&ran), [["run:r1"]]);
    desk.record.failed(ran[0].problem, "`make preview` exited with 2");
    let told = desk.pass(50);
    let error = "`make preview` exited with 2".into();
    let action = Some(Action::Run);
    let why = EscalationReason::Failed { error, action };
    assert!(matches!(&told[..], [Effect { act: Act::Escalate { why: told, .. }, .. }] if *told == why));
}
