//! What a face may have to request again after a change.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// What a reader may have to ask for again after a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub enum Topic {
    /// The list of projects and each of them.
    Projects,
    /// The list of sessions and each of them.
    Sessions,
    /// The session that the change or the request names, and the one that is answered with.
    Session,
    /// The messages of sessions.
    Messages,
    /// The notices.
    Notices,
    /// The notifiers.
    Notifiers,
    /// The settings.
    Settings,
    /// Which agents there are.
    Agents,
    /// What the engine says of itself.
    Engine,
}
