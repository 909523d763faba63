//! Lets tasks follow those that are written before them, as the tasks of spec-kit without `[P]` do. What tasks themselves say that they
//! need comes first: a task does not follow one that waits for it.

use crate::plan::Task;
use std::collections::{HashMap, HashSet};

/// Lets tasks follow others, all of them by their places. Those that are followed have an id then.
pub(super) fn follow(tasks: &mut [Task], follows: Vec<(usize, Vec<usize>)>) {
    if follows.is_empty() {
        return;
    }
    name(tasks);
    let mut above = Above::of(tasks);
    for (place, before) in follows {
        let waiting = above.waiting(place);
        for other in before.into_iter().filter(|other| !waiting.contains(other)) {
            let Some(id) = tasks.get(other).map(|task| task.id.clone()) else {
                continue;
            };
            if let Some(task) = tasks.get_mut(place).filter(|task| !task.needs.contains(&id)) {
                task.needs.push(id);
                above.add(place, other);
            }
        }
    }
}

/// Gives an id that no other task has to each task without one.
fn name(tasks: &mut [Task]) {
    let taken: HashSet<String> = tasks.iter().map(|task| task.id.clone()).collect();
    let mut free = (1_usize..).map(|number| format!("task-{number}"));
    for task in tasks.iter_mut().filter(|task| task.id.is_empty()) {
        task.id = free.find(|id| !taken.contains(id)).unwrap_or_default();
    }
}

/// Which tasks need each task.
struct Above {
    needed_by: Vec<Vec<usize>>,
    /// Whether a task needs one that is written after it. Otherwise nothing waits for a later one.
    any_forward: bool,
    /// How many needs were looked at to find what waits for others.
    steps: usize,
}

/// The most needs that are looked at to find what waits for others.
const MOST_STEPS: usize = 2_000_000;

impl Above {
    fn of(tasks: &[Task]) -> Self {
        let ids = tasks.iter().enumerate();
        let places: HashMap<&str, usize> = ids.map(|(place, task)| (task.id.as_str(), place)).collect();
        let mut above = Self {
            needed_by: vec![Vec::new(); tasks.len()],
            any_forward: false,
            steps: 0,
        };
        for (place, task) in tasks.iter().enumerate() {
            let needed = task.needs.iter().filter_map(|id| places.get(id.as_str()));
            let needed: HashSet<usize> = needed.copied().collect();
            for other in needed {
                above.add(place, other);
                above.any_forward |= other > place;
            }
        }
        above
    }

    fn add(&mut self, place: usize, needed: usize) {
        if let Some(own) = self.needed_by.get_mut(needed) {
            own.push(place);
        }
    }

    /// Returns the tasks that wait for a task, directly or through others; none any more after [`MOST_STEPS`]: then a circle is refused
    /// like any other.
    fn waiting(&mut self, place: usize) -> HashSet<usize> {
        let mut found = HashSet::new();
        let mut way = vec![place];
        while let Some(next) = way.pop().filter(|_| self.any_forward && self.steps < MOST_STEPS) {
            let above = self.needed_by.get(next).into_iter().flatten();
            self.steps += above.clone().count();
            way.extend(above.copied().filter(|other| found.insert(*other)));
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use crate::domain::Domains;
    use crate::forms::read_file;

    fn needs(text: &str) -> Vec<String> {
        let plan = read_file(text.as_bytes(), None, &Domains::default()).unwrap();
        let tasks = plan.tasks.iter();
        let words = tasks.map(|task| format!("{}: {}", task.id, task.needs.join(" ")));
        words.collect()
    }

    #[test]
    fn a_task_does_not_follow_one_that_waits_for_it() {
        let text = "- [ ] T001 [P] a (depends on T003)\n- [ ] T002 [P] b\n- [ ] T003 c\n";
        assert_eq!(needs(text), ["T001: T003", "T002: ", "T003: T002"]);
        let through =
            "- [ ] T001 [P] a (depends on T002)\n- [ ] T002 [P] b (depends on T003)\n- [ ] T003 c\n";
        assert_eq!(needs(through), ["T001: T002", "T002: T003", "T003: "]);
        let later = "- [ ] T001 [P] a (depends on T003)\n- [ ] T002 b\n- [ ] T003 c\n";
        assert_eq!(needs(later), ["T001: T003", "T002: T001", "T003: "]);
    }

    #[test]
    fn ids_that_are_given_are_free() {
        let text = "- [ ] T001 a\n- [ ] b\n- [ ] c (id: task-1)\n";
        assert_eq!(needs(text), ["T001: ", "task-2: T001", "task-1: task-2"]);
    }
}
