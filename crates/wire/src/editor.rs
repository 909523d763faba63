//! A session's files in the person's editor.

use downbeat_model::SessionId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Opens a session's workspace, or a file in it, in the person's editor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OpenInEditor {
    /// Id or readable name of the session.
    pub id: String,
    /// The file, relative to the workspace; without it, the workspace is opened.
    #[serde(default)]
    #[ts(optional)]
    pub path: Option<String>,
    /// The line, from 1; the first by default.
    #[serde(default)]
    #[schemars(range(min = 1))]
    #[ts(optional)]
    pub line: Option<u32>,
}

/// What was opened in which editor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct OpenedInEditor {
    /// The session.
    pub id: SessionId,
    /// The name of the editor.
    pub editor: String,
    /// The file, or the workspace, as an absolute path.
    pub path: String,
}
