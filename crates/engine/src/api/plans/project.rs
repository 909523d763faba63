//! In which project a task of a kept plan is worked on, when it is edited or added.

use crate::decide::plan_projects;
use crate::state::context::Engine;
use downbeat_model::ProjectId;
use downbeat_plans::{More, PlanRecord, ShareState, Task};
use downbeat_wire::plan::{ChangePlan, PlanChange};
use downbeat_wire::{ApiError, Code};

/// Finds the projects of tasks that are to be added to a plan.
///
/// # Errors
/// Fails if one of them may not be worked on in the project that it names.
pub(super) fn of_more(engine: &Engine, plan: &PlanRecord, more: &mut More) -> Result<(), ApiError> {
    let own = engine.project(&plan.project)?;
    let of = (&*own, plan.conductor.is_some());
    let found = plan_projects::resolve(&engine.ledger.state(), of, more.tasks_mut());
    found.map_err(|error| ApiError {
        message: format!("tasks: {}", error.message),
        ..error
    })
}

/// Returns the project that an edited task is to be worked on in, if the request names one; nothing in it for the plan's own.
///
/// # Errors
/// Fails if it may not be worked on there.
pub(super) fn wanted(
    engine: &Engine,
    plan: &PlanRecord,
    request: &ChangePlan,
) -> Result<Option<Option<ProjectId>>, ApiError> {
    let (PlanChange::Edit, Some(name)) = (request.change, &request.project) else {
        return Ok(None);
    };
    let own = engine.project(&plan.project)?;
    let mut task = Task::titled("");
    task.id = request.task.clone().unwrap_or_default();
    task.project = Some(name.trim().to_owned()).filter(|name| !name.is_empty());
    let of = (&*own, plan.conductor.is_some());
    plan_projects::resolve(&engine.ledger.state(), of, std::slice::from_mut(&mut task))?;
    Ok(Some(task.project_id))
}

/// Lets a task that nobody has begun be worked on in another project.
///
/// # Errors
/// Fails if its worker had begun, or has other tasks.
pub(super) fn set(plan: &mut PlanRecord, place: usize, project: Option<ProjectId>) -> Result<(), ApiError> {
    let Some(one) = plan.shares.get(place) else {
        return Ok(());
    };
    let name = &one.share.name;
    // One that failed without a worker could not begin where it was.
    let has_not_begun = match one.state {
        ShareState::Waiting => true,
        state => state == ShareState::Failed && one.session.is_none(),
    };
    let refused = match (has_not_begun, one.share.tasks.len()) {
        (true, 1) => None,
        (true, tasks) => Some((
            format!("{name} has {tasks} tasks, which are all in one project"),
            "propose the plan with one worker for each task",
        )),
        _ => Some((
            format!("{name} worked in its project already"),
            "retry it first; nobody has begun it then",
        )),
    };
    if let Some((what, hint)) = refused {
        return Err(ApiError::new(Code::Conflict, what).hint(hint));
    }
    plan.move_to(place, project);
    Ok(())
}
