//! Defines where issues are, as people write it, with the keys of Agent Orchestrator; and how a tracker is reached.

use downbeat_notifiers::secret::Named;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where issues are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TrackerKind {
    /// At GitHub, where the remotes are.
    GitHub,
    /// At GitLab, where the remotes are.
    GitLab,
    /// In Linear.
    Linear,
}

/// The tracker of a project: its name alone, or with settings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum TrackerConfig {
    /// A tracker with settings.
    Described(DescribedTracker),
    /// A tracker alone.
    Named(TrackerKind),
}

/// A tracker with settings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DescribedTracker {
    /// Where issues are.
    pub plugin: TrackerKind,
    /// `linear`: the team of issues that are named by their number alone, by its key or its id.
    #[serde(default)]
    #[schemars(length(min = 1, max = 100))]
    pub team_id: Option<String>,
}

/// How trackers are reached.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Trackers {
    /// Linear.
    pub linear: LinearConfig,
}

/// How Linear is reached.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct LinearConfig {
    /// The address of its API; by default `https://api.linear.app/graphql`.
    #[schemars(length(min = 1))]
    pub api: Option<String>,
    /// The key, as `${NAME}`, `file:PATH` or `keychain:NAME`; by default `${LINEAR_API_KEY}`.
    pub api_key: Option<Named>,
}

impl TrackerConfig {
    /// Returns where issues are.
    #[must_use]
    pub const fn kind(&self) -> TrackerKind {
        match self {
            Self::Named(kind) => *kind,
            Self::Described(described) => described.plugin,
        }
    }

    /// Returns the team of issues that are named by their number alone.
    #[must_use]
    pub fn team(&self) -> Option<&str> {
        match self {
            Self::Named(_) => None,
            Self::Described(described) => described.team_id.as_deref(),
        }
    }
}
