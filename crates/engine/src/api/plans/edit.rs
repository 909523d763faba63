//! Changes a task that nobody has begun, or whose worker failed.

use crate::api::plans::project;
use downbeat_model::ProjectId;
use downbeat_plans::{PlanRecord, ShareState, Task, check, one_line, plain_lines};
use downbeat_wire::plan::ChangePlan;
use downbeat_wire::{ApiError, Code};
use jiff::Timestamp;

/// The largest number of characters of a text of a task.
const MOST_CHARS: usize = 100_000;

/// The most workers or tasks that a hint names.
pub(super) const MOST_NAMED: usize = 30;

/// The most checks or skills of a task.
const MOST_LINES: usize = 50;

/// The largest number of characters of each of them.
const MOST_IN_LINE: usize = 4_000;

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
    if request.at_once.is_some() || request.budget.is_some() || request.minutes.is_some() {
        let what = "atOnce, budget, minutes: a task has none of its own";
        return Err(ApiError::invalid(what).hint("leave out the task to change the plan"));
    }
    let id = &plan.task_named(id).ok_or_else(|| no_task(plan, id))?.to_owned();
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
    if !changes_something(request) {
        return Err(ApiError::invalid("nothing to change is named").hint(
            "name what is changed of the task: its title, description, needs, checks, skills, agent or project",
        ));
    }
    let before: Vec<Task> = plan.tasks(place).into_iter().cloned().collect();
    if let Some(project) = in_project {
        project::set(plan, place, project)?;
    }
    if let Some(needs) = &request.needs {
        let needs = needs.iter().map(|need| need.trim().to_owned());
        let rewired = plan.rewire(id, needs.filter(|need| !need.is_empty()).collect());
        rewired.map_err(|problem| ApiError::invalid(format!("needs: {problem}")))?;
    }
    if let Some(agent) = &request.agent {
        give(plan, place, agent);
    }
    if let Some(task) = plan.plan.tasks.iter_mut().find(|task| task.id == *id) {
        edited(task, request)?;
    }
    check(&plan.plan).map_err(|problem| ApiError::invalid(format!("the plan: {problem}")))?;
    if !plan.tasks(place).into_iter().eq(&before) {
        plan.reworded(place, now);
    }
    Ok(())
}

/// Reports whether a request names anything that is changed of a task.
fn changes_something(request: &ChangePlan) -> bool {
    let lists = [&request.needs, &request.checks, &request.skills];
    let texts = [
        &request.title,
        &request.description,
        &request.agent,
        &request.project,
    ];
    lists.into_iter().any(Option::is_some) || texts.into_iter().any(Option::is_some)
}

/// Gives all tasks of a worker another agent; an empty name is the default one.
pub(super) fn give(plan: &mut PlanRecord, place: usize, agent: &str) {
    let own: Vec<String> = plan
        .shares
        .get(place)
        .map_or_else(Vec::new, |one| one.share.tasks.clone());
    let agent = Some(agent.to_owned()).filter(|agent| !agent.is_empty());
    for task in plan.plan.tasks.iter_mut().filter(|task| own.contains(&task.id)) {
        // A model is one of its agent.
        task.model = task.model.take().filter(|_| task.agent == agent);
        task.agent.clone_from(&agent);
    }
}

fn edited(task: &mut Task, request: &ChangePlan) -> Result<(), ApiError> {
    let texts = [&request.title, &request.description].into_iter().flatten();
    if texts.into_iter().any(|text| text.chars().count() > MOST_CHARS) {
        let what = format!("title, description: at most {MOST_CHARS} characters each");
        return Err(ApiError::invalid(what));
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
    if lines.len() > MOST_LINES {
        return Err(ApiError::invalid(format!("{name}: at most {MOST_LINES}")));
    }
    if lines.iter().any(|line| line.chars().count() > MOST_IN_LINE) {
        let what = format!("{name}: at most {MOST_IN_LINE} characters each");
        return Err(ApiError::invalid(what));
    }
    Ok(lines)
}

/// Returns the error for an id that no task of a plan has.
pub(super) fn no_task(plan: &PlanRecord, id: &str) -> ApiError {
    let known = plan.plan.tasks.iter().map(|task| task.id.as_str());
    let known: Vec<&str> = known.take(MOST_NAMED).collect();
    ApiError::not_found("task", id).hint(format!("the tasks of the plan are: {}", known.join(", ")))
}
