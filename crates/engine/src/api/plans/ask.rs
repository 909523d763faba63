//! Runs, lists and shows plans.

use crate::api::plans::change::{let_go, over};
use crate::api::plans::shown::{answer_of, found, shown, summary};
use crate::decide::{plan_access, plans};
use crate::effects::plans::folders;
use crate::state::context::Engine;
use crate::state::find;
use downbeat_plans::PlanState;
use downbeat_wire::plan::{ListPlans, Plan};
use downbeat_wire::{ApiError, Caller};

/// Runs a plan. Its workers are started by a reactor.
///
/// # Errors
/// Fails if it is over.
pub async fn run(engine: &Engine, caller: &Caller, id: &str) -> Result<Plan, ApiError> {
    let plan = found(engine, caller, id)?;
    // In a plan of one project, a worker that cannot begin says so itself.
    if plan.started_at.is_none() && plan.is_over_several() {
        folders::refuse_unusable(engine, &plan.projects()).await?;
    }
    let id = plan.id;
    let conductor: Vec<_> = plan.conductor.into_iter().collect();
    let _held = engine.recall(&conductor).await?;
    let written = engine.ledger.write(|draft| {
        let conducted = plan_access::conducted(draft.state(), &id);
        plans::change(draft, &id, |plan, now| match plan.state {
            PlanState::Proposed | PlanState::Paused => {
                conducted.may_go_on(caller, plan)?;
                let_go(plan, now)
            }
            PlanState::Running => Ok(()),
            PlanState::Complete | PlanState::Cancelled => Err(over(plan)),
        })?;
        Ok(answer_of(draft, &id))
    });
    written.await?.ok_or_else(|| ApiError::not_found("plan", &id))
}

/// Returns the plans that a caller may see, newest first and shortened.
///
/// # Errors
/// Fails if there is no such project.
pub fn list(engine: &Engine, caller: &Caller, request: &ListPlans) -> Result<Vec<Plan>, ApiError> {
    let state = engine.ledger.state();
    let project = request.project.as_deref();
    let project = project.map(|name| find::project(&state, name)).transpose()?;
    let own = state.plans.values().filter(|plan| {
        let of = project.as_ref().map(|project| &project.id);
        of.is_none_or(|of| plan.projects().contains(&of)) && plan_access::is_visible(&state, caller, plan)
    });
    let mut plans: Vec<_> = own.collect();
    plans.sort_by_key(|plan| std::cmp::Reverse(plan.created_at));
    Ok(plans.into_iter().map(|plan| summary(&state, plan)).collect())
}

/// Returns one plan.
///
/// # Errors
/// Fails if there is none.
pub fn status(engine: &Engine, caller: &Caller, id: &str) -> Result<Plan, ApiError> {
    let plan = found(engine, caller, id)?;
    Ok(shown(&engine.ledger.state(), &plan))
}
