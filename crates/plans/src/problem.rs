//! What can be wrong with a plan, in words that name it and the way out.

use thiserror::Error;

/// Why a plan is refused.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Problem {
    /// There is no task in it.
    #[error("there is no task in it: write one task on each line, or separate them with commas")]
    Empty,
    /// There is no box in a Markdown file.
    #[error(
        "there is no task in it: in Markdown, a task is a line with a box, such as `- [ ] Build the page`"
    )]
    NoBoxes,
    /// It is too long.
    #[error("it has {bytes} bytes; a plan has at most {} MiB: cut it into several plans", .most >> 20)]
    TooLong {
        /// Its length.
        bytes: usize,
        /// The limit.
        most: usize,
    },
    /// It has too many tasks.
    #[error("it has more than {most} tasks: cut it into several plans")]
    TooMany {
        /// The limit.
        most: usize,
    },
    /// Its tasks need too many others.
    #[error("its tasks name more than {most} tasks that they need: cut it into several plans")]
    TooManyNeeds {
        /// The limit.
        most: usize,
    },
    /// Its tasks are too long together.
    #[error("its tasks have more than {most} bytes together: cut it into several plans")]
    TooLarge {
        /// The limit.
        most: usize,
    },
    /// Tasks were added to it since others were read for it.
    #[error("other tasks were added to it at the same time: try again")]
    Changed,
    /// It is no text.
    #[error("it is not text: a plan is Markdown, JSON or a list of tasks")]
    Binary,
    /// Tasks need each other in a circle.
    #[error("these tasks wait for each other: {0}; take one of these needs out")]
    Cycle(String),
    /// The workers of tasks that do not need each other would.
    #[error(
        "workers would wait for each other: {0}; choose another need, or propose the plan with one worker for each task"
    )]
    Workers(String),
    /// A task needs itself.
    #[error("task {0} needs itself: take that out")]
    Itself(String),
    /// A task needs one that is not in the plan.
    #[error("task {task} needs {needs}, which is not in the plan{}", nearest(.near.as_deref()))]
    Unknown {
        /// The task.
        task: String,
        /// What it needs.
        needs: String,
        /// The nearest id in the plan.
        near: Option<String>,
    },
    /// Two tasks have the same id.
    #[error("two tasks have the id {0}: give one of them another")]
    Twice(String),
    /// An id is too long.
    #[error("the id {0}… is too long: an id has at most 200 characters")]
    LongId(String),
    /// The JSON of a plan has another form.
    #[error("its JSON cannot be read: {0}")]
    Json(String),
    /// A task has no title.
    #[error("task {0} has no title: say in one line what is to be done")]
    Untitled(String),
    /// The text names a file.
    #[error("“execute {0}” names a file and is not a task: pass its path, or its text as that of a file")]
    NamesFile(String),
    /// A planner made more tasks than it was asked for.
    #[error("it has {tasks} tasks; at most {most} were asked for")]
    MoreThanAsked {
        /// Their number.
        tasks: usize,
        /// The limit.
        most: usize,
    },
    /// A planner named an agent that is not there, or not for workers.
    #[error("task {task} names the agent {agent}; {}", offered(.known))]
    UnknownAgent {
        /// The task.
        task: String,
        /// The agent.
        agent: String,
        /// The agents that it may name.
        known: Vec<String>,
    },
    /// The file has several lists of tasks.
    #[error("it has several lists of tasks: name one of {0}")]
    Tags(String),
    /// The file has no such list of tasks.
    #[error("it has no list of tasks {tag}: it has {known}")]
    UnknownTag {
        /// What was asked for.
        tag: String,
        /// What there is.
        known: String,
    },
    /// A list was named of a file that has only one.
    #[error("--tag {0}: only a tasks.json of Taskmaster has several lists of tasks")]
    NoTags(String),
    /// A mark is not closed.
    #[error("“{0}” is not closed: write the closing bracket after it")]
    Unclosed(String),
    /// A template does not say where a task goes.
    #[error("no task of it says {{task}}: write that where the title of a task goes")]
    NoSlot,
    /// There is no such template.
    #[error("there is no template {name}: there are {}", .known.join(", "))]
    UnknownTemplate {
        /// What was asked for.
        name: String,
        /// What there is.
        known: Vec<String>,
    },
    /// A template makes several versions of a task that another one needs.
    #[error(
        "task {task} needs {need}, of which this template makes several versions: plan {task} when one of them is chosen"
    )]
    Versions {
        /// The task.
        task: String,
        /// What it needs.
        need: String,
    },
}

fn offered(known: &[String]) -> String {
    match known {
        [] => "no agent for workers is installed".to_owned(),
        known => format!("those for workers are {}", known.join(", ")),
    }
}

fn nearest(near: Option<&str>) -> String {
    near.map_or_else(String::new, |near| format!(": did you mean {near}?"))
}
