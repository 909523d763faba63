//! The speed of the rules: events a second. Ignored, since it measures and does not test; run it with
//! `cargo test --release -p downbeat-model --test speed -- --ignored --nocapture`.
#![allow(clippy::unwrap_used)]

use downbeat_model::fold::Fold as _;
use downbeat_model::oid::Oid;
use downbeat_model::pull::{Check, CheckState, Checks, Mergeable, Pull, PullState, ReviewDecision, SeenPull};
use downbeat_model::queue::{
    Candidate, CheckResult, Fact, Place, Priority, Queue, Settings, StepResult, Told, Work,
};
use downbeat_model::reactions::{
    Action, Condition, Context, Controls, Event, Record, Rule, Situation, cases_of_pull, react,
};
use downbeat_model::{ProjectId, PullId, SessionId, Subject};
use jiff::{SignedDuration, Timestamp};
use std::time::Instant;

/// The number of pull requests.
const PULLS: usize = 200;

/// The number of events.
const EVENTS: usize = 50_000;

/// The number of checks of each pull request.
const CHECKS: usize = 20;

fn oid(number: u64) -> Oid {
    Oid::parse(&format!("{number:040x}")).unwrap()
}

/// Returns the pull request as it is after `step` changes: a new head every fourth time, and one check that flaps.
fn seen(step: u64) -> SeenPull {
    let head = oid(step / 4 + 1);
    let runs = (0..CHECKS).map(|n| Check {
        id: format!("CR_{step}_{n}"),
        name: format!("test {n}"),
        is_required: n < 5,
        state: match (n, step % 4) {
            (0, 1) => CheckState::Failed,
            (0, 0) => CheckState::Running,
            _ => CheckState::Passed,
        },
        ended_at: None,
    });
    SeenPull {
        number: 1,
        url: "https://github.com/o/r/pull/1".into(),
        title: "Cart".into(),
        state: PullState::Open,
        is_draft: false,
        checks: Checks::new(head.clone(), runs.collect(), None, None),
        head,
        head_branch: "cart".into(),
        head_repository: Some("o/r".into()),
        base_branch: "main".into(),
        base: Some(oid(9)),
        mergeable: Mergeable::Yes,
        is_behind: false,
        decision: ReviewDecision::Approved,
        reviews: Vec::new(),
        threads: Vec::new(),
        labels: vec!["area".into(), "needs-tests".into()],
        updated_at: Timestamp::UNIX_EPOCH,
    }
}

/// Returns a rule for each event.
fn rules() -> Vec<Rule> {
    let rule = |(n, event): (usize, &Event)| {
        let mut rule = Rule::new(*event, Action::Notify, &n.to_string());
        rule.retries = Some(2);
        rule.condition = Some("x".into());
        rule
    };
    Event::ALL.iter().enumerate().map(rule).collect()
}

#[test]
#[ignore = "measures"]
fn ten_thousand_events_a_second() {
    let rules = rules();
    let controls = Controls::default();
    let mut pulls: Vec<(Pull, Record)> = (0..PULLS).map(|_| (Pull::unseen(), Record::default())).collect();
    let facts: Vec<SeenPull> = (0..EVENTS).map(|n| seen((n / PULLS) as u64)).collect();
    let subject = |n: usize| Subject::Pull(PullId::new("github.com", &format!("PR_{n}")).unwrap());
    let mut effects = 0;
    let start = Instant::now();
    for (n, fact) in facts.iter().enumerate() {
        let (pull, record) = &mut pulls[n % PULLS];
        *pull = std::mem::replace(pull, Pull::unseen()).after(fact);
        let situation = Situation {
            subject: subject(n % PULLS),
            session: SessionId::parse("s000000000001"),
            cases: cases_of_pull(pull),
        };
        let context = Context {
            rules: &rules,
            controls: &controls,
            condition: &|_, _| Condition::Holds,
            run_now: None,
            now: Timestamp::UNIX_EPOCH + SignedDuration::from_secs(n as i64),
        };
        effects += react(record, &situation, &context).effects.len();
    }
    report("reactions, with 17 rules and 20 checks", EVENTS, start);
    assert!(effects > PULLS);
}

#[test]
#[ignore = "measures"]
fn the_queue_takes_ten_thousand_facts_a_second() {
    let project = ProjectId::parse("p000000000001").unwrap();
    let mut queue = Queue::new(Place {
        project,
        target: "main".into(),
    });
    let settings = Settings {
        max_batch: 4,
        checks: Some("h".into()),
        ..Settings::default()
    };
    let (mut number, mut facts) = (0, 0);
    let mut waiting = Vec::new();
    let start = Instant::now();
    while facts < EVENTS {
        let now = Timestamp::UNIX_EPOCH + SignedDuration::from_secs(facts as i64);
        // A hundred entries wait all the time.
        let fact = if queue.entries.len() < 100 {
            number += 1;
            let subject = Subject::Pull(PullId::new("github.com", &number.to_string()).unwrap());
            let told = Told::Enqueued {
                subject,
                session: None,
                head: oid(number),
                unchecked: false,
                priority: Priority::Normal,
            };
            Some(Fact::Told { number, told })
        } else {
            waiting.pop().and_then(|work| done(&work, &mut number))
        };
        if let Some(fact) = fact {
            facts += 1;
            waiting.extend(
                queue
                    .apply(&fact, &settings, now)
                    .into_iter()
                    .map(|effect| effect.work),
            );
        }
    }
    report("merge queue, with 100 entries", EVENTS, start);
    assert!(queue.ended.len() == 500);
}

fn done(work: &Work, number: &mut u64) -> Option<Fact> {
    let (step, result) = match work {
        Work::MakeCandidate { step, .. } => {
            *number += 1;
            let (base, commit, tree) = (oid(1), oid(*number), oid(*number));
            (*step, StepResult::Made(Candidate { base, commit, tree }))
        }
        Work::RunChecks { step, tree, hash, .. } => {
            let result = CheckResult {
                tree: tree.clone(),
                hash: hash.clone(),
                green: true,
            };
            (*step, StepResult::Checked(result))
        }
        Work::Land { step, .. } => (*step, StepResult::Landed),
        _ => return None,
    };
    Some(Fact::Result { step, result })
}

fn report(what: &str, count: usize, start: Instant) {
    let rate = count as f64 / start.elapsed().as_secs_f64();
    println!("{what}: {rate:.0} a second");
    let expected = if cfg!(debug_assertions) { 1_000.0 } else { 10_000.0 };
    assert!(rate > expected, "{what}: {rate:.0} a second");
}
