//! A conductor and its workers: waiting for them, asking it, and killing them all.

use crate::session::SessionStatus;
use downbeat_model::{Reason, SessionId};
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
    /// What happened: `reported` (it said what came of its task), `asks` (it asked its conductor), `finished` (its
    /// turn, without a report), `checked` (the project's checks ran on its commit),
    /// `collides` (it changed the same lines as another worker), `waiting`, `exited`, `killed`, `errored`, `setup_failed`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The report or question, else one line: the exit code, the error.
    pub detail: String,
    /// The end of what it said last, where it finished a turn and said something.
    #[serde(default)]
    pub answer: Option<String>,
    /// Why it is not at work, where it waits or did not start.
    #[serde(default)]
    pub reason: Option<Reason>,
    /// The last lines of its terminal when this was handed out; empty where nothing is kept of it.
    pub terminal_content: String,
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

/// Asks a worker's conductor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AskConductor {
    /// Id or readable name of the worker.
    pub id: String,
    /// The question; at most 16 KB.
    pub question: String,
}

/// Which sessions an operation on several ended.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct Ended {
    /// Their readable names.
    pub sessions: Vec<String>,
}
