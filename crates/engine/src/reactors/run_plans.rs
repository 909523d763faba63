//! Brings plans forward: after each change of one of their workers, and now and then.

use crate::decide::plans::{Seen, seen};
use crate::effects::plans;
use crate::reactors::reactor::{Context, Due, Next, Reactor, period};
use crate::state::context::Engine;
use crate::state::known::State;
use async_trait::async_trait;
use downbeat_model::Subject;
use downbeat_plans::{PlanRecord, PlanState, ShareState};
use downbeat_wire::ApiError;
use jiff::Timestamp;
use std::sync::Arc;
use std::time::Duration;

/// How often workers at rest are looked at, whose commits no event reports.
const SWEEP: Duration = Duration::from_secs(30);

/// Starts the workers of plans.
pub struct RunPlans;

/// Returns a mark of what decides over a plan, and whether one of its workers is at rest.
fn mark(plan: &PlanRecord, state: &State) -> (String, bool) {
    let mut rests = false;
    let shares = plan.shares.iter().map(|one| {
        let row = one.session.as_ref().and_then(|id| state.sessions.get(id));
        let is_open = matches!(one.state, ShareState::Running | ShareState::Failed);
        let Some(row) = row.filter(|_| is_open) else {
            return format!("{:?}", one.state);
        };
        rests |= matches!(seen(row), Seen::AtRest { .. });
        let checks = &row.checks;
        let last = checks.last.as_ref().map(|last| last.finished_at);
        let result = row.result.as_ref().map(|last| last.report.at);
        format!(
            "{:?} {} {:?} {result:?} {last:?} {}",
            one.state,
            row.status_since,
            row.status,
            checks.run.is_some()
        )
    });
    let shares: Vec<String> = shares.collect();
    (format!("{:?} {}", plan.state, shares.join(", ")), rests)
}

#[async_trait]
impl Reactor for RunPlans {
    fn name(&self) -> &'static str {
        "run_plans"
    }

    fn look(&self, _: &Context, state: &State, now: Timestamp) -> Next {
        let mut next = Next::default();
        let (number, again) = period(SWEEP, now);
        for plan in state.plans.values() {
            if !matches!(plan.state, PlanState::Running | PlanState::Paused) {
                continue;
            }
            let (mark, rests) = mark(plan, state);
            let number = if rests { number } else { 0 };
            if rests {
                next.again_at(again);
            }
            let subject = Subject::Plan(plan.id.clone());
            next.due.push(Due::once(subject, format!("{number} {mark}")));
        }
        next
    }

    async fn act(&self, engine: &Arc<Engine>, subject: &Subject) -> Result<(), ApiError> {
        match subject {
            Subject::Plan(id) => plans::go_on(engine, id).await,
            _ => Ok(()),
        }
    }
}
