//! The issue of a tracker that a session works on. Not how a tracker is asked.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// The issue that a session works on, as it was when the session was requested. Texts are from outside.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct SessionIssue {
    /// The host of its forge: `github.com`.
    pub host: String,
    /// Its repository: `acme/shop`.
    pub repository: String,
    /// Its number there.
    #[ts(type = "number")]
    pub number: u64,
    /// Its title.
    pub title: String,
    /// Its page.
    pub url: String,
}

impl SessionIssue {
    /// Returns whether two sessions work on the same issue.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        self.number == other.number
            && self.host.eq_ignore_ascii_case(&other.host)
            && self.repository.eq_ignore_ascii_case(&other.repository)
    }
}
