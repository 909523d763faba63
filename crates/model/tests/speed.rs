//! The speed of the merge queue: facts a second; that of the rules is a row of `bench/`. Ignored, since it measures and does not test; run it with
//! `cargo test --release -p downbeat-model --test speed -- --ignored --nocapture`.
#![allow(clippy::unwrap_used)]

use downbeat_model::oid::Oid;
use downbeat_model::queue::{
    Candidate, CheckResult, Fact, Place, Priority, Queue, Settings, StepResult, Told, Work,
};
use downbeat_model::{ProjectId, PullId, Subject};
use jiff::{SignedDuration, Timestamp};
use std::time::Instant;

/// The number of events.
const EVENTS: usize = 50_000;

fn oid(number: u64) -> Oid {
    Oid::parse(&format!("{number:040x}")).unwrap()
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
