//! Collects the tasks of a plan while it is read or made, and stops as soon as there are too many: a short text can name what it
//! has a thousand times.

use crate::check::{MOST_NEEDS, MOST_SIZE, MOST_TASKS, size};
use crate::plan::Task;
use crate::problem::Problem;

/// Tasks that are not too many.
#[derive(Debug, Default)]
pub(crate) struct Gathered {
    tasks: Vec<Task>,
    needs: usize,
    size: usize,
}

impl Gathered {
    /// Adds a task.
    ///
    /// # Errors
    /// Fails if there is no room for it.
    pub(crate) fn push(&mut self, task: Task) -> Result<(), Problem> {
        if self.tasks.len() >= MOST_TASKS {
            return Err(Problem::TooMany { most: MOST_TASKS });
        }
        self.needs += task.needs.len();
        if self.needs > MOST_NEEDS {
            return Err(Problem::TooManyNeeds { most: MOST_NEEDS });
        }
        self.size += size(&task);
        if self.size > MOST_SIZE {
            return Err(Problem::TooLarge { most: MOST_SIZE });
        }
        self.tasks.push(task);
        Ok(())
    }

    /// Returns the ids of the tasks.
    pub(crate) fn ids(&self) -> impl Iterator<Item = &str> {
        self.tasks.iter().map(|task| task.id.as_str())
    }

    /// Returns the number of tasks.
    pub(crate) fn len(&self) -> usize {
        self.tasks.len()
    }

    /// Returns the last task.
    pub(crate) fn last(&self) -> Option<&Task> {
        self.tasks.last()
    }

    /// Returns the last task, to add to it what the text says of it once.
    pub(crate) fn last_mut(&mut self) -> Option<&mut Task> {
        self.tasks.last_mut()
    }

    /// Returns all tasks.
    pub(crate) fn into_tasks(self) -> Vec<Task> {
        self.tasks
    }
}

#[cfg(test)]
mod tests {
    use super::Gathered;
    use crate::check::{MOST_NEEDS, MOST_SIZE, MOST_TASKS};
    use crate::plan::Task;
    use crate::problem::Problem;

    #[test]
    fn it_stops_at_too_many_tasks_needs_or_bytes() {
        let mut all = Gathered::default();
        for _ in 0..MOST_TASKS {
            all.push(Task::titled("a")).unwrap();
        }
        assert_eq!(
            all.push(Task::titled("a")),
            Err(Problem::TooMany { most: MOST_TASKS })
        );
        let needing = Task {
            needs: vec!["a".into(); MOST_NEEDS / 2],
            ..Task::titled("a")
        };
        let mut all = Gathered::default();
        all.push(needing.clone()).unwrap();
        all.push(needing.clone()).unwrap();
        assert_eq!(all.push(needing), Err(Problem::TooManyNeeds { most: MOST_NEEDS }));
        let long = Task {
            description: "a".repeat(MOST_SIZE / 2),
            ..Task::titled("a")
        };
        let mut all = Gathered::default();
        all.push(long.clone()).unwrap();
        assert_eq!(all.push(long), Err(Problem::TooLarge { most: MOST_SIZE }));
        assert_eq!(all.into_tasks().len(), 1);
    }
}
