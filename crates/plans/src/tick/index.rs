//! Finds a line of a plan in what its file has now: by its title, since a person may have numbered the tasks anew. Its id only says
//! which of several with that title is meant; it may be a number that the file does not have.

use super::lines::Line;
use super::ticking::Missing;
use crate::words::one_line;
use std::collections::{HashMap, HashSet};

/// A task that was found in a file.
pub(super) struct Found {
    /// What it may be called by others.
    pub ids: Vec<String>,
    /// Its title, as it may have been read.
    pub titles: Vec<String>,
    /// Whether it is a task, or only belongs to the text of one.
    pub is_task: bool,
    /// Whether it is not ticked.
    pub is_open: bool,
}

/// All tasks of a file.
pub(super) struct Index {
    is_open: Vec<bool>,
    is_task: Vec<bool>,
    ids: HashSet<String>,
    exact: HashMap<(String, String), usize>,
    titled: HashMap<String, Titled>,
}

/// What has one title, in the order of the file. What only belongs to the text of a task is taken if there is nothing else.
#[derive(Default)]
struct Titled {
    tasks: Vec<usize>,
    others: Vec<usize>,
}

impl Index {
    pub fn of(all: Vec<Found>) -> Self {
        let mut index = Self {
            is_open: all.iter().map(|one| one.is_open).collect(),
            is_task: all.iter().map(|one| one.is_task).collect(),
            ids: HashSet::new(),
            exact: HashMap::new(),
            titled: HashMap::new(),
        };
        for (place, one) in all.into_iter().enumerate() {
            for title in one.titles {
                for id in &one.ids {
                    let exact = index.exact.entry((title.clone(), id.clone())).or_insert(place);
                    if one.is_task && index.is_task.get(*exact) == Some(&false) {
                        *exact = place;
                    }
                }
                let titled = index.titled.entry(title).or_default();
                match one.is_task {
                    true => titled.tasks.push(place),
                    false => titled.others.push(place),
                }
            }
            index.ids.extend(one.ids);
        }
        index
    }

    /// Returns the place of a line, and whether it is open. It is not open any more then.
    pub fn take(&mut self, line: &Line) -> Result<(usize, bool), Missing> {
        let place = self.place(line)?;
        let is_open = self.is_open.get_mut(place).ok_or(Missing::Gone)?;
        Ok((place, std::mem::replace(is_open, false)))
    }

    fn place(&self, line: &Line) -> Result<usize, Missing> {
        let title = one_line(&line.title);
        let Some(titled) = self.titled.get(&title) else {
            return Err(match self.ids.contains(&line.id) {
                true => Missing::Edited,
                false => Missing::Gone,
            });
        };
        let has_tasks = !titled.tasks.is_empty();
        let same = if has_tasks { &titled.tasks } else { &titled.others };
        let exact = self.exact.get(&(title, line.id.clone()));
        if let Some(place) = exact.filter(|place| self.is_task.get(**place) == Some(&has_tasks)) {
            return Ok(*place);
        }
        // Always the same one, so that a box that was ticked before a crash is found again.
        let last = same.len().saturating_sub(1);
        same.get(line.nth.min(last)).copied().ok_or(Missing::Gone)
    }
}
