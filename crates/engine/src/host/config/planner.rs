//! Defines the person's planner, as people write it: a program that makes a plan of a goal. What it is asked and what it answers is
//! in the crate `plans`; it runs in `effects/plans`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The planner of `planner`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PlannerConfig {
    /// The program and its arguments, without a shell. It gets the goal as JSON on its standard input, and prints tasks as JSON.
    #[schemars(length(min = 1))]
    pub command: Vec<String>,
    /// The time limit in minutes; 2 by default.
    #[serde(default)]
    #[schemars(range(min = 1, max = 60))]
    pub timeout_minutes: Option<u32>,
    /// The most tasks of a plan; 40 by default.
    #[serde(default)]
    #[schemars(range(min = 1, max = 1000))]
    pub max_tasks: Option<u32>,
}

impl PlannerConfig {
    /// Returns its name: the program, as it is written.
    #[must_use]
    pub fn name(&self) -> &str {
        self.command.first().map_or("", String::as_str)
    }

    /// Returns the time limit.
    #[must_use]
    pub fn limit(&self) -> Duration {
        Duration::from_secs(u64::from(self.timeout_minutes.unwrap_or(2)) * 60)
    }

    /// Returns the most tasks of a plan.
    #[must_use]
    pub fn most_tasks(&self) -> usize {
        self.max_tasks.unwrap_or(40) as usize
    }

    /// Returns what is wrong with the command, if anything.
    pub(crate) fn wrong(&self) -> Option<&'static str> {
        let name = self.name();
        if name.trim().is_empty() {
            return Some("the command names no program");
        }
        let is_relative = name.contains(['/', '\\']) && !std::path::Path::new(name).is_absolute();
        is_relative.then_some(
            "name a program on PATH, or its whole path: it runs in a folder of its own, where a relative path leads to nothing",
        )
    }
}
