//! Requests merges of sessions' work, and cancels them.

use crate::decide::merge as decide;
use crate::effects::checks::merge;
use crate::effects::checks::plan::Plan;
use crate::state::context::Engine;
use crate::state::requests::Effect;
use downbeat_model::Workspace;
use downbeat_store::SessionRow;
use downbeat_wire::merge::MergeSession;
use downbeat_wire::{ApiError, Code};

/// Requests the merge of a session's work.
///
/// # Errors
/// Fails if its checks did not find it good.
pub async fn request(engine: &Engine, row: &SessionRow, request: &MergeSession) -> Result<(), ApiError> {
    let (name, project) = (&row.name, engine.project(&row.project_id)?);
    if row.workspace == Workspace::InPlace {
        let what = format!("{name} works in the project's own checkout");
        return Err(ApiError::new(Code::Conflict, what).hint("commit there; there is nothing to merge"));
    }
    let plan = Plan::of(engine, &project).await?;
    let hash = Some(plan.hash.as_str()).filter(|_| !plan.checks.is_empty());
    let unchecked = request.unchecked.unwrap_or(false);
    if !unchecked {
        plan.refuse_emptied(&project)?;
    }
    decide::refuse_unverified(row, hash, unchecked)?;
    let run = merge::new_run()?;
    let wanted = decide::Wanted {
        strategy: request.strategy.unwrap_or_default(),
        unchecked,
    };
    let written = engine.ledger.write(|draft| {
        decide::request(draft, &row.id, run, wanted)?;
        draft.effect(Effect::Session(row.id.clone()));
        Ok(())
    });
    written.await
}

/// Cancels the merge that waits or is under way.
pub async fn cancel(engine: &Engine, row: &SessionRow) -> Result<(), ApiError> {
    let written = engine.ledger.write(|draft| {
        if !decide::cancel(draft, &row.id)? {
            let what = format!("no merge of {} is under way", row.name);
            return Err(ApiError::new(Code::Conflict, what));
        }
        draft.effect(Effect::Session(row.id.clone()));
        Ok(())
    });
    written.await
}
