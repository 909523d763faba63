//! A simulated week of 200 plans: workers end at any time, fail, are retried and skipped, and engines die. Time is passed in, and
//! nothing here waits.

use crate::domain::Domains;
use crate::forms::read_planner;
use crate::record::{PlanRecord, PlanState};
use crate::schedule::ShareState;
use crate::share::Split;
use downbeat_model::{PlanId, ProjectId, SessionId};
use jiff::{SignedDuration, Timestamp};
use serde_json::json;

/// A sequence of numbers that look random.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % most
    }
}

fn plan(dice: &mut Dice, number: u32, now: Timestamp) -> PlanRecord {
    let count = 1 + dice.below(12);
    let domains = ["frontend", "backend", "testing", "database"];
    let tasks = (0..count).map(|own| {
        let needs = (0..own).filter(|_| dice.below(3) == 0).map(|need| need.to_string());
        let needs: Vec<String> = needs.collect();
        let domain = domains[usize::try_from(dice.below(4)).unwrap()];
        json!({ "id": own.to_string(), "title": format!("task {own}"), "domain": domain, "dependencies": needs })
    });
    let tasks: Vec<_> = tasks.collect();
    let read = read_planner(&json!(tasks).to_string(), &Domains::default()).unwrap();
    let id = PlanId::parse(&format!("pl{number:012x}")).unwrap();
    let project = ProjectId::parse("p000000000001").unwrap();
    let split = [Split::Domain, Split::Task][usize::try_from(dice.below(2)).unwrap()];
    let mut plan = PlanRecord::new(id, project, read, split, now);
    plan.at_once = usize::try_from(1 + dice.below(4)).unwrap();
    (plan.state, plan.started_at) = (PlanState::Running, Some(now));
    plan
}

/// Starts what may start, as the engine does after each change. Returns how many workers were started.
fn start(plan: &mut PlanRecord, sessions: &mut u32, now: Timestamp) -> u32 {
    let mut started = 0;
    for place in plan.schedule().start {
        *sessions += 1;
        let session = SessionId::parse(&format!("s{sessions:012x}")).unwrap();
        for need in plan.shares[place].share.needs.clone() {
            let state = plan.shares[need].state;
            assert!(
                matches!(state, ShareState::Done | ShareState::Skipped),
                "{state:?}"
            );
        }
        assert!(plan.claim(place, session.clone(), now));
        assert!(!plan.claim(place, session, now), "one worker at a time");
        started += 1;
    }
    let running = plan.shares.iter().filter(|one| one.state == ShareState::Running);
    assert!(running.count() <= plan.at_once);
    started
}

/// Lets something happen to one share.
fn happens(dice: &mut Dice, plan: &mut PlanRecord, now: Timestamp) {
    let place = usize::try_from(dice.below(plan.shares.len() as u64)).unwrap();
    let before = plan.leaving.len();
    let session = plan.shares[place].session.clone();
    match (plan.shares[place].state, dice.below(10)) {
        (ShareState::Running, 0) => plan.failed(place, "broken".into(), now),
        (ShareState::Running, 1) => plan.skip(place, now),
        (ShareState::Running, _) => plan.done(place, Some(format!("commit {place}")), now),
        (ShareState::Failed, 0) => plan.skip(place, now),
        (ShareState::Failed, 1) => plan.done(place, Some("repaired".into()), now),
        (ShareState::Failed, _) => plan.retry(place, now),
        _ => return,
    }
    let leaves = plan.shares[place].session != session || plan.shares[place].state == ShareState::Skipped;
    assert_eq!(
        plan.leaving.len() - before,
        usize::from(leaves),
        "a worker that is let go is stopped"
    );
}

#[test]
fn two_hundred_plans_in_a_week_end_with_each_share_settled_once() {
    let mut dice = Dice(0x5eed_1234_abcd);
    let mut now = Timestamp::from_second(1_800_000_000).unwrap();
    let (mut sessions, end) = (0, now + SignedDuration::from_hours(24 * 7));
    let mut plans: Vec<PlanRecord> = Vec::new();
    let mut number = 0;
    while now < end || plans.iter().any(|plan| plan.state == PlanState::Running) {
        if number < 200 && plans.len() < 200 {
            plans.push(plan(&mut dice, number, now));
            number += 1;
        }
        now += SignedDuration::from_mins(i64::try_from(1 + dice.below(60)).unwrap());
        for plan in plans.iter_mut().filter(|plan| plan.state == PlanState::Running) {
            // The engine dies here: the next one has what was written, and nothing else.
            if dice.below(20) == 0 {
                *plan = serde_json::from_str(&serde_json::to_string(plan).unwrap()).unwrap();
            }
            start(plan, &mut sessions, now);
            assert_eq!(start(plan, &mut sessions, now), 0, "asking again starts nothing");
            happens(&mut dice, plan, now);
            if plan.schedule().is_over {
                (plan.state, plan.ended_at) = (PlanState::Complete, Some(now));
            }
        }
    }
    assert_eq!(plans.len(), 200);
    for plan in &plans {
        let settled = |state| matches!(state, ShareState::Done | ShareState::Skipped);
        assert!(plan.shares.iter().all(|one| settled(one.state)));
        let report = crate::text::report(plan, now);
        let done = plan
            .shares
            .iter()
            .filter(|one| one.state == ShareState::Done)
            .count();
        let all = plan.shares.len();
        let said = match done == all {
            true => format!("[COMPLETE] All {all} worker"),
            false => format!("[COMPLETE] {done} of {all} worker"),
        };
        assert!(report.starts_with(&said), "{report}");
    }
}
