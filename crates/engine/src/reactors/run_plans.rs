//! Brings plans forward: after each change of one of their workers, and now and then.

use crate::decide::plan_access;
use crate::decide::plans::{self, Seen};
use crate::effects::plans::advance;
use crate::reactors::reactor::{Context, Due, Next, Reactor, period};
use crate::state::context::Engine;
use crate::state::known::State;
use async_trait::async_trait;
use downbeat_model::{Status, Subject};
use downbeat_plans::{PlanRecord, PlanState, ShareRecord, ShareState};
use downbeat_wire::ApiError;
use jiff::Timestamp;
use std::sync::Arc;
use std::time::Duration;

/// How often workers at rest are looked at, whose commits no event reports.
const SWEEP: Duration = Duration::from_secs(30);

/// How often it is looked for result files, where a plan awaits some.
const RESULTS: Duration = Duration::from_secs(10);

/// Starts the workers of plans.
pub struct RunPlans;

/// What decides over a plan.
struct Mark {
    /// All of it as text: the plan is brought forward when this changes.
    text: String,
    /// Whether one of its workers is at rest, or in the queue.
    rests: bool,
    /// When rules will have decided what follows from checks that failed.
    decided_at: Option<Timestamp>,
}

fn mark(plan: &PlanRecord, state: &State, now: Timestamp) -> Mark {
    let (mut rests, mut decided_at) = (false, None);
    let shares = plan.shares.iter().map(|one| {
        let row = one.session.as_ref().and_then(|id| state.sessions.get(id));
        let is_open = matches!(one.state, ShareState::Running | ShareState::Failed);
        // One in the archive is read only while something is done with it.
        let Some(row) = row.filter(|row| is_open && row.archived_at.is_none()) else {
            return format!("{:?}", one.state);
        };
        let seen = plans::seen_in(state, row);
        rests |= matches!(seen, Seen::AtRest { .. }) || row.status == Status::Queued;
        let checks = &row.checks;
        let last = checks.last.as_ref().map(|last| last.finished_at);
        let result = row.result.as_ref().map(|last| last.report.at);
        let open = checks.last.as_ref().filter(|last| !last.is_green());
        let open = open.map(plans::decided_at).filter(|at| *at > now);
        decided_at = open.into_iter().chain(decided_at).min();
        format!(
            "{:?} {} {:?} {} {result:?} {last:?} {} {} {}",
            one.state,
            row.status_since,
            row.status,
            seen == Seen::AtWork,
            checks.run.is_some(),
            checks.repairs,
            open.is_some()
        )
    });
    let shares: Vec<String> = shares.collect();
    let conductor = plan_access::held_by_conductor(state, plan);
    // One in the archive is in memory only while something is done with it.
    let lead = plan.conductor.as_ref().map(|id| state.sessions.get(id));
    let is_away = lead.is_some_and(|row| row.is_none_or(|row| row.archived_at.is_some()));
    let conductor = conductor.filter(|_| !is_away);
    let (leaving, left) = (plan.leaving.len(), plan.budget);
    // A task that needs less than before may start, although no worker's state has changed.
    let start = plan.schedule().start;
    let text = format!(
        "{:?} {leaving} {left:?} {is_away} {conductor:?} {start:?} {}",
        plan.state,
        shares.join(", ")
    );
    Mark {
        text,
        rests,
        decided_at,
    }
}

/// Reports whether anything is left to do for a plan.
fn is_open(plan: &PlanRecord, now: Timestamp) -> bool {
    matches!(plan.state, PlanState::Running | PlanState::Paused)
        || !plan.leaving.is_empty()
        || plan.has_due()
        || plan.awaits_results()
        || plan.has_pins()
        || plan.untold(now).next().is_some()
}

#[async_trait]
impl Reactor for RunPlans {
    fn name(&self) -> &'static str {
        "run_plans"
    }

    fn look(&self, context: &Context, state: &State, now: Timestamp) -> Next {
        let mut next = Next::default();
        for plan in state.plans.values() {
            if !is_open(plan, now) {
                continue;
            }
            let awaits = plan.awaits_results();
            let (number, again) = period(if awaits { RESULTS } else { SWEEP }, now);
            let Mark {
                text: mut mark,
                rests,
                decided_at,
            } = mark(plan, state, now);
            if let Some(at) = decided_at {
                next.again_at(at);
            }
            // A file that could not be written is looked at again, and so is a worker that could not start.
            let could_not_start = |one: &ShareRecord| one.state == ShareState::Waiting && one.why.is_some();
            let rests = rests
                || plan.shares.iter().any(could_not_start)
                || plan.has_due()
                || awaits
                || plan.untold(now).next().is_some();
            // What workers use is part of the report, and compared with the budget.
            for project in plan.projects() {
                let used = context.used.get(project).copied().unwrap_or_default();
                mark.push_str(&format!(" {used}"));
            }
            if let Some(until) = plan.until() {
                mark.push_str(&format!(" {}", until <= now));
                if until > now {
                    next.again_at(until);
                }
            }
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
            Subject::Plan(id) => advance::go_on(engine, id).await,
            _ => Ok(()),
        }
    }
}
