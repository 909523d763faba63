//! Notices: what the person was told, kept until read.

use downbeat_model::{ProjectId, SessionId};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Why the person is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub enum NoticeKind {
    /// A session waits for an answer.
    NeedsInput,
    /// A session finished its turn.
    Finished,
    /// A session's process ended by itself, not as asked.
    Exited,
    /// A session could not be started or set up.
    Failed,
    /// A session seems stuck, or its processes take more than they should.
    NeedsLook,
}

/// One notice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct Notice {
    /// Its number.
    #[ts(type = "number")]
    pub id: i64,
    /// Why.
    pub kind: NoticeKind,
    /// The session it is about.
    pub session_id: SessionId,
    /// That session's project.
    pub project_id: ProjectId,
    /// That session's title then.
    pub title: String,
    /// The question, the exit code, the error.
    pub text: String,
    /// When.
    #[ts(type = "string")]
    pub at: Timestamp,
    /// Whether the person has seen it.
    pub read: bool,
}

/// Marks notices as read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReadNotices {
    /// Which; default all.
    #[serde(default)]
    #[ts(optional, type = "number[]")]
    pub ids: Option<Vec<i64>>,
}
