//! Finding what was said: over all transcripts, and the screens of sessions that rest or ended.

pub use downbeat_model::TextKind;
use downbeat_model::{ProjectId, SessionId};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Looks for words.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Search {
    /// Words that a text has to hold, all of them; the last one may be a beginning. No other
    /// language than that: whatever is typed is words.
    pub query: String,
    /// Only of this project, by id or name.
    #[serde(default)]
    #[ts(optional)]
    pub project: Option<String>,
    /// How many at most, at most 200; default 50.
    #[serde(default)]
    #[ts(optional)]
    pub limit: Option<u32>,
}

/// Some words, and whether they were looked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct Piece {
    /// Plain text.
    pub text: String,
    /// Whether it was looked for.
    pub is_match: bool,
}

/// A text that was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct Hit {
    /// The session.
    pub session_id: SessionId,
    /// Its readable name.
    pub name: String,
    /// Its title.
    pub title: String,
    /// Its project.
    pub project_id: ProjectId,
    /// Whose words they are.
    pub kind: TextKind,
    /// When.
    #[ts(type = "string | null")]
    pub at: Option<Timestamp>,
    /// Some words around what was found.
    pub snippet: Vec<Piece>,
}
