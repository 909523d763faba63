//! Requests merges of sessions' work, and cancels them.

use crate::decide::merge as decide;
use crate::effects::checks::merge;
use crate::effects::checks::plan::Plan;
use crate::effects::pulls::reach;
use crate::state::context::Engine;
use crate::state::requests::Effect;
use downbeat_model::Workspace;
use downbeat_model::session::MergingPull;
use downbeat_store::SessionRow;
use downbeat_wire::merge::MergeSession;
use downbeat_wire::session::Session;
use downbeat_wire::{ApiError, Code};

/// Requests the merge of a session's work.
///
/// # Errors
/// Fails if its checks did not find it good.
pub async fn request(engine: &Engine, row: &SessionRow, request: &MergeSession) -> Result<Session, ApiError> {
    let (name, project) = (&row.name, engine.project(&row.project_id)?);
    if let Some(pull) = pull(row, request)? {
        reach::refuse_untrusted(&project)?;
        return record(engine, row, request, Some(pull)).await;
    }
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
    record(engine, row, request, None).await
}

/// Returns the pull request that is merged at its forge: the open one, unless a merge in the repository is wanted.
fn pull(row: &SessionRow, request: &MergeSession) -> Result<Option<MergingPull>, ApiError> {
    let is_open = row.pulls.iter().any(|card| card.is_open());
    if request.local.unwrap_or(false) || (!is_open && request.number.is_none()) {
        let (delete, later) = (
            request.delete_branch.unwrap_or(false),
            request.when_ready.unwrap_or(false),
        );
        if delete || later {
            let what = "deleteBranch and whenReady are for pull requests at a forge";
            return Err(ApiError::invalid(format!("{what}; {} is merged here", row.name)));
        }
        return Ok(None);
    }
    let card = reach::one_of(row, request.number)?;
    Ok(Some(MergingPull {
        id: card.id.clone(),
        number: card.number,
        head: card.head.clone(),
        delete_branch: request.delete_branch.unwrap_or(false),
        when_ready: request.when_ready.unwrap_or(false),
    }))
}

async fn record(
    engine: &Engine,
    row: &SessionRow,
    request: &MergeSession,
    pull: Option<MergingPull>,
) -> Result<Session, ApiError> {
    let run = merge::new_run()?;
    let wanted = decide::Wanted {
        strategy: request.strategy,
        unchecked: request.unchecked.unwrap_or(false),
        pull,
    };
    let written = engine.ledger.write(|draft| {
        decide::request(draft, &row.id, run, wanted)?;
        draft.effect(Effect::Session(row.id.clone()));
        Ok(())
    });
    written.await?;
    engine.shown(&row.id)
}

/// Cancels the merge that waits or is under way.
pub async fn cancel(engine: &Engine, row: &SessionRow) -> Result<Session, ApiError> {
    let written = engine.ledger.write(|draft| {
        if !decide::cancel(draft, &row.id)? {
            let what = format!("no merge of {} is under way", row.name);
            return Err(ApiError::new(Code::Conflict, what));
        }
        draft.effect(Effect::Session(row.id.clone()));
        Ok(())
    });
    written.await?;
    engine.shown(&row.id)
}
