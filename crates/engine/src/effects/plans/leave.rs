//! Stops workers of plans that nobody needs any more. Their worktrees and branches stay.

use crate::decide::{checks, plans};
use crate::effects::session::end_all;
use crate::host::failpoint::point;
use crate::session::end_mode::EndMode;
use crate::state::context::Engine;
use downbeat_model::PlanId;
use downbeat_wire::{ApiError, Caller};
use std::sync::Arc;

/// Stops what a plan has to stop. Which these are is recorded with the change of the plan, so a crash forgets none.
///
/// # Errors
/// Fails if one cannot be stopped now.
pub(crate) async fn leave(engine: &Arc<Engine>, id: &PlanId) -> Result<(), ApiError> {
    let plan = engine.ledger.state().plans.get(id).cloned();
    for worker in plan.iter().flat_map(|plan| &plan.leaving) {
        point("plan-leaves");
        let is_live = engine
            .ledger
            .session(worker)
            .is_some_and(|row| !row.status.is_ended());
        if is_live {
            end_all::end_agent(engine, worker, EndMode::Stop, &Caller::Owner).await?;
        }
        point("plan-left");
        let written = engine.ledger.write(|draft| {
            // Nobody waits for its checks any more. It may have been removed.
            if draft.state().sessions.contains_key(worker) {
                checks::cancel(draft, worker)?;
            }
            plans::change(draft, id, |plan, _| {
                plan.leaving.retain(|other| other != worker);
                Ok(())
            })
        });
        written.await?;
    }
    Ok(())
}
