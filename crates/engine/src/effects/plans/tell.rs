//! Has the trackers of issues told that tasks are done which no session did: at once where there is no commit, otherwise as soon as
//! the commit is on the default branch, as with the work of sessions.

use crate::decide::{plans, tracking};
use crate::effects::plans::landing::has_landed;
use crate::host::failpoint::point;
use crate::state::context::Engine;
use downbeat_model::PlanId;
use downbeat_wire::ApiError;
use jiff::Timestamp;

/// Records what trackers are to be told. That it was recorded is noted in the same transaction, so a crash repeats nothing.
///
/// # Errors
/// Fails if nothing can be recorded; it is then tried again later.
pub(crate) async fn tell(engine: &Engine, id: &PlanId) -> Result<(), ApiError> {
    let Some(plan) = engine.ledger.state().plans.get(id).cloned() else {
        return Ok(());
    };
    for place in plan.untold(Timestamp::now()) {
        let commit = plan.shares.get(place).and_then(|one| one.tip.clone());
        // What was done in a project that was removed is not looked for.
        if engine.project(plan.project_of(place)).is_err() {
            continue;
        }
        if commit.is_some() {
            match has_landed(engine, &plan, place).await {
                Ok(Some(_)) => {}
                Ok(None) => continue,
                // It is looked at again in a while, and holds up no other.
                Err(error) => {
                    tracing::debug!(plan = %id, "whether its work has landed is not known: {error}");
                    continue;
                }
            }
        }
        record(engine, id, place, commit).await?;
    }
    Ok(())
}

async fn record(engine: &Engine, id: &PlanId, place: usize, commit: Option<String>) -> Result<(), ApiError> {
    point("task-told");
    let written = engine.ledger.write(|draft| {
        let plan = draft.state().plans.get(id).cloned();
        let is_still = |plan: &&std::sync::Arc<downbeat_plans::PlanRecord>| {
            let is_it = plan.untold(draft.now()).any(|other| other == place);
            is_it && plan.shares.get(place).is_some_and(|one| one.tip == commit)
        };
        let Some(plan) = plan.as_ref().filter(is_still) else {
            return Ok(());
        };
        let of = (id, plan.project_of(place));
        for task in plan.tasks(place) {
            if let Some(issue) = &task.issue {
                tracking::done(draft, of, (&task.id, issue), commit.clone());
            }
        }
        plans::change(draft, id, |plan, _| {
            plan.told_of(place);
            Ok(())
        })
    });
    written.await
}
