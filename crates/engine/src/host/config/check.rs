//! Defines the checks of a project, as people write them: commands that decide whether a commit is good.

use crate::host::config::command::Command;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The maximum number of checks of a project.
pub(crate) const MOST: usize = 50;

/// A check of `checks`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Check {
    /// A command alone; its text is its name. The first variant, as serde would also read a list of two words
    /// as the fields of a [`NamedCheck`].
    Command(Command),
    /// A check with settings.
    Named(NamedCheck),
}

/// A check with settings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NamedCheck {
    /// The name that people see; by default the command.
    #[serde(default)]
    #[schemars(length(min = 1, max = 100))]
    pub name: Option<String>,
    /// The command.
    pub run: Command,
    /// The time limit in minutes; 30 by default.
    #[serde(default)]
    #[schemars(range(min = 1, max = 1440))]
    pub timeout_minutes: Option<u32>,
    /// Whether a commit counts as failed if this check fails; true by default.
    #[serde(default)]
    pub required: Option<bool>,
    /// Files with the check's results, in the project: JUnit XML, SARIF, or JSON of a tool. `downbeat fix` reads them.
    #[serde(default)]
    pub reports: Vec<String>,
}

impl Check {
    /// The time limit of a check that names none.
    pub const LIMIT: Duration = Duration::from_secs(30 * 60);

    /// Returns the command.
    #[must_use]
    pub fn command(&self) -> &Command {
        match self {
            Self::Named(named) => &named.run,
            Self::Command(command) => command,
        }
    }

    /// Returns the name that was given, if any.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Named(named) => named.name.as_deref(),
            Self::Command(_) => None,
        }
    }

    /// Returns the time limit.
    #[must_use]
    pub fn limit(&self) -> Duration {
        let minutes = match self {
            Self::Named(named) => named.timeout_minutes,
            Self::Command(_) => None,
        };
        minutes.map_or(Self::LIMIT, |minutes| {
            Duration::from_secs(u64::from(minutes) * 60)
        })
    }

    /// Returns the files with its results.
    #[must_use]
    pub fn reports(&self) -> &[String] {
        match self {
            Self::Named(named) => &named.reports,
            Self::Command(_) => &[],
        }
    }

    /// Returns whether a commit counts as failed if this check fails.
    #[must_use]
    pub fn required(&self) -> bool {
        match self {
            Self::Named(named) => named.required.unwrap_or(true),
            Self::Command(_) => true,
        }
    }
}
