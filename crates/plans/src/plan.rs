//! What a plan is. Not how far it is: see `schedule`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// The form in which a plan was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// A list of tasks in one text: separated by commas, lines, quotes or bars.
    List,
    /// A Markdown checklist.
    Checklist,
    /// The `tasks.md` of spec-kit.
    SpecKit,
    /// The `tasks.md` of OpenSpec.
    OpenSpec,
    /// The `tasks.json` of Taskmaster.
    Taskmaster,
    /// The JSON of a planner.
    Planner,
}

/// A task of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct Task {
    /// What other tasks call it; unique in its plan.
    pub id: String,
    /// One line.
    pub title: String,
    /// More about it; may be empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// What kind of work it is: `frontend`.
    pub domain: String,
    /// The ids of the tasks that have to be done before it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub needs: Vec<String>,
    /// The skills that the agent is to use.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skills: Vec<String>,
    /// How it is recognised that the task is done, in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<String>,
    /// The agent that is to work on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The project that it belongs to, if it names one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// The phase that it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<String>,
    /// The number of its stage: all tasks of the stages before it have to be done. 0 if the plan has no stages.
    #[serde(default)]
    pub stage: u32,
    /// How much work it is, as its planner estimates it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effort: Option<String>,
    /// Whether its file says that it is done, or that nobody is to do it.
    #[serde(default)]
    pub done: bool,
}

impl Task {
    /// Returns a task with a title, and nothing else.
    #[must_use]
    pub fn titled(title: &str) -> Self {
        Self {
            id: String::new(),
            title: title.trim().to_owned(),
            description: String::new(),
            domain: String::new(),
            needs: Vec::new(),
            skills: Vec::new(),
            checks: Vec::new(),
            agent: None,
            project: None,
            phase: None,
            stage: 0,
            effort: None,
            done: false,
        }
    }
}

/// A plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct Plan {
    /// What it is about, in one line.
    pub title: String,
    /// The form in which it was written.
    pub form: Form,
    /// The tasks, in the order in which they are written.
    pub tasks: Vec<Task>,
}
