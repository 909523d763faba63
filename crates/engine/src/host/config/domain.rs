//! Defines the domains of a project, as people write them: keywords alone, or with who works on their tasks. Which domain
//! a task has is found in `downbeat_plans`.

use downbeat_model::PermissionMode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A domain of `domains`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum DomainConfig {
    /// Keywords alone.
    Keywords(Vec<String>),
    /// A domain with settings.
    Settings(DomainSettings),
}

/// The settings of a domain. What a task, or whoever makes the plan, says instead comes first.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct DomainSettings {
    /// Words in a task by which the domain is found, besides its name.
    pub keywords: Vec<String>,
    /// The agent of its workers, by id.
    #[schemars(length(min = 1))]
    pub agent: Option<String>,
    /// The model of that agent.
    #[schemars(length(min = 1, max = 200))]
    pub model: Option<String>,
    /// The permission mode of its workers, if it is stricter than the project's; never `bypass`.
    pub permission_mode: Option<PermissionMode>,
    /// The skills that its workers are to use.
    pub skills: Vec<String>,
}

impl DomainConfig {
    /// Returns the keywords.
    #[must_use]
    pub fn keywords(&self) -> &[String] {
        match self {
            Self::Keywords(words) => words,
            Self::Settings(settings) => &settings.keywords,
        }
    }

    /// Returns the settings, if there are any besides keywords.
    #[must_use]
    pub fn settings(&self) -> Option<&DomainSettings> {
        match self {
            Self::Keywords(_) => None,
            Self::Settings(settings) => Some(settings),
        }
    }
}
