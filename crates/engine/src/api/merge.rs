//! Requests merges of sessions' work, and cancels them.

use crate::decide::{merge as decide, merge_queue};
use crate::effects::checks::{enqueue, landing, merge};
use crate::effects::pulls::reach;
use crate::state::context::Engine;
use crate::state::requests::Effect;
use downbeat_forge::Write;
use downbeat_model::EventKind;
use downbeat_model::pull::PullState;
use downbeat_model::queue::Withdrawal;
use downbeat_model::session::{MergeOutcome, MergingPull};
use downbeat_store::SessionRow;
use downbeat_wire::merge::MergeSession;
use downbeat_wire::session::Session;
use downbeat_wire::{ApiError, Code};

/// Requests the merge of a session's work.
///
/// # Errors
/// Fails if its checks did not find it good.
pub async fn request(engine: &Engine, row: &SessionRow, request: &MergeSession) -> Result<Session, ApiError> {
    if let Some(pull) = pull(row, request)? {
        reach::refuse_untrusted(&*engine.project(&row.project_id)?)?;
        return record(engine, row, request, pull).await;
    }
    let unchecked = request.unchecked.unwrap_or(false);
    let pinned = enqueue::pinned(engine, row, (unchecked, request.priority)).await?;
    refuse_other(
        &row.name,
        &row.name,
        request.head.as_deref(),
        pinned.head.as_str(),
    )?;
    let _held = enqueue::others(engine, row).await?;
    let run = merge::new_run()?;
    let wanted = decide::Wanted {
        strategy: request.strategy,
        unchecked,
        pull: None,
        any_order: request.any_order.unwrap_or(false),
    };
    let written = engine.ledger.write(|draft| {
        merge_queue::request(draft, &row.id, run, (&wanted, pinned))?;
        draft.effect(Effect::Session(row.id.clone()));
        Ok(())
    });
    written.await?;
    engine.shown(&row.id)
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
            let what = match delete {
                true => "a branch is deleted only with its pull request (`--delete-branch`)",
                false => "only a pull request can be merged by its forge later (`--when-ready`)",
            };
            let way = format!("`downbeat merge {}` puts its work into the queue here", row.name);
            return Err(ApiError::invalid(format!("{what}; {} has none that is open", row.name)).hint(way));
        }
        let merged = row
            .pulls
            .iter()
            .rev()
            .find(|card| card.state == PullState::Merged);
        if let Some(card) = merged.filter(|_| request.local.is_none()) {
            let what = format!("pull request #{} of {} was merged already", card.number, row.name);
            let way = format!(
                "`downbeat merge {} --local` merges what is new into the branch here",
                row.name
            );
            return Err(ApiError::new(Code::Conflict, what).hint(way));
        }
        return Ok(None);
    }
    let card = reach::one_of(row, request.number)?;
    let what = format!("pull request #{}", card.number);
    refuse_other(&what, &row.name, request.head.as_deref(), card.head.as_str())?;
    Ok(Some(MergingPull {
        id: card.id.clone(),
        number: card.number,
        head: card.head.clone(),
        base: card.base_branch.clone(),
        by_rule: false,
        delete_branch: request.delete_branch.unwrap_or(false),
        when_ready: request.when_ready.unwrap_or(false),
    }))
}

/// Refuses to merge another commit than the one that somebody looked at.
fn refuse_other(what: &str, name: &str, wanted: Option<&str>, newest: &str) -> Result<(), ApiError> {
    match wanted {
        Some(wanted) if wanted != newest => {
            let what = format!("{what} has newer commits");
            let way = format!("look at them; `downbeat merge {name}` merges them");
            Err(ApiError::new(Code::Conflict, what).hint(way))
        }
        _ => Ok(()),
    }
}

async fn record(
    engine: &Engine,
    row: &SessionRow,
    request: &MergeSession,
    pull: MergingPull,
) -> Result<Session, ApiError> {
    if request.priority.is_some() {
        return Err(ApiError::invalid(
            "a priority is for merges in the project's repository",
        ));
    }
    let run = merge::new_run()?;
    let wanted = decide::Wanted {
        strategy: request.strategy,
        unchecked: request.unchecked.unwrap_or(false),
        pull: Some(pull),
        any_order: request.any_order.unwrap_or(false),
    };
    let written = engine.ledger.write(|draft| {
        decide::request(draft, &row.id, run, &wanted)?;
        draft.effect(Effect::Session(row.id.clone()));
        Ok(())
    });
    written.await?;
    engine.shown(&row.id)
}

/// Cancels the merge that waits or is under way, or that the forge would make later.
pub async fn cancel(engine: &Engine, row: &SessionRow) -> Result<Session, ApiError> {
    let last = row.merging.last.as_ref();
    let is_queued = last.is_some_and(|last| last.outcome == MergeOutcome::Queued);
    if row.merging.run.is_none() && is_queued {
        return cancel_later(engine, row).await;
    }
    let _held = enqueue::others(engine, row).await?;
    let written = engine.ledger.write(|draft| {
        let is_cancelled = merge_queue::withdraw(draft, &row.id, Withdrawal::ByPerson)?;
        if !is_cancelled && !decide::cancel(draft, &row.id)? {
            let what = format!("no merge of {} is under way", row.name);
            return Err(ApiError::new(Code::Conflict, what));
        }
        draft.effect(Effect::Session(row.id.clone()));
        Ok(())
    });
    written.await?;
    if let Some(run) = row.merging.run.as_ref().filter(|run| run.pull.is_none()) {
        landing::drop_candidate(&*engine.project(&row.project_id)?, &run.id).await;
    }
    engine.shown(&row.id)
}

/// Takes back that the forge merges the session's pull request by itself.
async fn cancel_later(engine: &Engine, row: &SessionRow) -> Result<Session, ApiError> {
    let at = reach::reach(engine, reach::one_of(row, None)?).await?;
    let write = Write::NoAutoMerge {
        pull: at.node.clone(),
    };
    if let Err(error) = at.client.write(&write).await {
        return Err(reach::failed(engine, &at.host, error));
    }
    let written = engine.ledger.write(|draft| {
        draft.session(&row.id)?.merging.last = None;
        draft.session_event(&row.id, EventKind::SessionChanged, serde_json::Value::Null);
        Ok(())
    });
    written.await?;
    engine.shown(&row.id)
}
