//! Changes a task that nobody has begun, or whose worker failed.

use crate::api::plans::project;
use downbeat_model::ProjectId;
use downbeat_plans::{PlanRecord, ShareState, Task, one_line, plain_lines};
use downbeat_wire::plan::ChangePlan;
use downbeat_wire::{ApiError, Code};
use jiff::Timestamp;

/// The largest number of characters of a text of a task.
const MOST_CHARS: usize = 100_000;

/// The most workers or tasks that a hint names.
pub(super) const MOST_NAMED: usize = 30;

/// The most checks or skills of a task.
const MOST_LINES: usize = 50;

/// Changes a task that nobody has begun.
///
/// # Errors
/// Fails if somebody has begun it, or if the plan could not be done then.
pub(super) fn task(
    plan: &mut PlanRecord,
    request: &ChangePlan,
    in_project: Option<Option<ProjectId>>,
    now: Timestamp,
) -> Result<(), ApiError> {
    let Some(id) = &request.task else {
        return Err(ApiError::invalid("task: name the task that is changed"));
    };
    let place = plan.place_of(id).ok_or_else(|| no_task(plan, id))?;
    let share = plan.shares.get(place);
    match share.map(|one| one.state) {
        Some(ShareState::Waiting | ShareState::Failed) | None => {}
        Some(ShareState::Running) => {
            let what = format!("somebody has begun task {id}");
            return Err(ApiError::new(Code::Conflict, what).hint("write to its worker, or skip it"));
        }
        Some(ShareState::Done | ShareState::Skipped) => {
            let what = format!("task {id} is done or skipped");
            return Err(
                ApiError::new(Code::Conflict, what).hint("add a task, or retry the one that was skipped")
            );
        }
    }
    let of_worker: Vec<String> = share.map_or_else(Vec::new, |one| one.share.tasks.clone());
    if let Some(project) = in_project {
        project::set(plan, place, project)?;
    }
    if let Some(needs) = &request.needs {
        let needs = needs.iter().map(|need| need.trim().to_owned());
        let rewired = plan.rewire(id, needs.filter(|need| !need.is_empty()).collect());
        rewired.map_err(|problem| ApiError::invalid(format!("needs: {problem}")))?;
    }
    plan.reworded(place, now);
    // A worker has one agent for all of its tasks.
    for task in plan
        .plan
        .tasks
        .iter_mut()
        .filter(|task| of_worker.contains(&task.id))
    {
        if let Some(agent) = &request.agent {
            give(task, agent);
        }
    }
    match plan.plan.tasks.iter_mut().find(|task| task.id == *id) {
        Some(task) => edited(task, request),
        None => Ok(()),
    }
}

/// Gives a task another agent; an empty name is the default one.
fn give(task: &mut Task, agent: &str) {
    let agent = Some(agent.to_owned()).filter(|agent| !agent.is_empty());
    // A model is one of its agent.
    task.model = task.model.take().filter(|_| task.agent == agent);
    task.agent = agent;
}

fn edited(task: &mut Task, request: &ChangePlan) -> Result<(), ApiError> {
    let lists = [&request.checks, &request.skills].into_iter().flatten();
    let texts = [&request.title, &request.description].into_iter().flatten();
    for text in texts.chain(lists.flatten()) {
        if text.chars().count() > MOST_CHARS {
            let what = format!("title, description, checks, skills: at most {MOST_CHARS} characters each");
            return Err(ApiError::invalid(what));
        }
    }
    if let Some(title) = request.title.as_deref().map(str::trim) {
        let line = one_line(title);
        if line.is_empty() || title.contains('\n') {
            return Err(ApiError::invalid("title: it is one line, and not empty"));
        }
        task.rename(&line);
    }
    if let Some(description) = &request.description {
        task.description = plain_lines(description);
    }
    if let Some(checks) = &request.checks {
        task.checks = lines("checks", checks)?;
    }
    if let Some(skills) = &request.skills {
        task.skills = lines("skills", skills)?;
    }
    Ok(())
}

/// Returns the items of a list, each in one line, without empty ones.
fn lines(name: &str, items: &[String]) -> Result<Vec<String>, ApiError> {
    let lines: Vec<String> = items.iter().map(|item| one_line(item.trim())).collect();
    let lines: Vec<String> = lines.into_iter().filter(|line| !line.is_empty()).collect();
    match lines.len() > MOST_LINES {
        true => Err(ApiError::invalid(format!("{name}: at most {MOST_LINES}"))),
        false => Ok(lines),
    }
}

/// Returns the error for an id that no task of a plan has.
pub(super) fn no_task(plan: &PlanRecord, id: &str) -> ApiError {
    let known = plan.plan.tasks.iter().map(|task| task.id.as_str());
    let known: Vec<&str> = known.take(MOST_NAMED).collect();
    ApiError::not_found("task", id).hint(format!("the tasks of the plan are: {}", known.join(", ")))
}
