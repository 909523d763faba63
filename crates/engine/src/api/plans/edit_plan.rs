//! Changes a plan itself: its title, who works on it, how many at once, and how much it may use. Not its tasks: see `edit`.

use crate::api::plans::propose::{at_once, limits};
use downbeat_plans::{PlanRecord, one_line};
use downbeat_wire::ApiError;
use downbeat_wire::plan::ChangePlan;

/// The most characters of a title.
const MOST_CHARS: usize = 500;

/// Changes what a request names of a plan.
///
/// # Errors
/// Fails if it names nothing, or only what tasks have, or if a value is out of range.
pub(super) fn edit(plan: &mut PlanRecord, request: &ChangePlan) -> Result<(), ApiError> {
    refuse_what_tasks_have(request)?;
    let numbers = request.at_once.is_some() || request.minutes.is_some();
    if request.title.is_none() && request.agent.is_none() && request.budget.is_none() && !numbers {
        return Err(ApiError::invalid("nothing to change is named").hint(
            "name a task, or what is changed of the plan: its title, agent, budget, time, or its workers at once",
        ));
    }
    if let Some(title) = request.title.as_deref().map(str::trim) {
        let line = one_line(title);
        if line.is_empty() || title.contains('\n') || line.chars().count() > MOST_CHARS {
            let what = format!("title: it is one line of at most {MOST_CHARS} characters, and not empty");
            return Err(ApiError::invalid(what));
        }
        plan.plan.title = line;
    }
    if let Some(agent) = &request.agent {
        let agent = Some(agent.clone()).filter(|agent| !agent.is_empty());
        // A model is one of its agent.
        let is_other = plan.agent != agent;
        for task in plan
            .plan
            .tasks
            .iter_mut()
            .filter(|task| is_other && task.agent.is_none())
        {
            task.model = None;
        }
        plan.agent = agent;
    }
    if request.at_once.is_some() {
        plan.at_once = usize::try_from(at_once(request.at_once)?).unwrap_or(usize::MAX);
    }
    let (budget, minutes) = limits(request.budget, request.minutes)?;
    if request.budget.is_some() {
        plan.budget = budget;
    }
    if request.minutes.is_some() {
        plan.minutes = minutes;
    }
    Ok(())
}

fn refuse_what_tasks_have(request: &ChangePlan) -> Result<(), ApiError> {
    let named = [
        ("description", request.description.is_some()),
        ("needs", request.needs.is_some()),
        ("checks", request.checks.is_some()),
        ("skills", request.skills.is_some()),
        ("project", request.project.is_some()),
    ];
    match named.into_iter().find(|(_, is_named)| *is_named) {
        Some((name, _)) => {
            let what = format!("{name}: a plan has none of its own");
            Err(ApiError::invalid(what).hint("name the task that is changed"))
        }
        None => Ok(()),
    }
}
