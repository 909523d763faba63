//! What an agent may ask for in plans: no more than by spawning each worker itself. The workers of its plan are its workers, so
//! limits, budgets and permission modes apply to them as to others; see [`crate::decide::admission`].

use crate::decide::access;
use crate::state::find;
use crate::state::known::State;
use downbeat_agents::Agents;
use downbeat_model::limit::TOO_DEEP;
use downbeat_model::lines::first_line;
use downbeat_model::{PlanId, SessionId, Workspace};
use downbeat_plans::{Plan, PlanRecord, Task};
use downbeat_store::ProjectRow;
use downbeat_wire::{ApiError, Caller, Code};
use std::fmt::Write as _;
use std::sync::Arc;

/// The most plans of a session that are not over.
const MOST_OPEN: usize = 20;

/// The most plans of a session that are over.
const MOST_OVER: usize = 200;

/// The most lines that are said of such a task beside its title, and the most characters of each.
const MOST_DETAILS: usize = 20;
const MOST_IN_DETAIL: usize = 400;

/// The largest number of tasks that are written out for a worker that has to do them itself.
const MOST_LISTED: usize = 40;

/// Returns the project of a new plan, and the session whose workers its workers are.
///
/// # Errors
/// Fails if no project is named, or if an agent names another one than its own.
pub fn place(
    state: &State,
    caller: &Caller,
    named: Option<&str>,
) -> Result<(Arc<ProjectRow>, Option<SessionId>), ApiError> {
    let named = named.map(|name| find::project(state, name)).transpose()?;
    match caller {
        Caller::Owner => match named {
            Some(project) => Ok((project, None)),
            None => Err(ApiError::invalid("projectId is missing").hint("name the project")),
        },
        Caller::Session(id) => {
            let row = find::session(state, caller, id.as_str())?;
            let own = find::project(state, row.project_id.as_str())?;
            match named {
                Some(project) if project.id != own.id => {
                    Err(ApiError::invalid("a worker belongs to its conductor's project"))
                }
                _ => Ok((own, Some(id.clone()))),
            }
        }
    }
}

/// Checks that an agent may have workers with these tasks.
///
/// # Errors
/// Fails if its workers would be too deep, with the tasks in an order in which it can do them itself; or if it may not spawn one
/// of their agents.
pub fn may_propose(
    state: &State,
    (caller, agents, max_depth): (&Caller, &Agents, u32),
    plan: &Plan,
    agent: Option<&str>,
) -> Result<(), ApiError> {
    let Caller::Session(id) = caller else {
        return Ok(());
    };
    let depth = state.sessions.get(id).map_or(0, |row| row.depth);
    if depth >= max_depth {
        return Err(ApiError::new(Code::TooDeep, TOO_DEEP).hint(in_order(plan)));
    }
    let named = plan.tasks.iter().filter_map(|task| task.agent.as_deref());
    for agent in named.chain(agent) {
        access::may_spawn(caller, agents, (agent, Workspace::Worktree))?;
    }
    Ok(())
}

/// Checks that an agent has room for another plan.
///
/// # Errors
/// Fails if it has too many that are not over, or has kept too many.
pub fn has_room(state: &State, conductor: Option<&SessionId>) -> Result<(), ApiError> {
    let Some(id) = conductor else {
        return Ok(());
    };
    let own = state
        .plans
        .values()
        .filter(|plan| plan.conductor.as_ref() == Some(id));
    let (over, open): (Vec<_>, Vec<_>) = own.partition(|plan| plan.state.is_over());
    if open.len() >= MOST_OPEN {
        let what = format!("this session has {MOST_OPEN} plans that are not over");
        return Err(ApiError::new(Code::LimitReached, what).hint("cancel one that you do not need"));
    }
    if over.len() >= MOST_OVER {
        let what = format!("this session has made {MOST_OVER} plans");
        return Err(ApiError::new(Code::LimitReached, what).hint("spawn workers one by one"));
    }
    Ok(())
}

/// Returns whether a session conducts a plan that is not over.
pub fn has_open_plan(state: &State, id: &SessionId) -> bool {
    let mut plans = state.plans.values();
    plans.any(|plan| plan.conductor.as_ref() == Some(id) && !plan.state.is_over())
}

/// Returns whether nobody is left who could conduct a plan that the person runs: the session that made it was removed or
/// archived.
fn lost_its_maker(state: &State, plan: &PlanRecord) -> bool {
    let maker = plan.conductor.as_ref().map(|id| state.sessions.get(id));
    let is_gone = maker.is_some_and(|row| row.is_none_or(|row| row.archived_at.is_some()));
    plan.person_runs && plan.started_at.is_none() && is_gone
}

/// Says in which order a session does the tasks itself.
fn in_order(plan: &Plan) -> String {
    let order = plan.in_order();
    let mut text =
        "do these tasks in this session, one after another (mode: sequential), and commit after each:"
            .to_owned();
    for (number, task) in order.iter().take(MOST_LISTED).enumerate() {
        let _ = write!(text, "\n{}. {}", number + 1, task.title);
        for line in details(task) {
            let _ = write!(text, "\n   {line}");
        }
    }
    if let Some(more) = order.len().checked_sub(MOST_LISTED).filter(|more| *more > 0) {
        let _ = write!(text, "\nand the {more} after these");
    }
    text
}

