//! Request types that several operations share.

use downbeat_model::{ProjectId, SessionId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// A request without fields.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(deny_unknown_fields)]
#[ts(type = "Record<string, never>")]
pub struct Nothing {}

/// One session, by its id or by its readable name where only one has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SessionRef {
    /// Id or readable name.
    pub id: String,
}

impl From<SessionId> for SessionRef {
    fn from(id: SessionId) -> Self {
        Self { id: id.to_string() }
    }
}

/// One ended session that leaves the list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OffTheList {
    /// Id or readable name.
    pub id: String,
    /// Yes, although programs run in shells beside it, which end.
    #[serde(default)]
    #[ts(optional)]
    pub force: Option<bool>,
}

/// One project, by its id or by its name where only one has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProjectRef {
    /// Id or name.
    pub id: String,
}

impl From<ProjectId> for ProjectRef {
    fn from(id: ProjectId) -> Self {
        Self { id: id.to_string() }
    }
}
