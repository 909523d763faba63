//! Makes a plan of a goal alone: the person's planner does, or, if there is none, a session that hands it in later.

use crate::api::plans::absent::Absent;
use crate::api::plans::domains;
use crate::api::plans::propose::{at_once, kept, limits, made, note_unapproved, of_plan, record};
use crate::decide::new_session::MAX_TASK;
use crate::decide::{plan_access, plan_projects};
use crate::effects::plans::planner;
use crate::effects::session::create;
use crate::host::config::PlannerConfig;
use crate::state::context::Engine;
use crate::state::find;
use downbeat_model::SessionId;
use downbeat_model::session::GoalToPlan;
use downbeat_plans::{Split, planning_prompt};
use downbeat_store::ProjectRow;
use downbeat_wire::plan::{PlanGoal, PlannedGoal, PlanningSession, ProposePlan};
use downbeat_wire::spawn::NewSession;
use downbeat_wire::{ApiError, Caller, Code};
use std::sync::Arc;

/// The most characters of a goal.
const MOST_CHARS: usize = 100_000;

/// What to do with a goal that is too long.
const IN_A_FILE: &str = "put it into a file of the repository, and name that file in the goal";

/// Makes a plan of a goal.
///
/// # Errors
/// Fails if the goal is empty or too long, if an option is not possible, or if the planner makes no plan that can be done.
pub async fn plan(engine: &Engine, caller: &Caller, request: PlanGoal) -> Result<PlannedGoal, ApiError> {
    let goal = request.goal.trim();
    if goal.is_empty() || goal.contains('\0') {
        return Err(ApiError::invalid("goal: it is empty, or no text").hint("say what is to be reached"));
    }
    if goal.chars().count() > MOST_CHARS {
        return Err(ApiError::invalid(format!("goal: at most {MOST_CHARS} characters")).hint(IN_A_FILE));
    }
    let project = find::project(&engine.ledger.state(), &request.project_id)?;
    if let Some(name) = &request.template {
        let templates = engine
            .config()
            .all_plan_templates(&domains::of(engine, &project).await?);
        let known = templates.known(name);
        known.map_err(|problem| ApiError::invalid(format!("template: {problem}")))?;
    }
    at_once(request.at_once)?;
    limits(request.budget, request.minutes)?;
    if let Some(agent) = &request.agent {
        engine.agent(agent)?;
    }
    match engine.config().planner {
        Some(planner) => by_planner(engine, planner, &project, &request).await,
        None => by_session(engine, caller, &project, &request).await,
    }
}

/// Lets the person's planner make the plan.
async fn by_planner(
    engine: &Engine,
    planner: PlannerConfig,
    project: &Arc<ProjectRow>,
    request: &PlanGoal,
) -> Result<PlannedGoal, ApiError> {
    let domains = domains::of(engine, project).await?;
    let engine = engine.arc()?;
    let asked = planner::ask(&engine, planner, project, (request.goal.trim(), domains));
    let read = asked.await?;
    let options = ProposePlan {
        split: request.split,
        template: request.template.clone(),
        agent: request.agent.clone(),
        at_once: request.at_once,
        budget: request.budget,
        minutes: request.minutes,
        priority: request.priority,
        conductors: request.conductors,
        ..ProposePlan::default()
    };
    let domains = domains::of(&engine, project).await?;
    let mut read = made(&engine, project, &options, (move || Ok(read), domains)).await?;
    plan_projects::resolve(&engine.ledger.state(), (&**project, false), &mut read.tasks)
        .map_err(|error| of_plan(&error))?;
    domains::apply(&engine, project, request.agent.as_deref(), &mut read.tasks).await?;
    let mut plan = record(project, read, &options)?;
    plan_projects::name(&engine.ledger.state(), &mut plan);
    Absent::look(&engine, project).await?.note(&mut plan);
    note_unapproved(&engine, &mut plan).await?;
    let answer = |plan| PlannedGoal {
        plan: Some(plan),
        session: None,
    };
    kept(&engine, plan, request.dry_run.unwrap_or(false), answer).await
}

/// Starts a session that makes the plan. It is a conductor, so that the workers of its plan are its workers.
async fn by_session(
    engine: &Engine,
    caller: &Caller,
    project: &ProjectRow,
    request: &PlanGoal,
) -> Result<PlannedGoal, ApiError> {
    if request.dry_run.unwrap_or(false) {
        let what = "there is no planner, so a session makes the plan and hands it in later; that cannot only be shown";
        return Err(ApiError::invalid(what)
            .hint("leave out the dry run: no plan runs by itself; or name a program under `planner:` in your downbeat.yaml"));
    }
    if engine.limits().max_depth == 0 {
        let what =
            "there is no planner, and a session cannot make the plan, since no session may have workers here";
        return Err(ApiError::new(Code::TooDeep, what)
            .hint("`downbeat config set limits.maxDepth 1`, or name a program under `planner:` in your downbeat.yaml"));
    }
    let config = engine.project_config(project).await?;
    let agent = request.agent.clone().or(config.agent);
    let agent = engine.agent(&agent.map_or_else(|| engine.default_agent(), Ok)?)?;
    if !agent.can_conduct() {
        let what = format!(
            "there is no planner, and {} cannot hand in a plan: it accepts no tools",
            agent.name
        );
        return Err(ApiError::invalid(what).hint(
            "name an agent that can, like Claude Code, or a program under `planner:` in your downbeat.yaml",
        ));
    }
    let goal = request.goal.trim();
    let domains = domains::of(engine, project).await?;
    let prompt = planning_prompt(goal, &domains.names());
    if prompt.len() > MAX_TASK {
        return Err(ApiError::invalid(format!(
            "goal: it has {} bytes, which is too long for an agent",
            goal.len()
        ))
        .hint(IN_A_FILE));
    }
    let new = NewSession {
        project_id: Some(request.project_id.clone()),
        title: Some(format!("Plan: {}", plan_access::title_of_goal(goal))),
        prompt: Some(prompt),
        agent: Some(agent.id.clone()),
        conductor: Some(true),
        ..NewSession::default()
    };
    let wanted = GoalToPlan {
        goal: goal.to_owned(),
        agent: request.agent.clone(),
        is_split_by_task: request.split.map(|split| split == Split::Task),
        at_once: request.at_once,
        budget: request.budget,
        minutes: request.minutes,
        template: request.template.clone(),
        priority: request.priority,
        conductors: request.conductors.unwrap_or(false),
    };
    let created = create::create(engine, (caller, caller), new, |_, row| {
        row.goal_to_plan = Some(wanted);
        Ok(())
    });
    planned_by(engine, created.await?)
}

/// Answers with a session that makes a plan.
///
/// # Errors
/// Fails if there is no such session any more.
pub fn planned_by(engine: &Engine, id: SessionId) -> Result<PlannedGoal, ApiError> {
    let name = engine.row(&id)?.name.clone();
    Ok(PlannedGoal {
        plan: None,
        session: Some(PlanningSession { id, name }),
    })
}
