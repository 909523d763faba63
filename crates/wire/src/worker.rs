//! A conductor's workers: waiting for them and killing them all.

use crate::session::SessionStatus;
use downbeat_model::SessionId;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Waits for something to happen among workers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WaitForWorkers {
    /// Id or readable name of their conductor.
    pub id: String,
    /// Which workers, by id or readable name; default all.
    #[serde(default)]
    #[ts(optional)]
    pub workers: Option<Vec<String>>,
    /// What to wait for; default `any`.
    #[serde(default)]
    #[ts(optional)]
    pub until: Option<WaitUntil>,
    /// How long at most, in seconds, at most 3600; default 45.
    #[serde(default)]
    #[ts(optional)]
    pub timeout_seconds: Option<u32>,
}

/// When a wait is over.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub enum WaitUntil {
    /// As soon as there is one event.
    #[default]
    Any,
    /// When no worker runs or spawns any more.
    All,
}

/// Something that happened to a worker. Each is handed out once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct WorkerEvent {
    /// The worker's identifier.
    pub session_id: SessionId,
    /// Its readable name.
    pub worker_name: String,
    /// What happened: `finished`, `waiting`, `exited`, `killed`, `errored`, `setup_failed`.
    #[serde(rename = "type")]
    pub kind: String,
    /// One line: the question, the exit code, the error.
    pub detail: String,
    /// When.
    #[ts(type = "string")]
    pub timestamp: Timestamp,
}

/// The answer to [`WaitForWorkers`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct WaitReport {
    /// What happened since the last report, oldest first; empty where the time ran out.
    pub events: Vec<WorkerEvent>,
    /// Whether the time ran out.
    pub timed_out: bool,
    /// How each worker is now.
    pub workers: Vec<SessionStatus>,
}

/// Which sessions an operation on several ended.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct Ended {
    /// Their readable names.
    pub sessions: Vec<String>,
}
