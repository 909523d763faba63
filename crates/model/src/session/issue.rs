//! The issue of a tracker that a session works on. Not how a tracker is asked.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// The issue that a session works on, as it was when the session was requested. Texts are from outside.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct SessionIssue {
    /// The host of its forge or tracker: `github.com`, `linear.app`.
    pub host: String,
    /// Its repository, or its team at a tracker: `acme/shop`, `ENG`.
    pub repository: String,
    /// Its number there.
    #[ts(type = "number")]
    pub number: u64,
    /// Its title.
    pub title: String,
    /// Its page.
    pub url: String,
    /// What people call it at a tracker: `ENG-123`; absent at a forge.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub key: Option<String>,
    /// The issues that it consisted of when the session was created, at most 100. Lists leave them out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<LinkedIssue>>")]
    pub children: Vec<LinkedIssue>,
    /// The issues that blocked it when the session was created, at most 100. Lists leave them out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<LinkedIssue>>")]
    pub blocked_by: Vec<LinkedIssue>,
}

/// An issue that another one is connected with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct LinkedIssue {
    /// What people call it: `acme/shop#42`, `ENG-42`.
    pub key: String,
    /// Its title. Text from outside.
    pub title: String,
    /// Its page.
    pub url: String,
    /// Whether it was closed.
    pub is_closed: bool,
}

impl SessionIssue {
    /// Returns the issue as lists show it.
    #[must_use]
    pub fn in_lists(&self) -> Self {
        Self {
            children: Vec::new(),
            blocked_by: Vec::new(),
            ..self.clone()
        }
    }

    /// Returns what people call it: `#42`, `ENG-123`.
    #[must_use]
    pub fn name(&self) -> String {
        let number = || format!("#{}", self.number);
        self.key.clone().unwrap_or_else(number)
    }

    /// Returns whether two sessions work on the same issue.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        self.number == other.number
            && self.host.eq_ignore_ascii_case(&other.host)
            && self.repository.eq_ignore_ascii_case(&other.repository)
    }
}
