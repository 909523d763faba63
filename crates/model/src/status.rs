//! The words people see for how a session is, and what they rest on.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// The one word people see. Always shown with its [`Evidence`] and since when.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Wanted, but a cap holds it back.
    Queued,
    /// Its workspace is being made or set up, or its agent has not shown itself yet.
    Spawning,
    /// A set-up step failed; the agent was not started.
    SetupFailed,
    /// The agent works.
    Running,
    /// The agent needs someone: a question is open, or it cannot go on.
    Waiting,
    /// The agent waits for its next message.
    Idle,
    /// Nothing tells what the agent does.
    Unknown,
    /// Held on purpose.
    Paused,
    /// The process ended by itself, or was stopped.
    Exited,
    /// Someone killed it.
    Killed,
    /// It could not be started, or its keeper died.
    Errored,
}

impl Status {
    /// Whether a process may be alive under this status.
    #[must_use]
    pub fn is_live(self) -> bool {
        matches!(
            self,
            Self::Spawning
                | Self::SetupFailed
                | Self::Running
                | Self::Waiting
                | Self::Idle
                | Self::Unknown
                | Self::Paused
        )
    }

    /// Whether the session is over until someone resumes it.
    #[must_use]
    pub fn is_ended(self) -> bool {
        matches!(self, Self::Exited | Self::Killed | Self::Errored)
    }

    /// The word as it travels.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Spawning => "spawning",
            Self::SetupFailed => "setup_failed",
            Self::Running => "running",
            Self::Waiting => "waiting",
            Self::Idle => "idle",
            Self::Unknown => "unknown",
            Self::Paused => "paused",
            Self::Exited => "exited",
            Self::Killed => "killed",
            Self::Errored => "errored",
        }
    }
}

/// The finer observation under a live session's status.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum Activity {
    /// Works on a turn.
    Active,
    /// A question is open.
    WaitingInput,
    /// Cannot go on: usage limit, sign-in, network.
    Blocked,
    /// The prompt is empty; nothing was asked since start or since the last message.
    Ready,
    /// The turn is finished.
    Idle,
    /// Nothing tells.
    #[default]
    Unknown,
    /// The process is gone.
    Exited,
}

impl Activity {
    /// The status that people see for a live session of this activity.
    #[must_use]
    pub fn status(self) -> Status {
        match self {
            Self::Active => Status::Running,
            Self::WaitingInput | Self::Blocked => Status::Waiting,
            Self::Ready | Self::Idle => Status::Idle,
            Self::Unknown => Status::Unknown,
            Self::Exited => Status::Exited,
        }
    }
}

/// Where a status comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum EvidenceSource {
    /// The agent's own hook.
    Hook,
    /// The terminal's title.
    Title,
    /// Text on the screen.
    Screen,
    /// What the agent writes down of its conversation.
    Transcript,
    /// Output came, or stopped coming.
    Output,
    /// A key that the person pressed.
    Input,
    /// The process itself: started, exited, vanished.
    Process,
    /// Downbeat's own doing: queued, set up, killed on request.
    Engine,
}

/// Why a status is what it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct Evidence {
    /// Where it comes from.
    pub source: EvidenceSource,
    /// What was seen, in a few words: `PermissionRequest hook`.
    pub detail: String,
    /// When it was seen.
    #[ts(type = "string")]
    pub at: Timestamp,
}

/// What an open question asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum QuestionKind {
    /// May it run this tool?
    Permission,
    /// May it start in this folder?
    Trust,
    /// Which of these?
    Choice,
    /// It cannot go on by itself.
    Blocked,
    /// It ended its turn with a question in prose; any message answers it.
    Asks,
}

/// A question that keeps a session waiting, with the text a person needs to decide.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct Question {
    /// What kind of answer it wants.
    pub kind: QuestionKind,
    /// The question, as plain text: `Bash: npm run migrate:dev`.
    pub text: String,
    /// The answers offered, in their order; empty where the agent does not say.
    pub options: Vec<String>,
}
