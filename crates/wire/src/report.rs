//! What a worker says came of its task.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// How a worker says its task went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub enum ReportStatus {
    /// All of it is done.
    Done,
    /// A part of it is done; the summary says which.
    Partial,
    /// It cannot go on without something that the summary names.
    Blocked,
    /// It did not work.
    Failed,
}

impl ReportStatus {
    /// The word as it travels.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Partial => "partial",
            Self::Blocked => "blocked",
            Self::Failed => "failed",
        }
    }
}

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

/// What a worker said came of its task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct WorkerReport {
    /// How it went.
    pub status: ReportStatus,
    /// In its own words.
    pub summary: String,
    /// The files that it named.
    pub files: Vec<String>,
    /// When.
    #[ts(type = "string")]
    pub at: Timestamp,
}
