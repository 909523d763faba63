//! What an agent says that it is at: its own list of tasks, else the topic of its title. Not what it
//! was asked to do, and no evidence of its status.

use crate::fact::{FactKind, Task};
use serde::{Deserialize, Serialize};

/// The most tasks that are kept; of a longer list the oldest are forgotten.
const MOST: usize = 64;

/// What is known of an agent's tasks.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Tasks {
    list: Vec<Task>,
    topic: Option<String>,
}

impl Tasks {
    /// The one that the agent is at, in one line; the one it began last where there are several.
    #[must_use]
    pub fn current(&self) -> Option<&str> {
        let current = self.list.iter().rev().find(|task| task.is_current == Some(true));
        current
            .and_then(|task| task.text.as_deref())
            .or(self.topic.as_deref())
    }

    /// Takes a fact into account. Whether it was one about tasks.
    pub fn take(&mut self, fact: &FactKind) -> bool {
        match fact {
            FactKind::Plan(tasks) => {
                self.list = tasks.iter().take(MOST).cloned().collect();
            }
            FactKind::Task(task) => self.change(task),
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

    fn change(&mut self, news: &Task) {
        let known = self.list.iter().position(|task| task.id == news.id);
        let mut task = known.map_or_else(|| news.clone(), |at| self.list.remove(at));
        task.text = news.text.clone().or(task.text);
        task.is_current = news.is_current.or(task.is_current);
        if self.list.len() == MOST {
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
            tasks.take(fact);
        }
        tasks.current().map(str::to_owned)
    }

    #[test]
    fn the_current_task_is_the_one_it_began_last_and_ends_with_it() {
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
        assert_eq!(after(&[&done[..], &[FactKind::Ready(None)]].concat()), None);
    }

    #[test]
    fn a_list_is_bounded() {
        let mut tasks = Tasks::default();
        for n in 0..1000 {
            tasks.take(&task(&n.to_string(), Some("x"), Some(true)));
        }
        assert_eq!(tasks.list.len(), MOST);
    }
}
