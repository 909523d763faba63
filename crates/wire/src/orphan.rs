//! Processes whose session is over.

use downbeat_model::SessionId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// A process that bears the mark of a session which is over, or which nobody knows any more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct Orphan {
    /// Its id in the system.
    pub pid: u32,
    /// What it calls itself.
    pub name: String,
    /// The session that started it.
    pub session_id: SessionId,
    /// That session's readable name, where it is still on the list.
    pub session: Option<String>,
}

/// Ends such processes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EndOrphans {
    /// Of one session, by id or readable name; default of all.
    #[serde(default)]
    #[ts(optional)]
    pub session: Option<String>,
}
