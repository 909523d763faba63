//! The reports of a worker to its conductor.

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
    /// It cannot continue without something that the summary names.
    Blocked,
    /// It did not work.
    Failed,
}

impl ReportStatus {
    /// Returns the status as a word on the wire.
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

/// The outcome of a task, as its worker reports it.
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

/// The last report of a worker, as it is stored with the session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LastReport {
    /// The report.
    #[serde(flatten)]
    pub report: WorkerReport,
    /// Whether the turn that made the report still runs: its end is then not reported separately.
    #[serde(default)]
    pub fresh: bool,
    /// Why no checks run on what was reported as done, if none do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unchecked: Option<Unchecked>,
}

/// Why no checks run on the work of a worker that reports its task as done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Unchecked {
    /// The project has none.
    NoChecks,
    /// The person has not approved them.
    NotApproved,
    /// The project's file cannot be read.
    Unreadable,
    /// The worker shares the project's own checkout.
    InPlace,
    /// Its worktree is gone.
    NoWorktree,
}

impl Unchecked {
    /// Says why no checks run.
    #[must_use]
    pub fn why(self) -> &'static str {
        match self {
            Self::NoChecks => "the project has no checks",
            Self::NotApproved => "the project's checks are not approved",
            Self::Unreadable => "the project's file cannot be read",
            Self::InPlace => "it works in the project's own folder, which is not checked",
            Self::NoWorktree => "its worktree is gone",
        }
    }
}
