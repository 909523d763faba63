//! Statuses: the words people see for the state of a session, and the evidence under them.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// The one word people see for the state of a session, always shown with its [`Evidence`] and its age.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// A cap holds the session back.
    Queued,
    /// The workspace is being created or set up, or the agent has not shown itself yet.
    Spawning,
    /// A set-up step failed; the agent was not started.
    SetupFailed,
    /// The agent works.
    Running,
    /// The agent needs someone: a question is open, or it cannot continue.
    Waiting,
    /// The agent waits for its next message.
    Idle,
    /// Nothing shows what the agent is doing.
    Unknown,
    /// A person or a budget holds the session back.
    Paused,
    /// The process ended by itself, or a person stopped it.
    Exited,
    /// Someone killed the session.
    Killed,
    /// The session could not be started, or its keeper died.
    Errored,
}

impl Status {
    /// Returns whether a process may be alive under this status.
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

    /// Returns whether the session is over until someone resumes it.
    #[must_use]
    pub fn is_ended(self) -> bool {
        matches!(self, Self::Exited | Self::Killed | Self::Errored)
    }

    /// Returns the status as a word on the wire.
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
    /// The agent works on a turn.
    Active,
    /// A question is open.
    WaitingInput,
    /// The agent cannot continue: usage limit, sign-in, network.
    Blocked,
    /// The prompt is empty, and the agent waits for its first message.
    Ready,
    /// The turn is finished.
    Idle,
    /// Nothing shows what the agent is doing.
    #[default]
    Unknown,
    /// The process is gone.
    Exited,
}

impl Activity {
    /// Returns the status that people see for a live session of this activity.
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

/// The source that a status comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum EvidenceSource {
    /// A hook of the agent.
    Hook,
    /// The terminal's title.
    Title,
    /// Text on the screen.
    Screen,
    /// The transcript that the agent keeps of its conversation.
    Transcript,
    /// Output started or stopped.
    Output,
    /// A key that the person pressed.
    Input,
    /// The process itself: started, exited, vanished.
    Process,
    /// A tool of Downbeat that the agent called: it asked its conductor.
    Tool,
    /// An action of Downbeat itself: queued, set up, killed on request; also a source that only a newer version knows.
    #[serde(other)]
    Engine,
}

/// The evidence for a status: what was seen, by what, and when.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct Evidence {
    /// The source that saw it.
    pub source: EvidenceSource,
    /// A few words that a person can check: `PermissionRequest hook`.
    pub detail: String,
    /// The time at which it was seen.
    #[ts(type = "string")]
    pub at: Timestamp,
}

/// The kind of answer that an open question asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum QuestionKind {
    /// May the agent run this tool?
    Permission,
    /// May the agent start in this folder?
    Trust,
    /// Which of several answers?
    Choice,
    /// The agent cannot continue by itself.
    Blocked,
    /// The agent ended its turn with a question in prose, which any message answers.
    Asks,
}

/// A question that keeps a session waiting, with the text a person needs to decide.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct Question {
    /// The kind of answer that the question asks for.
    pub kind: QuestionKind,
    /// The question, as plain text: `Bash: npm run migrate:dev`.
    pub text: String,
    /// The answers offered, in their order; empty if the agent does not say.
    pub options: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::Status::{
        Errored, Exited, Idle, Killed, Paused, Queued, Running, SetupFailed, Spawning, Unknown, Waiting,
    };

    #[test]
    fn every_status_is_queued_live_or_ended() {
        for (status, word, is_live, is_ended) in [
            (Queued, "queued", false, false),
            (Spawning, "spawning", true, false),
            (SetupFailed, "setup_failed", true, false),
            (Running, "running", true, false),
            (Waiting, "waiting", true, false),
            (Idle, "idle", true, false),
            (Unknown, "unknown", true, false),
            (Paused, "paused", true, false),
            (Exited, "exited", false, true),
            (Killed, "killed", false, true),
            (Errored, "errored", false, true),
        ] {
            assert_eq!(
                (status.is_live(), status.is_ended()),
                (is_live, is_ended),
                "{word}"
            );
            assert_eq!(status.as_str(), word);
            assert_eq!(
                serde_json::to_value(status).unwrap(),
                word,
                "the word on the wire"
            );
        }
    }

    #[test]
    fn an_exited_activity_gives_an_exited_status() {
        assert_eq!(super::Activity::Exited.status(), Exited);
    }
}
