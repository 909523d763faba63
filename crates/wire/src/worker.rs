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

/// What kind of stop an event of a worker is. A hint: where nothing else tells, the form of the agent's answer decides, so an agent that
/// says that it is done need not be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum Stop {
    /// It asks something, in its own words.
    Question,
    /// It offers several answers.
    Choice,
    /// It asks for a yes or no: for a permission, or whether to proceed.
    Confirmation,
    /// It shows a plan or a specification to be reviewed.
    Plan,
    /// It cannot continue, or reported that it failed or is blocked.
    Error,
    /// A pause, a usage limit or a retry holds it back; an answer changes nothing.
    Held,
    /// Its task is done, as it says.
    Complete,
    /// Its turn ended, and nothing shows more.
    TurnEnded,
    /// Its process ended.
    Ended,
}

impl Stop {
    /// Returns the kind as a word on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Question => "question",
            Self::Choice => "choice",
            Self::Confirmation => "confirmation",
            Self::Plan => "plan",
            Self::Error => "error",
            Self::Held => "held",
            Self::Complete => "complete",
            Self::TurnEnded => "turn_ended",
            Self::Ended => "ended",
        }
    }
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
    /// What kind of stop that is; a hint. `None` where the worker did not stop.
    #[serde(default)]
    pub stop: Option<Stop>,
    /// The report or question, else one line: the exit code, the error.
    pub detail: String,
    /// The end of what it said last, where it finished a turn, or asks in its own words, and said something.
    #[serde(default)]
    pub answer: Option<String>,
    /// Why it is not at work, where it waits or did not start.
    #[serde(default)]
    pub reason: Option<Reason>,
    /// What Downbeat tells its conductor besides: that their messages have changed nothing for a while.
    #[serde(default)]
    pub warning: Option<String>,
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