/// Returns what a task says beside its title, shortened.
fn details(task: &Task) -> Vec<String> {
    let mut description: Vec<String> = task.description.lines().map(str::to_owned).collect();
    if description.len() > MOST_DETAILS {
        description.truncate(MOST_DETAILS);
        description.push("…".to_owned());
    }
    let skills = task.skills.iter().map(|skill| format!("Use the skill {skill}."));
    let checks = task
        .checks
        .iter()
        .map(|check| format!("It is done when: {check}"));
    let rest = skills.chain(checks).take(MOST_DETAILS);
    let lines = description.into_iter().chain(rest);
    lines
        .map(|line| line.chars().take(MOST_IN_DETAIL).collect())
        .collect()
}

/// Reports whether a caller may see and change a plan: the person every plan, an agent its own and those of its workers.
pub fn is_visible(state: &State, caller: &Caller, plan: &PlanRecord) -> bool {
    let Caller::Session(id) = caller else {
        return true;
    };
    let conductor = plan.conductor.as_ref();
    conductor == Some(id)
        || conductor
            .and_then(|own| state.sessions.get(own))
            .is_some_and(|row| find::is_within(state, row, id))
}

/// Returns the title of a plan that a session made of a goal.
pub fn title_of_goal(goal: &str) -> String {
    first_line(goal).chars().take(120).collect()
}

/// Checks that a caller may let a plan go on: not an agent one that the person paused, or that it was only to make.
///
/// # Errors
/// Fails if the person paused it, or has not run it yet.
fn may_let_go(caller: &Caller, plan: &PlanRecord) -> Result<(), ApiError> {
    let is_only_made = plan.person_runs && plan.started_at.is_none();
    match (caller, plan.paused_by_person) {
        (Caller::Session(_), _) if is_only_made => {
            let what = "the person looks at this plan, and runs it";
            Err(ApiError::new(Code::Forbidden, what).hint("you were asked to make it: end your turn"))
        }
        (Caller::Session(_), true) => Err(ApiError::new(Code::Forbidden, "the person paused this plan")
            .hint("the person has to let it go on; tell them what waits")),
        _ => Ok(()),
    }
}

/// Checks that a caller may change what a plan is: not a session one that it handed in and that the person is to read and
/// run, because the person would run another one than they read.
///
/// # Errors
/// Fails if the person has not run it yet.
pub fn may_change(caller: &Caller, plan: &PlanRecord) -> Result<(), ApiError> {
    let is_handed_in = plan.person_runs && plan.started_at.is_none();
    if *caller == Caller::Owner || !is_handed_in {
        return Ok(());
    }
    let what = "the person looks at this plan as it was handed in";
    Err(ApiError::new(Code::Forbidden, what).hint("cancel it and propose another one"))
}

/// What becomes of a plan that is to go on because of the session that made it.
pub struct Conducted {
    /// Set if that session is gone before the plan began: then the person conducts it.
    is_orphan: bool,
    /// Why its workers could not start.
    held: Option<String>,
}

/// Looks at the conductor of a plan that is to go on.
pub fn conducted(state: &State, id: &PlanId) -> Conducted {
    let plan = state.plans.get(id);
    let is_orphan = plan.is_some_and(|plan| lost_its_maker(state, plan));
    let held = plan.filter(|_| !is_orphan);
    Conducted {
        is_orphan,
        held: held.and_then(|plan| held_by_conductor(state, plan)),
    }
}

impl Conducted {
    /// Checks that a caller may let a plan go on, and takes the plan from a session that is gone.
    ///
    /// # Errors
    /// Fails if the caller may not, or if the workers could not start.
    pub fn may_go_on(self, caller: &Caller, plan: &mut PlanRecord) -> Result<(), ApiError> {
        may_let_go(caller, plan)?;
        if let Some(why) = self.held {
            return Err(ApiError::new(Code::Conflict, why));
        }
        if self.is_orphan {
            plan.conductor = None;
        }
        Ok(())
    }
}

/// Checks that a caller may choose the priority of a plan.
///
/// # Errors
/// Fails for an agent, whose workers would start before those of others.
pub fn may_prioritize(caller: &Caller) -> Result<(), ApiError> {
    match caller {
        Caller::Owner => Ok(()),
        Caller::Session(_) => {
            let what = "only the person chooses the priority of a plan";
            Err(ApiError::new(Code::Forbidden, what).hint("leave `priority` out, or ask the person"))
        }
    }
}

/// Says why the workers of a plan may not start because of its conductor.
pub fn held_by_conductor(state: &State, plan: &PlanRecord) -> Option<String> {
    let id = plan.conductor.as_ref()?;
    let Some(row) = state.sessions.get(id) else {
        return Some("its conductor was removed; cancel it, or propose it again".to_owned());
    };
    // Workers belong to no archived session.
    if row.archived_at.is_some() {
        let name = &row.name;
        return Some(format!(
            "its conductor {name} is archived; unarchive {name}, then resume the plan; or cancel it"
        ));
    }
    let is_killed = row.status == downbeat_model::Status::Killed;
    let above = crate::decide::admission::killed_above(state, row);
    let name = is_killed.then(|| row.name.clone()).or(above)?;
    Some(format!(
        "{name} was killed, so nobody waits for its workers; resume {name} first, or cancel the plan"
    ))
}

#[cfg(test)]
#[path = "plan_access_tests.rs"]
mod tests;
