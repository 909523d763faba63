//! Puts the work of a session into the merge queue of its project's default branch: reads what is to land, and refuses
//! what may not.

use crate::decide::merge::{self, Wanted};
use crate::decide::merge_queue::{self, Pinned};
use crate::effects::checks::landing;
use crate::effects::checks::plan::Plan;
use crate::effects::worktree::committed::committed;
use crate::host::config::returns_by_reactions;
use crate::state::context::Engine;
use crate::state::draft::Draft;
use crate::state::held::Held;
use downbeat_model::effect::{Check, EffectState};
use downbeat_model::queue::{Place, Priority, Settings};
use downbeat_model::reactions::Event;
use downbeat_model::session::{MergeOutcome, MergeResult};
use downbeat_model::{Oid, SessionId, Workspace, count};
use downbeat_store::{ProjectRow, SessionRow};
use downbeat_wire::{ApiError, Code};
use jiff::Timestamp;

/// Returns what is to land of a session's work now.
///
/// # Errors
/// Fails, with the way out, if its newest commit may not land.
pub async fn pinned(
    engine: &Engine,
    row: &SessionRow,
    (unchecked, priority): (bool, Option<Priority>),
) -> Result<Pinned, ApiError> {
    let (name, project) = (&row.name, engine.project(&row.project_id)?);
    if row.workspace == Workspace::InPlace {
        let what = format!("{name} works in the project's own checkout");
        return Err(ApiError::new(Code::Conflict, what).hint("commit there; there is nothing to merge"));
    }
    let plan = Plan::of(engine, &project).await?;
    let hash = Some(plan.hash.as_str()).filter(|_| !plan.checks.is_empty());
    if !unchecked {
        plan.refuse_emptied(&project)?;
    }
    merge::refuse_unverified(row, hash, unchecked)?;
    let (head, uncommitted) = committed(&project, row).await?;
    if uncommitted > 0 {
        let what = format!(
            "{name} has {}",
            count(uncommitted, "uncommitted file", "uncommitted files")
        );
        return Err(ApiError::new(Code::Conflict, what).hint("commit or discard them, then merge again"));
    }
    let last = row.checks.last.as_ref().filter(|last| last.is_green());
    let verified = last.filter(|last| last.is_of(&head.commit, &plan.hash));
    if hash.is_some() && !unchecked {
        plan.refuse_unusable(&project)?;
        if verified.is_none() {
            let what = format!("{name} has a newer commit than its checks saw");
            return Err(ApiError::new(Code::Conflict, what).hint("run its checks, then merge again"));
        }
    }
    let unreadable = || ApiError::new(Code::Failed, format!("the commit of {name} has no usable id"));
    Ok(Pinned {
        place: Place {
            project: project.id.clone(),
            target: project.default_branch.clone(),
        },
        head: Oid::parse(&head.commit).ok_or_else(unreadable)?,
        verified: verified.and_then(merge_queue::as_result),
        priority,
        settings: settings(engine, &project).await?,
    })
}

/// Reads the settings of a project's merge queues.
///
/// # Errors
/// Fails if the configuration cannot be read.
pub async fn settings(engine: &Engine, project: &ProjectRow) -> Result<Settings, ApiError> {
    let plan = Plan::of(engine, project).await?;
    let config = engine.project_config(project).await?;
    let own = Settings::default();
    // A repository that is not trusted does not decide what happens by itself.
    let returns = |event| match project.trusted {
        true => returns_by_reactions(&config.reactions, event),
        false => None,
    };
    Ok(Settings {
        max_batch: usize::from(config.merge_queue.batch),
        retries: returns(Event::ChecksFailed).unwrap_or(own.retries),
        conflict_retries: returns(Event::MergeConflicts).unwrap_or(own.conflict_retries),
        // If the checks are gone and the person has not agreed to that, nothing passes them.
        checks: (!plan.checks.is_empty() || !plan.approved).then_some(plan.hash),
    })
}

/// Loads the sessions whose work waits in the queues of a session's project: what happens to one concerns the others.
///
/// # Errors
/// Fails if they cannot be read.
pub async fn others(engine: &Engine, row: &SessionRow) -> Result<Held, ApiError> {
    let state = engine.ledger.state();
    let of_project = state.merge_queues.iter();
    let of_project = of_project.filter(|(place, _)| place.project == row.project_id);
    let ids: Vec<_> = of_project
        .flat_map(|(_, kept)| merge_queue::sessions(kept))
        .collect();
    engine.recall(&ids).await
}

/// Puts a merge into the queue that an earlier version of Downbeat recorded as an effect of its own.
///
/// # Errors
/// Fails if it cannot be recorded.
pub async fn take_over(engine: &Engine, key: &str, order: &Check) -> Result<(), ApiError> {
    let _held = engine.recall(std::slice::from_ref(&order.session)).await?;
    let state = engine.ledger.state();
    // The person asked again meanwhile, so that it waits in the queue already.
    let is_queued = state.merge_queue_of(&order.session).is_some();
    let run = merge::under_way(&state, order).filter(|_| !is_queued).cloned();
    let made = match &run {
        Some(run) => {
            let row = engine.row(&order.session)?;
            landing::clear(&*engine.project(&row.project_id)?).await;
            Some((run, pinned(engine, &row, (run.unchecked, None)).await))
        }
        None => None,
    };
    let written = engine.ledger.write(|draft| {
        draft.change_effect(key, |effect| effect.state = EffectState::Done);
        match made {
            None => Ok(()),
            Some((run, Ok(pinned))) => {
                let wanted = Wanted {
                    strategy: run.strategy,
                    unchecked: run.unchecked,
                    pull: None,
                    any_order: run.any_order,
                };
                if let Some(run) = &mut draft.session(&order.session)?.merging.run {
                    (run.started_at, run.is_landing) = (None, false);
                }
                merge_queue::request(draft, &order.session, order.run.clone(), (&wanted, pinned))
            }
            Some((_, Err(error))) => refuse(draft, &order.session, &error),
        }
    });
    written.await
}

/// Records that the work of a session may not land, which ends its merge.
///
/// # Errors
/// Fails if the session is not there.
pub fn refuse(draft: &mut Draft, id: &SessionId, error: &ApiError) -> Result<(), ApiError> {
    let result = MergeResult {
        outcome: MergeOutcome::Refused,
        target: String::new(),
        head: String::new(),
        commit: None,
        detail: error.to_string(),
        files: Vec::new(),
        at: Timestamp::now(),
    };
    merge::record(draft, id, &result)?;
    merge::notify(draft, id, result)
}
