//! What a worker says came of its task.

pub use downbeat_model::session::{ReportStatus, WorkerReport};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Says what came of a worker's task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReportResult {
    /// Id or readable name of the worker.
    pub id: String,
    /// How it went.
    pub status: ReportStatus,
    /// What was done, run and seen, and what is left; at most 16 KB.
    pub summary: String,
    /// The files that matter, relative to its workspace; at most 200.
    #[serde(default)]
    #[ts(optional)]
    pub files: Option<Vec<String>>,
}
