//! The goal that a session makes a plan of. Not the plan: see the crate `plans`.

use crate::budget::Budget;
use crate::queue::Priority;
use serde::{Deserialize, Serialize};

/// The goal that a session makes a plan of, and what the person chose for that plan.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GoalToPlan {
    /// The goal, in the person's words.
    pub goal: String,
    /// The agent of the workers whose tasks name none.
    #[serde(default)]
    pub agent: Option<String>,
    /// Whether each task has a worker of its own, and not each domain.
    #[serde(default)]
    pub is_split_by_task: Option<bool>,
    /// The most workers at once.
    #[serde(default)]
    pub at_once: Option<u32>,
    /// What the workers may use together.
    #[serde(default)]
    pub budget: Option<Budget>,
    /// How long the plan may take, in minutes from its start.
    #[serde(default)]
    pub minutes: Option<u32>,
    /// The template by which each task is done.
    #[serde(default)]
    pub template: Option<String>,
    /// How soon the workers start.
    #[serde(default)]
    pub priority: Option<Priority>,
    /// Whether the workers may have workers of their own.
    #[serde(default)]
    pub conductors: bool,
}
