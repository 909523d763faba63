//! What agents used, in tokens and dollars: of a session, of all below it, of a project, of a day.

use downbeat_model::budget::{Budget, Standing};
pub use downbeat_model::session::BudgetScope;
use downbeat_model::{PlanId, ProjectId, SessionId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Tokens that were used, and what they cost. No token is in two of the numbers.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct Usage {
    /// What models read and had not kept.
    #[ts(type = "number")]
    pub input: u64,
    /// What they read from their cache.
    #[ts(type = "number")]
    pub cached: u64,
    /// What they put into their cache.
    #[ts(type = "number")]
    pub written: u64,
    /// What they wrote, their thinking with it.
    #[ts(type = "number")]
    pub output: u64,
    /// Dollars by list price, of the models whose price is known; absent where none is.
    pub cost: Option<f64>,
    /// Models whose price is not known: what they cost is not in `cost`.
    pub unpriced: Vec<String>,
    /// Models that were counted by the price of the newest of their family, since their own is not known.
    #[serde(default)]
    pub by_family: Vec<String>,
}

impl Usage {
    /// Tokens of all kinds.
    #[must_use]
    pub fn tokens(&self) -> u64 {
        let parts = [self.input, self.cached, self.written, self.output];
        parts.into_iter().fold(0, u64::saturating_add)
    }
}

/// A budget and what was used of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct BudgetState {
    /// What it is for.
    pub scope: BudgetScope,
    /// The session; absent for a project's.
    pub session_id: Option<SessionId>,
    /// That session's title, or the project's name; absent in a session's own.
    pub name: Option<String>,
    /// What it allows.
    pub budget: Budget,
    /// What was used; with models whose price is not known it is at least that.
    pub used: Usage,
    /// Which share is used; 1 is all of it.
    pub share: f64,
    /// How it stands.
    pub standing: Standing,
}

/// Asks what was used.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GetUsage {
    /// Only this session and its workers, by id or readable name.
    #[serde(default)]
    #[ts(optional)]
    pub session: Option<String>,
    /// Only this project, by id or name.
    #[serde(default)]
    #[ts(optional)]
    pub project: Option<String>,
    /// The first day, as `2026-11-21`, in the time zone of this machine.
    #[serde(default)]
    #[ts(optional)]
    pub from: Option<String>,
    /// The last day.
    #[serde(default)]
    #[ts(optional)]
    pub to: Option<String>,
}

/// What one day used.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct DayUsage {
    /// The day: `2026-11-21`.
    pub day: String,
    /// What it used.
    pub usage: Usage,
}

/// What one model used.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct ModelUsage {
    /// The model's id.
    pub model: String,
    /// What it used.
    pub usage: Usage,
}

/// What one session used.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct SessionUsage {
    /// Its identifier.
    pub id: SessionId,
    /// Its title.
    pub title: String,
    /// Its project.
    pub project_id: ProjectId,
    /// What it used itself.
    pub usage: Usage,
    /// What it used with all below it, where there are any.
    pub subtree: Option<Usage>,
}

/// What one project used.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct ProjectUsage {
    /// Its identifier.
    pub id: ProjectId,
    /// Its name; absent where it is no longer on the list.
    pub name: Option<String>,
    /// What its sessions used, those no longer on the list with them.
    pub usage: Usage,
}

/// What the sessions of one agent used.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct AgentUsage {
    /// The agent's id: `claude`.
    pub agent: String,
    /// What its sessions used, archived ones with them; not those removed from the list.
    pub usage: Usage,
}

/// What the workers of one plan used.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct PlanUsage {
    /// Its identifier.
    pub id: PlanId,
    /// Its title.
    pub title: String,
    /// What its workers used, those that were replaced or removed from the list with them; and what the workers of those on the list used.
    pub usage: Usage,
}

/// The answer to [`GetUsage`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct UsageReport {
    /// All of it.
    pub total: Usage,
    /// By day, newest first.
    pub days: Vec<DayUsage>,
    /// By model, the one first that wrote most.
    pub models: Vec<ModelUsage>,
    /// By session, in the order of the sidebar; those that used nothing are left out.
    pub sessions: Vec<SessionUsage>,
    /// By project.
    pub projects: Vec<ProjectUsage>,
    /// By agent, the most expensive one first.
    #[serde(default)]
    pub agents: Vec<AgentUsage>,
    /// By plan, newest first; those that used nothing are left out.
    #[serde(default)]
    pub plans: Vec<PlanUsage>,
    /// What sessions used that are no longer on the list; it is in all sums.
    pub removed: Option<Usage>,
    /// The budgets that hold, and what was used of them: of projects today, whatever the days asked
    /// for, and of sessions since they began.
    #[serde(default)]
    pub budgets: Vec<BudgetState>,
    /// What is wrong with the person's own list of prices, if anything.
    pub problem: Option<String>,
}
