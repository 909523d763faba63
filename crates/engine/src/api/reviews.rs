//! Reviews of sessions' work, as a person or a conductor ends one: looks which commit the worktree is at, then records the review.

use crate::decide::{access, reviews as decide};
use crate::effects::checks::plan::Plan;
use crate::effects::checks::{enqueue, landing};
use crate::effects::worktree::committed::committed;
use crate::state::context::Engine;
use crate::state::requests::Effect;
use downbeat_model::session::ReviewVerdict;
use downbeat_store::SessionRow;
use downbeat_wire::review::ReviewSession;
use downbeat_wire::session::Session;
use downbeat_wire::{ApiError, Caller};

/// Ends a review of a session's work.
///
/// # Errors
/// Fails, with the way out, if the caller may not review so, if there is nothing to review, or if the session committed since the
/// caller looked.
pub async fn review(
    engine: &Engine,
    caller: &Caller,
    row: &SessionRow,
    request: &ReviewSession,
) -> Result<Session, ApiError> {
    let agents = engine.known_agents();
    decide::refuse(caller, &agents, row, request)?;
    if request.verdict == ReviewVerdict::ChangesRequested {
        access::may_type(caller, &agents, row)?;
    }
    let project = engine.project(&row.project_id)?;
    let plan = Plan::of(engine, &project).await?;
    let (head, uncommitted) = committed(&project, row).await?;
    let looked = decide::Looked {
        head: head.commit,
        uncommitted,
        has_checks: !plan.checks.is_empty() || !plan.approved,
    };
    decide::refuse_other(row, request, &looked)?;
    // What happens to one in a merge queue concerns the others.
    let _held = enqueue::others(engine, row).await?;
    let written = engine.ledger.write(|draft| {
        decide::refuse(caller, &agents, draft.session(&row.id)?, request)?;
        decide::record(draft, &row.id, caller, request, &looked)?;
        draft.effect(Effect::Session(row.id.clone()));
        Ok(())
    });
    written.await?;
    let candidate = row.merging.run.as_ref().filter(|run| run.pull.is_none());
    if request.verdict == ReviewVerdict::ChangesRequested
        && let Some(run) = candidate
    {
        landing::drop_candidate(&project, &run.id).await;
    }
    engine.shown(&row.id)
}
