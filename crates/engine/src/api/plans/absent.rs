//! Agents of a plan that are not installed: said before it runs, since its workers would fail.

use crate::state::context::Engine;
use downbeat_plans::{About, PlanRecord};
use downbeat_store::ProjectRow;
use downbeat_wire::{ApiError, Code};
use std::collections::BTreeSet;

/// Notes with a plan which agents of its workers are not installed.
///
/// # Errors
/// Fails if the project's configuration cannot be read.
pub(super) async fn note(
    engine: &Engine,
    project: &ProjectRow,
    plan: &mut PlanRecord,
) -> Result<(), ApiError> {
    // Tasks of other projects have the agents of these, which say so when they start.
    let open = plan.plan.tasks.iter();
    let open = open.filter(|task| !task.done && task.project_id.is_none());
    let named: BTreeSet<Option<String>> = open.map(|task| task.agent.clone()).collect();
    let usual = match &plan.agent {
        Some(agent) => Some(agent.clone()),
        None => engine.project_config(project).await?.agent,
    };
    let usual = usual.or_else(|| engine.default_agent().ok());
    let agents: BTreeSet<String> = named
        .into_iter()
        .filter_map(|agent| agent.or_else(|| usual.clone()))
        .collect();
    for id in agents {
        let Ok(agent) = engine.agent(&id) else { continue };
        if let Err(error) = engine.find_program(&agent)
            && error.code == Code::AgentMissing
        {
            let text = format!(
                "{}: install it before you run the plan, or write what its workers would be asked to a folder \
                 (`downbeat plan prompts`)",
                error.message
            );
            plan.note(About::Absent, &text);
        }
    }
    Ok(())
}
