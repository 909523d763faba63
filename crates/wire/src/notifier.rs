//! Notifiers: who gets notices outside of Downbeat, what became of the last ones, and what the person looks at meanwhile.

use downbeat_model::reactions::NoticePriority;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// A notifier. No secret is part of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct NotifierState {
    /// Its name in the configuration.
    pub name: String,
    /// Its kind: `desktop`, `slack`, `discord`, `webhook`, `composio`, `openclaw` or `ntfy`.
    pub kind: String,
    /// Where it sends to, without what may be secret: `hooks.slack.com/…`.
    pub address: Option<String>,
    /// The priorities of the notices that it gets, the most urgent first.
    pub gets: Vec<NoticePriority>,
    /// Why it cannot be asked, with the way out.
    pub problem: Option<String>,
    /// The number of notices that wait for it.
    pub waiting: u32,
    /// When it last took a message.
    #[ts(type = "string | null")]
    pub delivered_at: Option<Timestamp>,
    /// Why the last try failed; absent if a message was delivered since.
    pub error: Option<String>,
    /// When that was.
    #[ts(type = "string | null")]
    pub failed_at: Option<Timestamp>,
    /// The number of notices that were given up since a message was delivered.
    pub given_up: u32,
    /// Until when it wants to be left alone.
    #[ts(type = "string | null")]
    pub waits_until: Option<Timestamp>,
}

/// Names a notifier.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NotifierRef {
    /// Its name.
    pub name: String,
}

/// What became of a test.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct NotifierTested {
    /// Whether the message was delivered.
    pub delivered: bool,
    /// What happened, in words.
    pub told: String,
}

/// Reports what the person looks at, so that no notice about it is sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReportView {
    /// The page that reports, by any word that is its own.
    pub viewer: String,
    /// The session that it shows while it has the focus; none if it shows none, or has not the focus.
    pub session: Option<String>,
}
