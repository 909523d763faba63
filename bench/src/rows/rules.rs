//! Measures how long the rules of reactions take for ten thousand events: each a pull request that was seen to change,
//! out of two hundred, with twenty checks and a rule with a condition for every kind of event. In memory, as the engine
//! asks them; nothing is recorded or sent.

use crate::done::Done;
use crate::report::{Goal, Line, Report, Samples, Unit, ms};
use crate::scale::Scale;
use downbeat_model::fold::Fold as _;
use downbeat_model::oid::Oid;
use downbeat_model::pull::{Check, CheckState, Checks, Mergeable, Pull, PullState, ReviewDecision, SeenPull};
use downbeat_model::reactions::{
    Action, Condition, Context, Controls, Event, Record, Rule, Situation, cases_of_pull, react,
};
use downbeat_model::{PullId, SessionId, Subject};
use jiff::{SignedDuration, Timestamp};
use std::time::Instant;

/// The number of pull requests.
const PULLS: usize = 200;

/// The number of events of a turn, and the milliseconds that they may take.
const EVENTS: (usize, f64) = (10_000, 1000.0);

/// The number of checks of each pull request.
const CHECKS: usize = 20;

/// Measures the rules.
pub fn measure(scale: &Scale, report: &mut Report) -> Done<()> {
    let mut took = Samples::new();
    for _ in 0..scale.turns {
        took.add(turn()?);
    }
    let what = "rules: 10,000 changes of 200 pull requests with 20 checks each";
    report.add(Line::new(
        what,
        Unit::Ms,
        took.median(),
        &[],
        Goal::Most(EVENTS.1),
    ));
    Ok(())
}

/// Returns the milliseconds of one turn.
fn turn() -> Done<f64> {
    let rules: Vec<Rule> = Event::ALL.iter().map(|event| rule(*event)).collect();
    let controls = Controls::default();
    let mut facts = Vec::new();
    let mut subjects = Vec::new();
    for n in 0..PULLS {
        let id = PullId::new("github.com", &format!("PR_{n}")).ok_or("no pull request has this id")?;
        subjects.push(Subject::Pull(id));
    }
    for n in 0..EVENTS.0 {
        facts.push(seen(n / PULLS)?);
    }
    let mut pulls: Vec<(Pull, Record)> = (0..PULLS).map(|_| (Pull::unseen(), Record::default())).collect();
    let (start, mut effects) = (Instant::now(), 0);
    let mut now = Timestamp::UNIX_EPOCH;
    for round in facts.chunks(PULLS) {
        for ((fact, subject), (pull, record)) in round.iter().zip(&subjects).zip(&mut pulls) {
            *pull = std::mem::replace(pull, Pull::unseen()).after(fact);
            let situation = Situation {
                subject: subject.clone(),
                session: SessionId::parse("s000000000001"),
                cases: cases_of_pull(pull),
            };
            let context = Context {
                rules: &rules,
                controls: &controls,
                condition: &|_, _| Condition::Holds,
                run_now: None,
                now,
            };
            effects += react(record, &situation, &context).effects.len();
            now = now.saturating_add(SignedDuration::from_secs(1))?;
        }
    }
    let took = ms(start);
    match effects > PULLS {
        true => Ok(took),
        false => Err("the rules did nothing".into()),
    }
}

fn rule(event: Event) -> Rule {
    Rule {
        retries: Some(2),
        condition: Some("x".into()),
        ..Rule::new(event, Action::Notify, &format!("{event:?}"))
    }
}

/// Returns a pull request after this many changes: a new head every fourth time, and one check that flaps.
fn seen(step: usize) -> Done<SeenPull> {
    let oid = |number: usize| Oid::parse(&format!("{number:040x}")).ok_or("no commit has this id");
    let head = oid(step / 4 + 1)?;
    let check = |n: usize| Check {
        id: format!("CR_{step}_{n}"),
        name: format!("test {n}"),
        is_required: n < 5,
        state: match (n, step % 4) {
            (0, 1) => CheckState::Failed,
            (0, 0) => CheckState::Running,
            _ => CheckState::Passed,
        },
        ended_at: None,
    };
    Ok(SeenPull {
        number: 1,
        url: "https://github.com/o/r/pull/1".into(),
        title: "Cart".into(),
        state: PullState::Open,
        is_gone: false,
        denied: None,
        is_draft: false,
        checks: Checks::new(head.clone(), (0..CHECKS).map(check).collect(), None, None),
        head,
        head_branch: "cart".into(),
        head_repository: Some("o/r".into()),
        base_branch: "main".into(),
        base: Some(oid(9)?),
        mergeable: Mergeable::Yes,
        is_behind: false,
        is_queued: false,
        queue_place: None,
        decision: ReviewDecision::Approved,
        reviews: Vec::new(),
        threads: Vec::new(),
        beyond: 0,
        comments: Vec::new(),
        labels: vec!["area".into(), "needs-tests".into()],
        updated_at: Timestamp::UNIX_EPOCH,
    })
}
