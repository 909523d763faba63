//! What a page keeps for its next start: how wide its sidebar is, what it showed. The engine keeps it,
//! since a browser forgets what a page stored once that has another address. Not [`crate::settings`]:
//! nobody writes these by hand, and nothing but the page knows what they mean.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use ts_rs::TS;

/// What a page keeps, by name.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Preferences {
    /// At most 16 in all, each of at most 4,096 bytes; a name is at most 40 letters, digits and dots.
    /// Where they are sent, the names that are absent stay as they are.
    pub values: BTreeMap<String, String>,
}
