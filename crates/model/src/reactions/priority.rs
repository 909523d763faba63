//! How urgent a notice is. Not who gets it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// How urgent a notice is.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema, TS,
)]
#[serde(rename_all = "kebab-case")]
pub enum NoticePriority {
    /// For the record.
    #[default]
    Info,
    /// Something is not as it should be.
    Warning,
    /// The person has to act.
    Action,
    /// The person has to act now.
    Urgent,
}
