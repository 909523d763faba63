//! Stops workers of plans that nobody needs any more. Their worktrees and branches stay.

use crate::decide::{checks, plan_places, plans};
use crate::effects::session::end_all;
use crate::host::failpoint::point;
use crate::session::end_mode::EndMode;
use crate::state::context::Engine;
use downbeat_model::{PlanId, SessionId};
use downbeat_wire::{ApiError, Caller};
use std::sync::Arc;
use tokio::task::JoinSet;

/// Stops what a plan has to stop, all at once: one that does not end holds up no other. Which these are is recorded with the change of
/// the plan, so a crash forgets none.
///
/// # Errors
/// Fails if one cannot be stopped now. All others are.
pub(crate) async fn leave(engine: &Arc<Engine>, id: &PlanId) -> Result<(), ApiError> {
    let plan = engine.ledger.state().plans.get(id).cloned();
    let mut stops = JoinSet::new();
    for worker in plan.iter().flat_map(|plan| plan.leaving.clone()) {
        let (engine, id) = (Arc::clone(engine), id.clone());
        stops.spawn(async move { stop(&engine, &id, &worker).await });
    }
    let mut all = Ok(());
    while let Some(one) = stops.join_next().await {
        let one = one.map_err(|error| ApiError::failed("stopping a worker failed unexpectedly", error));
        all = all.and(one.and_then(|one| one));
    }
    all
}

async fn stop(engine: &Arc<Engine>, id: &PlanId, worker: &SessionId) -> Result<(), ApiError> {
    point("plan-leaves");
    let row = engine.ledger.session(worker);
    let is_needed = plan_places::is_needed_again(&engine.ledger.state(), id, worker);
    if row.is_some_and(|row| !row.status.is_ended()) && !is_needed {
        end_all::end_agent(engine, worker, EndMode::Stop, &Caller::Owner).await?;
    }
    point("plan-left");
    let written = engine.ledger.write(|draft| {
        // Nobody waits for its checks any more. It may have been removed.
        if draft.state().sessions.contains_key(worker) && !is_needed {
            checks::cancel(draft, worker)?;
        }
        plans::change(draft, id, |plan, _| {
            plan.leaving.retain(|other| other != worker);
            Ok(())
        })
    });
    written.await
}
