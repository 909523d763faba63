//! What the file of a plan has of its tasks: a line for each, which may be done with several of them.

use crate::plan::{Plan, Stands, Task};
use crate::words::name;
use std::collections::HashMap;

/// A task as it is written in a plan's file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Its id there, or the number that it was given.
    pub id: String,
    /// Its title there.
    pub title: String,
    /// How many before it have the same title.
    pub nth: usize,
    /// The places of the tasks with which it is done.
    pub(crate) tasks: Vec<usize>,
    /// The places of the shares that are ticked with it.
    pub(crate) shares: Vec<usize>,
}

impl Line {
    /// Returns what it is called in a note.
    #[must_use]
    pub fn name(&self) -> String {
        name(&self.title)
    }
}

/// Returns the lines of a plan, in its order.
#[must_use]
pub fn lines(plan: &Plan) -> Vec<Line> {
    let mut all: Vec<Line> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    let mut numbers: HashMap<&str, usize> = HashMap::new();
    for (at, task) in plan.tasks.iter().enumerate() {
        let Some((id, title)) = written(task) else {
            continue;
        };
        if let Some(line) = places.get(id).and_then(|place| all.get_mut(*place)) {
            line.tasks.push(at);
            continue;
        }
        let nth = numbers.entry(title).or_insert(0);
        places.insert(id, all.len());
        all.push(Line {
            id: id.to_owned(),
            title: title.to_owned(),
            nth: *nth,
            tasks: vec![at],
            shares: Vec::new(),
        });
        *nth += 1;
    }
    all
}

/// Returns the id and title of what a task stands for.
fn written(task: &Task) -> Option<(&str, &str)> {
    match &task.stands {
        Stands::ForItself => Some((&task.id, &task.title)),
        Stands::ForNothing => None,
        Stands::For { id, title } => Some((id, title)),
    }
}
