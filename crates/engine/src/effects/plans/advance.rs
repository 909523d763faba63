//! Brings a plan forward, as far as it goes now.

use crate::decide::{plan_access, plan_places, plans};
use crate::effects::plans::{cost, leave, pins, results, settle, start, tell, tick};
use crate::state::context::Engine;
use downbeat_model::{PlanId, SessionId};
use downbeat_plans::{About, PlanRecord, PlanState, ShareState};
use downbeat_wire::ApiError;
use jiff::Timestamp;
use std::sync::Arc;

/// Brings a plan forward: records what became of its workers and what they used, takes result files, ticks what is done, stops workers that nobody
/// needs any more, has trackers told what is done without a session, then starts those that may. What is over leaves no reference.
///
/// # Errors
/// Fails if something cannot be done now; it is then tried again later. Everything else was done.
pub async fn go_on(engine: &Arc<Engine>, id: &PlanId) -> Result<(), ApiError> {
    let Some(plan) = found(engine, id) else {
        return Ok(());
    };
    let workers = plan.shares.iter().filter_map(|one| one.session.clone());
    let workers = workers.chain(plan.leaving.clone()).chain(plan.conductor.clone());
    let _held = engine.recall(&workers.collect::<Vec<SessionId>>()).await?;
    cost::note(engine, &plan).await?;
    for (place, one) in plan.shares.iter().enumerate() {
        if matches!(plan.state, PlanState::Running | PlanState::Paused)
            && matches!(one.state, ShareState::Running | ShareState::Failed)
            && let Some(worker) = &one.session
        {
            settle::settle(engine, &plan, place, worker).await?;
        }
    }
    make_room(engine, id).await?;
    let counted = results::take(engine, id).await;
    let left = leave::leave(engine, id).await;
    let ticked = tick::tick(engine, id).await;
    let told = tell::tell(engine, id).await;
    hold(engine, id).await?;
    let Some(plan) = found(engine, id) else {
        return Ok(());
    };
    // A worker that cannot be started now does not hold up the others.
    let mut done = left.and(ticked).and(counted).and(told);
    done = done.and(pins::remove(engine, &plan).await);
    for place in plan.schedule().start {
        // The start of the one before took a while.
        if let Some(plan) = found(engine, id).filter(|plan| plan.schedule().start.contains(&place)) {
            done = done.and(start::start(engine, &plan, place).await);
        }
    }
    done
}

fn found(engine: &Engine, id: &PlanId) -> Option<Arc<PlanRecord>> {
    engine.ledger.state().plans.get(id).cloned()
}

/// Has a worker that is done stopped, if a limit of sessions holds another one of the plan back.
async fn make_room(engine: &Engine, id: &PlanId) -> Result<(), ApiError> {
    let limits = engine.limits();
    let found = |state: &crate::state::known::State| {
        let plan = state
            .plans
            .get(id)
            .filter(|plan| plan.state == PlanState::Running)?;
        plan_places::leaves(state, &limits, plan)
    };
    if found(&engine.ledger.state()).is_none() {
        return Ok(());
    }
    let written = engine.ledger.write(|draft| {
        let Some(leaves) = found(draft.state()) else {
            return Ok(());
        };
        plans::change(draft, &leaves.plan, |plan, _| {
            plan.leaving.push(leaves.worker.clone());
            plan.note(About::Event, &leaves.note);
            Ok(())
        })
    });
    written.await
}

/// Pauses a plan of which a limit is used up, or whose conductor was killed.
async fn hold(engine: &Engine, id: &PlanId) -> Result<(), ApiError> {
    let holds = |state: &crate::state::known::State, now| {
        let plan = state
            .plans
            .get(id)
            .filter(|plan| plan.state == PlanState::Running)?;
        // What is over needs nothing more.
        let is_open = !plan.schedule().is_over;
        let why = plan_access::held_by_conductor(state, plan).or_else(|| plan.used_up(now));
        why.filter(|_| is_open)
    };
    if holds(&engine.ledger.state(), Timestamp::now()).is_none() {
        return Ok(());
    }
    let written = engine.ledger.write(|draft| {
        let Some(why) = holds(draft.state(), draft.now()) else {
            return Ok(());
        };
        plans::change(draft, id, |plan, _| {
            plans::hold(plan, &why);
            Ok(())
        })
    });
    written.await
}
