//! Extra shells beside an agent's terminal: in the same workspace, with the same environment.

use downbeat_model::{SessionId, Status};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// An extra shell. Its terminal is attached to, read and typed into by its id or its name, as a
/// session's is; it is no session: nothing counts or lists it as one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct Shell {
    /// Its identifier.
    pub id: SessionId,
    /// Its readable name: that of its session and its number, `auth-module/shell-1`.
    pub name: String,
    /// Its number among the shells of its session, from 1.
    pub number: u32,
    /// `spawning`, `idle` at its prompt, `running`, or `unknown` where the system does not tell.
    pub status: Status,
    /// Since when.
    #[ts(type = "string")]
    pub status_since: Timestamp,
    /// The program that has its terminal, while one does.
    pub runs: Option<String>,
}

/// Ends an extra shell.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CloseShell {
    /// Id or readable name of its session.
    pub id: String,
    /// Its number, its id or its readable name.
    pub shell: String,
    /// Yes, although a program runs in it.
    #[serde(default)]
    #[ts(optional)]
    pub force: Option<bool>,
}
