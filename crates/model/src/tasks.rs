//! Tasks: an agent's own list of what it does, and the topic of its title. Not the task that the agent was
//! given, and not evidence of its status.

use crate::fact::{FactKind, Task};
use serde::{Deserialize, Serialize};

/// The maximum number of tasks that are kept; of a longer list the oldest are forgotten.
const MAX_TASKS: usize = 64;

/// The tasks that an agent reported.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Tasks {
    list: Vec<Task>,
    topic: Option<String>,
}

impl Tasks {
    /// Returns the task that the agent works on, in one line: the latest one if there are several, the topic
    /// of the title if there is none.
    #[must_use]
    pub fn current(&self) -> Option<&str> {
        let current = self.list.iter().rev().find(|task| task.is_current == Some(true));
        current
            .and_then(|task| task.text.as_deref())
            .or(self.topic.as_deref())
    }

    /// Applies a fact. Returns whether the fact is about tasks alone.
    pub fn apply(&mut self, fact: &FactKind) -> bool {
        match fact {
            FactKind::Plan(tasks) => {
                self.list = tasks.iter().take(MAX_TASKS).cloned().collect();
            }
            FactKind::Task(task) => self.update(task),
            FactKind::Topic(topic) => self.topic = Some(topic.clone()).filter(|topic| !topic.is_empty()),
            // Another conversation has a list of its own.
            FactKind::Ready(_) | FactKind::ConversationEnded => {
                *self = Self::default();
                return false;
            }
            _ => return false,
        }
        true
    }

    /// Applies a change to a task, which makes it the newest of the list.
    fn update(&mut self, news: &Task) {
        let known = self.list.iter().position(|task| task.id == news.id);
        let mut task = known.map_or_else(|| news.clone(), |at| self.list.remove(at));
        task.text = news.text.clone().or(task.text);
        task.is_current = news.is_current.or(task.is_current);
        if self.list.len() == MAX_TASKS {
            self.list.remove(0);
        }
        self.list.push(task);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(id: &str, text: Option<&str>, is_current: Option<bool>) -> FactKind {
        FactKind::Task(Task {
            id: id.into(),
            text: text.map(str::to_owned),
            is_current,
        })
    }

    fn after(facts: &[FactKind]) -> Option<String> {
        let mut tasks = Tasks::default();
        for fact in facts {
            tasks.apply(fact);
        }
        tasks.current().map(str::to_owned)
    }

    #[test]
    fn the_current_task_is_the_latest_one_until_it_ends() {
        let made = [
            task("1", Some("Read"), None),
            task("2", Some("Write"), None),
            FactKind::Topic("Totals".into()),
        ];
        assert_eq!(after(&made).as_deref(), Some("Totals"));
        let began = [&made[..], &[task("1", None, Some(true))]].concat();
        assert_eq!(after(&began).as_deref(), Some("Read"));
        let both = [&began[..], &[task("2", Some("Writing"), Some(true))]].concat();
        assert_eq!(after(&both).as_deref(), Some("Writing"));
        let done = [&both[..], &[task("2", None, Some(false))]].concat();
        assert_eq!(after(&done).as_deref(), Some("Read"));
        let anew = [&done[..], &[FactKind::Plan(Vec::new())]].concat();
        assert_eq!(after(&anew).as_deref(), Some("Totals"));
        for anew in [FactKind::Ready(None), FactKind::ConversationEnded] {
            assert_eq!(
                after(&[&done[..], &[anew]].concat()),
                None,
                "another conversation has a list of its own"
            );
        }
        assert_eq!(
            after(&[FactKind::Topic("Totals".into()), FactKind::Topic(String::new())]),
            None
        );
    }

    #[test]
    fn a_list_is_bounded() {
        let mut tasks = Tasks::default();
        for n in 0..1000 {
            tasks.apply(&task(&n.to_string(), Some("x"), Some(true)));
        }
        assert_eq!(
            (tasks.list.len(), tasks.list[0].id.as_str()),
            (MAX_TASKS, "936"),
            "the oldest are forgotten"
        );
        tasks.apply(&task("999", Some("y"), None));
        assert_eq!(
            tasks.list.len(),
            MAX_TASKS,
            "a task that changes takes no other's place"
        );
        let list = (0..100).map(|n| Task {
            id: n.to_string(),
            text: None,
            is_current: None,
        });
        tasks.apply(&FactKind::Plan(list.collect()));
        assert_eq!(tasks.list.len(), MAX_TASKS);
    }
}
