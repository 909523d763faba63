//! The kinds of texts that people can search.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Whose words a text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub enum TextKind {
    /// A person's, or another session's in their place.
    Said,
    /// The agent's answer.
    Answered,
    /// A tool that it called, and what for.
    Called,
    /// What stood on its screen.
    Screen,
}
