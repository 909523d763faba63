//! Notices: what the person was told, kept until read.

pub use downbeat_model::NoticeKind;
use downbeat_model::reactions::NoticePriority;
use downbeat_model::{PlanId, ProjectId, SessionId};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// One notice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct Notice {
    /// Its number.
    #[ts(type = "number")]
    pub id: i64,
    /// Why.
    pub kind: NoticeKind,
    /// How urgent it is.
    pub priority: NoticePriority,
    /// The session it is about, if any.
    pub session_id: Option<SessionId>,
    /// The plan it is about, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub plan_id: Option<PlanId>,
    /// The project of the session or the plan.
    pub project_id: Option<ProjectId>,
    /// That session's title then, or the title that the notice was given.
    pub title: String,
    /// The question, the exit code, the error.
    pub text: String,
    /// When.
    #[ts(type = "string")]
    pub at: Timestamp,
    /// Whether the person has seen it.
    pub read: bool,
    /// Whether it is shown on the desktop, by its priority.
    pub on_desktop: bool,
}

/// Raises a notice for the person.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[ts(optional_fields)]
pub struct AddAttention {
    /// What the person should know, at most 4,000 characters.
    pub text: String,
    /// The session it is about, by its id or name. A session's token can only name its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// How urgent it is; default `action`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<NoticePriority>,
    /// Its title, at most 200 characters; default the session's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
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
