//! What a plan is. Not how far it is: see `schedule`.

use crate::words::one_line;
use downbeat_model::session::SessionIssue;
use downbeat_model::{PermissionMode, ProjectId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, HashMap, HashSet};
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
    /// The parts of an issue at a forge or in a tracker.
    Epic,
    /// The issues of beads.
    Beads,
}

impl Plan {
    /// Reports whether nothing in its file is its title.
    #[must_use]
    pub fn is_untitled(&self) -> bool {
        matches!(self.title.as_str(), UNTITLED_CHECKLIST | UNTITLED_JSON)
    }
}

/// The title of a checklist without a heading.
pub(crate) const UNTITLED_CHECKLIST: &str = "Checklist";

/// The title of JSON without one.
pub(crate) const UNTITLED_JSON: &str = "Plan";

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
    /// Whether the project's checks do not run on its commit, because they are to fail: it writes the tests that come first.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<bool>")]
    pub unchecked: bool,
    /// The agent that is to work on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The model of that agent; its own default if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub model: Option<String>,
    /// The permission mode of its worker; never freer than its conductor's. The project's if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub permission_mode: Option<PermissionMode>,
    /// The name of the project that it is worked on in: as it is written, until the plan is kept; then only in a plan over several
    /// projects, for each task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// That project, unless it is the plan's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub project_id: Option<ProjectId>,
    /// The issue that it is: its worker works on that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub issue: Option<SessionIssue>,
    /// The branch that the tracker of its issue proposes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub branch: Option<String>,
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
    /// What it stands for in the plan's file. Faces do not need it.
    #[serde(default, skip_serializing_if = "Stands::is_for_itself")]
    #[schemars(skip)]
    #[ts(skip)]
    pub stands: Stands,
}

/// What a task stands for in the file of its plan, where tasks that are done are ticked.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stands {
    /// The task that is written there with its id and title.
    #[default]
    ForItself,
    /// Nothing: it is a step towards another task, or was not read from the file.
    ForNothing,
    /// The task that is written there with this id and title, which is done when all that stand for it are.
    For {
        /// The id.
        id: String,
        /// The title.
        title: String,
    },
}

impl Stands {
    fn is_for_itself(&self) -> bool {
        *self == Self::ForItself
    }
}

impl Task {
    /// Returns a task with a title of one line, and nothing else.
    #[must_use]
    pub fn titled(title: &str) -> Self {
        Self {
            id: String::new(),
            title: one_line(title),
            description: String::new(),
            domain: String::new(),
            needs: Vec::new(),
            skills: Vec::new(),
            checks: Vec::new(),
            unchecked: false,
            agent: None,
            model: None,
            permission_mode: None,
            project: None,
            project_id: None,
            issue: None,
            branch: None,
            phase: None,
            stage: 0,
            effort: None,
            done: false,
            stands: Stands::ForItself,
        }
    }

    /// Gives it another title, if it is another one. In the plan's file it has the one before.
    pub fn rename(&mut self, title: &str) {
        if self.title == title {
            return;
        }
        let old = std::mem::replace(&mut self.title, title.to_owned());
        if self.stands == Stands::ForItself {
            let id = self.id.clone();
            self.stands = Stands::For { id, title: old };
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

impl Plan {
    /// Returns the open tasks in an order in which one worker can do them all: each after what it needs, and otherwise as they
    /// are written.
    #[must_use]
    pub fn in_order(&self) -> Vec<&Task> {
        let mut open: Vec<&Task> = self.tasks.iter().filter(|task| !task.done).collect();
        open.sort_by_key(|task| task.stage);
        let mut left: HashMap<&str, usize> = HashMap::new();
        let mut after: HashMap<&str, Vec<usize>> = HashMap::new();
        let is_open: HashSet<&str> = open.iter().map(|task| task.id.as_str()).collect();
        for (place, task) in open.iter().enumerate() {
            let needs = task.needs.iter().map(String::as_str);
            let needs: HashSet<&str> = needs.filter(|need| is_open.contains(need)).collect();
            left.insert(&task.id, needs.len());
            for need in needs {
                after.entry(need).or_default().push(place);
            }
        }
        let is_free = |place: &usize| {
            open.get(*place)
                .is_some_and(|task| left.get(task.id.as_str()) == Some(&0))
        };
        let mut ready: BTreeSet<usize> = (0..open.len()).filter(is_free).collect();
        let mut order = Vec::with_capacity(open.len());
        while let Some(task) = ready.pop_first().and_then(|place| open.get(place).copied()) {
            order.push(task);
            for place in after.remove(task.id.as_str()).unwrap_or_default() {
                let Some(number) = open.get(place).and_then(|task| left.get_mut(task.id.as_str())) else {
                    continue;
                };
                *number -= 1;
                if *number == 0 {
                    ready.insert(place);
                }
            }
        }
        order
    }
}

#[cfg(test)]
mod tests {
    use crate::domain::Domains;
    use crate::forms::read_goal;

    #[test]
    fn one_worker_does_each_task_after_what_it_needs() {
        let text = "Build UI (id: ui) (depends_on: api), Write docs, Create API (id: api) (depends_on: db), Set up database (id: db)";
        let plan = read_goal(text, &Domains::default()).unwrap();
        let order: Vec<&str> = plan
            .in_order()
            .into_iter()
            .map(|task| task.title.as_str())
            .collect();
        assert_eq!(order, ["Write docs", "Set up database", "Create API", "Build UI"]);
    }
}
