//! Agents of a plan that are not installed: said before it runs, since its workers would fail.

use crate::state::context::Engine;
use downbeat_plans::{About, PlanRecord};
use downbeat_store::ProjectRow;
use downbeat_wire::{ApiError, Code};
use std::collections::{BTreeMap, BTreeSet};

/// What is installed of the agents that a plan may have.
pub(super) struct Absent {
    /// The agent of what names none.
    usual: Option<String>,
    /// What is said of each agent that is not installed.
    missing: BTreeMap<String, String>,
}

impl Absent {
    /// Looks which agents are not installed.
    ///
    /// # Errors
    /// Fails if the project's configuration cannot be read.
    pub(super) async fn look(engine: &Engine, project: &ProjectRow) -> Result<Self, ApiError> {
        let usual = engine.project_config(project).await?.agent;
        let agents = engine.known_agents();
        let missing = agents.iter().filter_map(|agent| {
            let error = engine.find_program(agent).err()?;
            (error.code == Code::AgentMissing).then(|| (agent.id.clone(), error.message))
        });
        Ok(Self {
            usual: usual.or_else(|| engine.default_agent().ok()),
            missing: missing.collect(),
        })
    }

    /// Notes with a plan which agents of its workers are not installed, in place of what was noted before.
    pub(super) fn note(&self, plan: &mut PlanRecord) {
        plan.forget_notes_about(&About::Absent);
        // Tasks of other projects have the agents of these, which say so when they start.
        let open = plan.plan.tasks.iter();
        let open = open.filter(|task| !task.done && task.project_id.is_none());
        let usual = plan.agent.clone().or_else(|| self.usual.clone());
        let agents: BTreeSet<String> = open
            .filter_map(|task| task.agent.clone().or_else(|| usual.clone()))
            .collect();
        for missing in agents.iter().filter_map(|agent| self.missing.get(agent)) {
            let text = format!(
                "{missing}: install it before you run the plan, or write what its workers would be asked to a folder \
                 (`downbeat plan prompts`)"
            );
            plan.note(About::Absent, &text);
        }
    }
}
