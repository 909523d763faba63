//! Asks the person's planner: it gets a goal as JSON, and prints tasks. It runs as [`program`] says, in a folder of its own.

use crate::decide::planner::{self as decide, Ended};
use crate::effects::plans::program::{self, Asked};
use crate::effects::plans::reading;
use crate::host::config::PlannerConfig;
use crate::state::context::Engine;
use downbeat_agents::SHELL;
use downbeat_plans::{Domains, MOST_BYTES, Place, Plan, Question, read_answer};
use downbeat_store::ProjectRow;
use downbeat_wire::ApiError;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// Asks a planner for a plan.
///
/// # Errors
/// Fails if it cannot be run, does not end well in time, or answers with no plan that can be done.
pub async fn ask(
    engine: &Arc<Engine>,
    planner: PlannerConfig,
    project: &Arc<ProjectRow>,
    (goal, domains): (&str, Domains),
) -> Result<Plan, ApiError> {
    let (engine, project, goal) = (Arc::clone(engine), Arc::clone(project), goal.to_owned());
    // A run leaves nothing, and ends when nobody waits for it any more.
    let left = CancellationToken::new();
    let _waits = left.clone().drop_guard();
    let asked = tokio::spawn(async move {
        let (most, agents) = (planner.most_tasks(), agents(&engine));
        let asks = question((&goal, &project), most, &domains, agents.clone());
        let answer = answer(&engine, &planner, &asks, &left).await?;
        let (of, own) = (Arc::clone(&project), goal.clone());
        let read = move || {
            let question = question((&own, &of), most, &domains, agents);
            let plan = read_answer(&answer, &question, &domains);
            plan.map_err(|problem| decide::refused(planner.name(), &answer, &problem))
        };
        reading::read(&project, read).await?
    });
    asked
        .await
        .map_err(|error| ApiError::failed("the planner's run was lost", error))?
}

/// Returns what a planner is asked.
fn question<'a>(
    (goal, project): (&'a str, &'a ProjectRow),
    max_tasks: usize,
    domains: &'a Domains,
    agents: Vec<String>,
) -> Question<'a> {
    Question {
        goal,
        project: Place {
            name: &project.name,
            path: &project.path,
        },
        max_tasks,
        domains: domains.names(),
        agents,
    }
}

/// Returns the agents that a task may name: those that are installed. The planner is the person's own, so it may choose as they do.
fn agents(engine: &Engine) -> Vec<String> {
    let known = engine.known_agents();
    let own = known
        .iter()
        .filter(|agent| agent.id != SHELL && engine.find_program(agent).is_ok());
    own.map(|agent| agent.id.clone()).collect()
}

/// Runs a planner, and returns what it prints.
async fn answer(
    engine: &Engine,
    planner: &PlannerConfig,
    question: &Question<'_>,
    left: &CancellationToken,
) -> Result<String, ApiError> {
    let found = program::find(engine, planner.name()).await;
    let mut argv = found.ok_or_else(|| decide::missing(planner.name()))?;
    argv.extend(planner.command.iter().skip(1).cloned());
    let input = serde_json::to_vec(question).map_err(|error| ApiError::failed("the question", error))?;
    let asked = Asked {
        what: "planner",
        argv,
        input,
        variables: Vec::new(),
        cwd: None,
        limit: planner.limit(),
        most: MOST_BYTES,
    };
    let answered = program::run(engine, asked, left).await?;
    let end = Ended {
        outcome: answered.outcome,
        code: answered.code,
        errors: &answered.errors,
    };
    if let Some(error) = decide::failed(planner.name(), planner.limit(), &end) {
        return Err(error);
    }
    if answered.output.len() > MOST_BYTES {
        return Err(decide::too_long(planner.name(), MOST_BYTES));
    }
    String::from_utf8(answered.output).map_err(|_| {
        decide::refused(
            planner.name(),
            "bytes that are no text",
            &downbeat_plans::Problem::Binary,
        )
    })
}
