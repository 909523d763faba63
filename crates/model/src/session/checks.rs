//! What is known of the checks of a session's work: the run that is under way, the last result, and what was done
//! about a red one.

use crate::id::SessionId;
use crate::verification::Verification;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// The party that requested a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum CheckedFor {
    /// The person, or a conductor, who reads the result.
    Caller,
    /// The session itself, without a report: the failures that it was sent still count.
    Session,
    /// The session reported that its task is done.
    Report,
    /// The session ended a turn after it got the failures of an earlier run.
    Repair,
}

/// A run that was requested and has no result yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CheckRun {
    /// The identifier of the run; it marks the processes of its commands.
    pub id: SessionId,
    /// The time of the request.
    pub at: Timestamp,
    /// The party that requested it.
    pub requested: CheckedFor,
    /// Whether the checks run even if there is a result for the same commit.
    #[serde(default)]
    pub anew: bool,
    /// The time at which its first command was started; absent while it waits.
    #[serde(default)]
    pub started_at: Option<Timestamp>,
    /// The check that runs; absent before the first one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub now: Option<CheckNow>,
}

/// The check of a run that runs now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct CheckNow {
    /// Its name.
    pub name: String,
    /// Its place among the checks, from 1.
    pub number: u32,
    /// How many checks the run has.
    pub of: u32,
    /// When it began.
    #[ts(type = "string")]
    pub since: Timestamp,
}

/// A run that begins when the one that is under way has ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NextRun {
    /// The identifier of the run.
    pub id: SessionId,
    /// The party that requested it.
    pub requested: CheckedFor,
}

/// The checks of a session's work.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Checks {
    /// The run that is under way.
    pub run: Option<CheckRun>,
    /// The run after that, which was requested while the one that is under way may check an earlier commit.
    pub next: Option<NextRun>,
    /// When a run was cancelled, unless one was requested since.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cancelled_at: Option<Timestamp>,
    /// The last result.
    pub last: Option<Verification>,
    /// The number of times that failures were sent to the agent since the last green result, or since the person
    /// last requested a run.
    pub sent: u8,
    /// Whether the agent has yet to end a turn after it got the failures of the last result.
    pub repairs: bool,
    /// Whether the person was notified of the last red result.
    pub notified: bool,
    /// The newest commit of the session's work, as it was last seen: when the checks ended, when the session reported,
    /// and now and then while its report is that its task is done. `None` if it could not be read, and for results that
    /// older versions recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub head: Option<String>,
}

/// The state of a session's checks in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub enum ChecksState {
    /// A run waits for another one of its project.
    Waiting,
    /// The checks run.
    Running,
    /// All required checks passed.
    Green,
    /// A required check did not pass.
    Red,
    /// The checks could not be run.
    Error,
}

impl Checks {
    /// Returns the state in one word; `None` if no run was ever requested.
    #[must_use]
    pub fn state(&self) -> Option<ChecksState> {
        match (&self.run, &self.last) {
            (Some(run), _) if run.started_at.is_some() => Some(ChecksState::Running),
            (Some(_), _) => Some(ChecksState::Waiting),
            (None, Some(last)) if last.error.is_some() => Some(ChecksState::Error),
            (None, Some(last)) if last.is_green() => Some(ChecksState::Green),
            (None, Some(_)) => Some(ChecksState::Red),
            (None, None) => None,
        }
    }
}
