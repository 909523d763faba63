//! Webhooks of forges on their way from a face to the engine. Not in the table: whoever sends one has no token, and proves with
//! its secret that it is genuine, which the engine checks.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Whose webhook it says to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WebhookFrom {
    /// GitHub, or GitHub Enterprise.
    GitHub,
    /// GitLab.
    GitLab,
}

impl WebhookFrom {
    /// The path at which the server takes it.
    #[must_use]
    pub const fn path(self) -> &'static str {
        match self {
            Self::GitHub => "/hooks/github",
            Self::GitLab => "/hooks/gitlab",
        }
    }
}

/// A webhook as it arrived. It has no `Debug`: a header may be the secret.
#[derive(Clone, PartialEq, Eq)]
pub struct Webhook {
    /// Whose it says to be.
    pub from: WebhookFrom,
    /// Its headers, by their names in lower case.
    pub headers: BTreeMap<String, String>,
    /// Its body, byte by byte.
    pub body: Vec<u8>,
}

/// What becomes of a genuine webhook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum WebhookOutcome {
    /// The forge is asked about what it names.
    Taken,
    /// It is about nothing that the engine follows.
    Ignored,
    /// It was taken before.
    Repeated,
}

/// The answer to a genuine webhook.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WebhookReceipt {
    /// What becomes of it.
    pub outcome: WebhookOutcome,
}
