//! The stream of changes. Each item says what changed; whoever shows it asks again.

use crate::topic::Topic;
use downbeat_model::{EventKind, ProjectId, SessionId, Subject};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// One event of the global sequence, without its payload.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct Change {
    /// Place in the one global order, from 1, without gaps for a reader of everything.
    #[ts(type = "number")]
    pub seq: i64,
    /// When it was written.
    #[ts(type = "string")]
    pub at: Timestamp,
    /// What happened.
    pub kind: EventKind,
    /// What the event is about, as one word: `session:ID`, `project:ID`, `pull:FORGE/ID`, `branch:PROJECT/NAME`,
    /// `plan:ID`, or `engine`. Readers ignore other words.
    #[ts(type = "string")]
    #[schemars(with = "String")]
    pub subject: Subject,
    /// The project that the event belongs to, if any.
    pub project_id: Option<ProjectId>,
    /// The session it is about, if any; for a side shell, the session beside it.
    pub session_id: Option<SessionId>,
    /// What a reader should ask for again.
    pub invalidates: Vec<Topic>,
}

/// What travels over the event stream.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", tag = "type")]
pub enum StreamItem {
    /// Something changed.
    Change(Change),
    /// The reader fell behind what is kept, or the engine was replaced: ask for everything again.
    Resync {
        /// The newest sequence number; go on from here.
        #[ts(type = "number")]
        seq: i64,
    },
}
