//! Plans: a goal as tasks with what they need, which workers do one after the other.

use downbeat_model::{PlanId, ProjectId, SessionId};
use downbeat_plans::{PlanState, ShareState, Split, Task};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Proposes a plan. Nothing runs until it is run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProposePlan {
    /// The tasks: a list separated by commas, lines, quotes or bars; or, with `file`, the content of a file.
    pub text: String,
    /// Whether the text is the content of a file: a Markdown checklist, `tasks.md` of spec-kit or OpenSpec, `tasks.json` of
    /// Taskmaster, or the JSON of a planner.
    #[serde(default)]
    #[ts(optional)]
    pub file: Option<bool>,
    /// Which of several lists of a Taskmaster file.
    #[serde(default)]
    #[ts(optional)]
    pub tag: Option<String>,
    /// Id or name of the project.
    pub project_id: String,
    /// One worker for each domain (default), or for each task.
    #[serde(default)]
    #[ts(optional)]
    pub split: Option<Split>,
    /// The agent of the workers; default from config.
    #[serde(default)]
    #[ts(optional)]
    pub agent: Option<String>,
    /// The most workers at once, 1 to 50; default 6.
    #[serde(default)]
    #[ts(optional)]
    pub at_once: Option<u32>,
    /// Whether it is only shown, and not kept.
    #[serde(default)]
    #[ts(optional)]
    pub dry_run: Option<bool>,
}

/// Names a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PlanRef {
    /// Its id.
    pub id: String,
}

/// Asks for plans.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListPlans {
    /// Id or name of a project; default all.
    #[serde(default)]
    #[ts(optional)]
    pub project: Option<String>,
}

/// Changes a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ChangePlan {
    /// Its id.
    pub id: String,
    /// What is to happen.
    pub change: PlanChange,
    /// The name of the worker that is retried or skipped.
    #[serde(default)]
    #[ts(optional)]
    pub worker: Option<String>,
}

/// A change of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub enum PlanChange {
    /// Nothing further starts; what runs goes on.
    Pause,
    /// It goes on.
    Resume,
    /// A failed worker's tasks start again, with a new worker.
    Retry,
    /// It goes on without a worker's tasks.
    Skip,
    /// Nothing further starts, for good; what runs goes on.
    Cancel,
}

/// A plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct Plan {
    /// Its id.
    pub id: PlanId,
    /// The project.
    pub project_id: ProjectId,
    /// What it is about.
    pub title: String,
    /// How far it is.
    pub state: PlanState,
    /// The most workers at once.
    pub at_once: u32,
    /// The tasks.
    pub tasks: Vec<Task>,
    /// The workers, and what each does.
    pub workers: Vec<PlanWorker>,
    /// Whether several workers are worthwhile, and why.
    pub advice: String,
    /// Which worker has much more to do than the others.
    pub warning: Option<String>,
    /// How far it is in words; at its end, the report.
    pub report: String,
    /// When it was proposed.
    #[ts(type = "string")]
    pub created_at: Timestamp,
}

/// What one worker of a plan does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct PlanWorker {
    /// Its name, unique in the plan.
    pub name: String,
    /// The domain of its tasks.
    pub domain: String,
    /// The ids of its tasks.
    pub tasks: Vec<String>,
    /// The names of the workers that have to be done before it.
    pub needs: Vec<String>,
    /// How far it is.
    pub state: ShareState,
    /// The session that does it.
    pub session_id: Option<SessionId>,
    /// Why it waits, or failed.
    pub why: Option<String>,
}
