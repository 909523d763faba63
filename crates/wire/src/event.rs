//! The stream of changes. Each item says what changed; whoever shows it asks again.

use crate::table::Topic;
use downbeat_model::{EventKind, ProjectId, SessionId};
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
    /// The project it is about, if any.
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
