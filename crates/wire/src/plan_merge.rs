//! Merges the work of a whole plan.

use downbeat_model::SessionId;
use downbeat_model::session::MergeStrategy;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Merges the work of a plan's workers that are done, each after what it needs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MergePlan {
    /// Id of the plan.
    pub id: String,
    /// How the commits of each worker get in; default as for a merge of one session.
    #[serde(default)]
    #[ts(optional)]
    pub strategy: Option<MergeStrategy>,
    /// Whether work that was done by hand counts as merged, so that what needs it is merged too. Default no.
    #[serde(default)]
    #[ts(optional)]
    pub by_hand_merged: Option<bool>,
}

/// What was done to merge the work of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct PlanMerge {
    /// What was done for each worker, in the order of the merges.
    pub workers: Vec<WorkerMerge>,
}

/// What was done to merge the work of one worker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct WorkerMerge {
    /// The name of the worker.
    pub worker: String,
    /// Its session; absent if it had none.
    #[serde(default)]
    pub session_id: Option<SessionId>,
    /// What was done.
    pub result: WorkerMergeResult,
    /// The same for people: `the merge of backend was requested`, `it is waiting`.
    pub said: String,
    /// What the person can do, if it was left.
    #[serde(default)]
    pub hint: Option<String>,
}

/// What was done to merge the work of one worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub enum WorkerMergeResult {
    /// Its merge was requested now.
    Requested,
    /// There is nothing to merge: its work landed, it committed nothing, or its work lands with that of another worker.
    Nothing,
    /// It was not merged, and neither is what needs it.
    Left,
}
