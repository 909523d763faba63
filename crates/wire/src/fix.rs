//! Runs of `fix`: what is red in a project, who makes it green, and what that costs.

use downbeat_model::fix::Group;
use downbeat_model::{ProjectId, SessionId};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Starts a run: the project's checks run on its default branch, and a worker starts for each group of failures.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StartFix {
    /// Id or name of the project. A session's token may leave it out: its own project.
    #[serde(default)]
    #[ts(optional)]
    pub project: Option<String>,
    /// The agent of the workers; default from config.
    #[serde(default)]
    #[ts(optional)]
    pub agent: Option<String>,
    /// The largest number of workers at a time; default 3, at most 20.
    #[serde(default)]
    #[ts(optional)]
    pub workers: Option<u32>,
    /// The number of tries for each group; default 3, at most 10.
    #[serde(default)]
    #[ts(optional)]
    pub attempts: Option<u32>,
    /// The dollars, by list price, that all workers together may use.
    #[serde(default)]
    #[ts(optional)]
    pub usd: Option<f64>,
    /// The tokens that all workers together may use.
    #[serde(default)]
    #[ts(optional, type = "number")]
    pub tokens: Option<u64>,
    /// The longest time, in minutes.
    #[serde(default)]
    #[ts(optional)]
    pub minutes: Option<u32>,
    /// Only shows what is red. Default no.
    #[serde(default)]
    #[ts(optional)]
    pub dry_run: Option<bool>,
}

/// Asks for runs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GetFixes {
    /// The id of one run; default all that are kept.
    #[serde(default)]
    #[ts(optional)]
    pub id: Option<String>,
    /// Id or name of a project; default all.
    #[serde(default)]
    #[ts(optional)]
    pub project: Option<String>,
}

/// Names a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FixRef {
    /// The id of the run.
    pub id: String,
}

/// How a run stands or ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub enum FixOutcome {
    /// It is under way.
    UnderWay,
    /// All checks are green.
    Green,
    /// Something is red, and nothing more is tried.
    Left,
    /// Only what is red was to be shown.
    Shown,
    /// A budget is used up.
    Budget,
    /// Somebody cancelled it.
    Cancelled,
    /// The checks could not run.
    Failed,
}

/// A run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct FixRun {
    /// The id.
    pub id: SessionId,
    /// The project.
    pub project_id: ProjectId,
    /// Its name.
    pub project: String,
    /// The branch.
    pub target: String,
    /// How it stands or ended.
    pub outcome: FixOutcome,
    /// The same in a sentence.
    pub says: String,
    /// The start.
    #[ts(type = "string")]
    pub started_at: Timestamp,
    /// The end; absent while it is under way.
    #[ts(type = "string | null")]
    pub ended_at: Option<Timestamp>,
    /// The commit on which checks ran last.
    pub commit: Option<String>,
    /// The checks that are red there.
    pub red: Vec<String>,
    /// The groups of failures. `why` is a sentence that says how far each is.
    pub groups: Vec<Group>,
    /// What could not be read, and what was left out.
    pub notes: Vec<String>,
    /// The tokens that its workers used.
    #[ts(type = "number")]
    pub tokens: u64,
    /// Dollars by list price; absent where no price is known.
    pub usd: Option<f64>,
}
