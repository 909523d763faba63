//! Merge queues: what waits to land on a branch, in this order, and why.

use downbeat_model::queue::Priority;
use downbeat_model::{Oid, ProjectId, SessionId};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Lists merge queues.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListMergeQueues {
    /// Id or name of a project; default all.
    #[serde(default)]
    #[ts(optional)]
    pub project: Option<String>,
}

/// Pauses the merge queues of a project, or lets them continue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ChangeMergeQueue {
    /// Id or name of the project.
    pub id: String,
    /// Whether nothing further begins. What has begun ends.
    pub paused: bool,
}

/// Changes how soon a session's work lands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PrioritizeMerge {
    /// Id or readable name of the session.
    pub id: String,
    /// The new priority.
    pub priority: Priority,
}

/// What waits to land on a branch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct MergeQueue {
    /// The project.
    pub project_id: ProjectId,
    /// Its name.
    pub project: String,
    /// The branch.
    pub target: String,
    /// The repository at a forge that the branch is in, `github.com/acme/shop`, where pull requests are merged one at a time;
    /// absent for the branch in the project's repository.
    pub repository: Option<String>,
    /// Why nothing further begins; absent if the queue is not paused.
    pub paused: Option<String>,
    /// Since when it is paused.
    #[ts(type = "string | null")]
    pub paused_since: Option<Timestamp>,
    /// The number of sessions whose work is checked and lands together at most.
    pub batch: u32,
    /// What waits, in the order in which it lands.
    pub entries: Vec<MergeQueueEntry>,
    /// The last times that checks failed and then passed on the same files, newest first: these checks depend on something else.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<FlakyChecks>>")]
    pub flaky: Vec<FlakyChecks>,
}

/// Checks that failed and then passed on the same files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct FlakyChecks {
    /// The names of the checks that failed; empty if they are not known any more.
    pub checks: Vec<String>,
    /// When they passed.
    #[ts(type = "string")]
    pub at: Timestamp,
}

/// The work of a session that waits to land.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct MergeQueueEntry {
    /// The session.
    pub session_id: SessionId,
    /// Its readable name.
    pub name: String,
    /// The commit that lands.
    #[ts(type = "string")]
    pub head: Oid,
    /// The place in the queue, from 1.
    pub place: u32,
    /// The priority.
    pub priority: Priority,
    /// Whether it lands without checks.
    pub unchecked: bool,
    /// The time of the request.
    #[ts(type = "string")]
    pub enqueued_at: Timestamp,
    /// Since when it waits for this reason.
    #[ts(type = "string")]
    pub since: Timestamp,
    /// Why it waits, in one sentence.
    pub why: String,
}
