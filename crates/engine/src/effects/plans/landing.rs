//! Looks whether work of a plan has landed. Lets work of a plan over several projects land after what it needs in other projects: puts
//! what was held into the merge queue of its project. What is held: [`crate::decide::landing_order`].

use crate::decide::landing_order;
use crate::decide::merge::Wanted;
use crate::decide::{merge_queue, plans};
use crate::effects::checks::enqueue;
use crate::host::blocking;
use crate::host::failpoint::point;
use crate::state::context::Engine;
use crate::state::error;
use downbeat_model::session::{HeldMerge, MergeRun};
use downbeat_model::{PlanId, SessionId};
use downbeat_plans::{PlanRecord, ShareRecord, ShareState};
use downbeat_wire::{ApiError, Code};
use std::path::PathBuf;
use std::sync::Arc;

/// Looks whether the work has landed for which that of a session waits. If it has, the session's work goes into the merge queue of
/// its project; a merge at a forge begins by itself.
///
/// # Errors
/// Fails if a repository does not answer, or if nothing can be recorded; it is then tried again later.
pub async fn go_on(engine: &Arc<Engine>, id: &SessionId) -> Result<(), ApiError> {
    let state = engine.ledger.state();
    let mut looked = Ok(());
    if let Some((plan, place)) = landing_order::share_of(&state, id) {
        looked = look(engine, plan, place).await;
    }
    let state = engine.ledger.state();
    let run = state.sessions.get(id).and_then(|row| row.merging.run.clone());
    if let Some((run, held)) = run.and_then(|run| Some((run.clone(), run.held.clone()?)))
        && landing_order::held(&state, id).is_none()
    {
        point("plan-lands");
        let_land(engine, id, &run, held).await?;
    }
    looked
}

/// Records which work has landed that has to land before that of a share.
async fn look(engine: &Engine, plan: &PlanRecord, place: usize) -> Result<(), ApiError> {
    let places = plan.lands_after(place);
    let sessions = places
        .iter()
        .filter_map(|other| plan.shares.get(*other)?.session.clone());
    let _held = engine.recall(&sessions.collect::<Vec<_>>()).await?;
    let mut done = Ok(());
    for other in places {
        // One repository that does not answer holds up no other.
        match has_landed(engine, plan, other).await {
            Ok(Some(tip)) => record(engine, &plan.id, other, tip).await?,
            Ok(None) => {}
            Err(error) => done = Err(error),
        }
    }
    done
}

/// Returns the commit of a share if its work is on the default branch of its project: there itself, or as what was merged.
pub(crate) async fn has_landed(
    engine: &Engine,
    plan: &PlanRecord,
    place: usize,
) -> Result<Option<String>, ApiError> {
    let Some((one, tip)) = plan
        .shares
        .get(place)
        .and_then(|one| Some((one, one.tip.clone()?)))
    else {
        return Ok(None);
    };
    let project = engine.project(plan.project_of(place))?;
    let row = one.session.as_ref().and_then(|id| engine.ledger.session(id));
    let merged = row.map_or_else(Vec::new, |row| landing_order::landed_heads(&row, &project));
    let (repo, branch) = (PathBuf::from(&project.path), project.default_branch.clone());
    let own = tip.clone();
    let look = move || -> Result<bool, downbeat_git::Error> {
        let mut from = merged;
        if from.contains(&own) {
            return Ok(true);
        }
        for heads in downbeat_git::branch_heads(&repo, &[branch])? {
            from.extend(heads.head.into_iter().chain(heads.pushed));
        }
        downbeat_git::is_reached(&repo, &own, &from)
    };
    let landed = blocking::in_time(&project.path, look)
        .await?
        .map_err(error::git)?;
    Ok(landed.then_some(tip))
}

/// Records which work that was done by hand is on the default branch of its project.
///
/// # Errors
/// Fails if nothing can be recorded. What cannot be looked at now counts as not landed.
pub(crate) async fn note_landed_by_hand(engine: &Engine, id: &PlanId) -> Result<(), ApiError> {
    let Some(plan) = engine.ledger.state().plans.get(id).cloned() else {
        return Ok(());
    };
    let is_open = |one: &ShareRecord| {
        let is_by_hand = one.state == ShareState::Done && one.is_by_hand();
        is_by_hand && one.tip.is_some() && one.landed_at().is_none()
    };
    let mut landed = Vec::new();
    for (place, _) in plan.shares.iter().enumerate().filter(|(_, one)| is_open(one)) {
        let Ok(project) = engine.project(plan.project_of(place)) else {
            continue;
        };
        match has_landed(engine, &plan, place).await {
            Ok(Some(tip)) => landed.push((place, tip, project.default_branch.clone())),
            Ok(None) => {}
            Err(error) => tracing::debug!(plan = %id, "whether its work has landed is not known: {error}"),
        }
    }
    if landed.is_empty() {
        return Ok(());
    }
    let written = engine.ledger.write(|draft| {
        plans::change(draft, id, |plan, _| {
            for (place, tip, branch) in &landed {
                plan.lands_by_hand(*place, tip, branch);
            }
            Ok(())
        })
    });
    written.await
}

async fn record(engine: &Engine, id: &PlanId, place: usize, tip: String) -> Result<(), ApiError> {
    let written = engine.ledger.write(|draft| {
        plans::change(draft, id, |plan, _| {
            plan.landed(place, &tip);
            Ok(())
        })
    });
    written.await?;
    point("plan-landed");
    Ok(())
}

/// Puts the work of a session into the merge queue of its project. What may not land any more is the result of the merge.
async fn let_land(engine: &Engine, id: &SessionId, run: &MergeRun, held: HeldMerge) -> Result<(), ApiError> {
    let row = engine.row(id)?;
    let pinned = enqueue::pinned(engine, &row, (run.unchecked, held.priority)).await;
    let _others = enqueue::others(engine, &row).await?;
    let pinned = match pinned {
        Err(error) if matches!(error.code, Code::Unavailable | Code::Failed) => return Err(error),
        Err(error) => Err(error),
        // Newer commits were not asked for, nor approved.
        Ok(pinned) if held.head.as_ref() == Some(&pinned.head) => Ok(pinned),
        Ok(_) => Err(ApiError::new(
            Code::Conflict,
            format!("{} has other commits than when its merge was requested", row.name),
        )
        .hint("look at its work, then merge it again")),
    };
    let wanted = Wanted {
        strategy: run.strategy,
        unchecked: run.unchecked,
        pull: None,
        any_order: run.any_order,
    };
    let written = engine.ledger.write(|draft| {
        let now = draft.state().sessions.get(id);
        let now = now.and_then(|row| row.merging.run.as_ref());
        // It may have been cancelled meanwhile.
        if now.is_none_or(|now| now.id != run.id || now.held.is_none()) {
            return Ok(());
        }
        match pinned {
            Ok(pinned) => merge_queue::request(draft, id, run.id.clone(), (&wanted, pinned)),
            Err(error) => enqueue::refuse(draft, id, &error),
        }
    });
    written.await
}
