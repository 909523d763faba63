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
    /// All kinds, in the order in which they are listed to agents.
    pub const ALL: [Self; 9] = [
        Self::Question,
        Self::Choice,
        Self::Confirmation,
        Self::Plan,
        Self::Error,
        Self::Held,
        Self::Complete,
        Self::TurnEnded,
        Self::Ended,
    ];

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

/// What happened to a worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum WorkerEventKind {
    /// It said what came of its task.
    Reported,
    /// It asked its conductor.
    Asks,
    /// Its turn ended without a report, or a one-shot session ran to its end.
    Finished,
    /// The project's checks ran on its commit.
    Checked,
    /// It changed the same lines as another worker.
    Collides,
    /// It waits, and says why.
    Waiting,
    /// It was paused.
    Paused,
    /// Its process ended.
    Exited,
    /// It was killed.
    Killed,
    /// It failed.
    Errored,
    /// Its set-up failed.
    SetupFailed,
}

impl WorkerEventKind {
    /// All kinds, in the order in which they are listed to agents.
    pub const ALL: [Self; 11] = [
        Self::Reported,
        Self::Asks,
        Self::Finished,
        Self::Checked,
        Self::Collides,
        Self::Waiting,
        Self::Paused,
        Self::Exited,
        Self::Killed,
        Self::Errored,
        Self::SetupFailed,
    ];

    /// Returns the kind as a word on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Reported => "reported",
            Self::Asks => "asks",
            Self::Finished => "finished",
            Self::Checked => "checked",
            Self::Collides => "collides",
            Self::Waiting => "waiting",
            Self::Paused => "paused",
            Self::Exited => "exited",
            Self::Killed => "killed",
            Self::Errored => "errored",
            Self::SetupFailed => "setup_failed",
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
    /// What happened.
    #[serde(rename = "type")]
    pub kind: WorkerEventKind,
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Each list names every kind: a match of it cannot be compiled without a new one, and the schema counts them.
    #[test]
    fn the_lists_of_kinds_are_whole_and_each_has_its_word() {
        let words: Vec<&str> = WorkerEventKind::ALL
            .into_iter()
            .map(WorkerEventKind::as_str)
            .collect();
        assert_eq!(words, words_of::<WorkerEventKind>());
        for kind in WorkerEventKind::ALL {
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.as_str());
        }
        let stops: Vec<&str> = Stop::ALL.into_iter().map(Stop::as_str).collect();
        assert_eq!(stops, words_of::<Stop>());
        for stop in Stop::ALL {
            assert_eq!(serde_json::to_value(stop).unwrap(), stop.as_str());
        }
    }

    /// Returns the words of a type as its schema lists them.
    fn words_of<T: JsonSchema>() -> Vec<String> {
        let schema = schemars::schema_for!(T).to_value();
        let all = schema["oneOf"].as_array().unwrap().iter();
        all.map(|one| one["const"].as_str().unwrap().to_owned()).collect()
    }
}
