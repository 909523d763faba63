//! Cuts a plan into shares: the tasks of one worker. Tasks that need nothing share a worker with the others of their domain; every other
//! task has a worker of its own, so that it waits for what it needs and for nothing else.

use crate::plan::{Plan, Task};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use ts_rs::TS;

/// How many workers a plan gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum Split {
    /// One for each domain.
    #[default]
    Domain,
    /// One for each task.
    Task,
}

/// The tasks of one worker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct Share {
    /// The name of the share, unique in its plan: `frontend`, `frontend-2`.
    pub name: String,
    /// The domain of its tasks.
    pub domain: String,
    /// The ids of its tasks.
    pub tasks: Vec<String>,
    /// The places of the shares that have to be done before it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub needs: Vec<usize>,
    /// The number of its stage.
    #[serde(default)]
    pub stage: u32,
}

/// Cuts a plan into shares. Tasks that are done are in none of them, and needing them holds nothing.
#[must_use]
pub fn shares(plan: &Plan, split: Split) -> Vec<Share> {
    let open: HashMap<&str, &Task> = (plan.tasks.iter().filter(|task| !task.done))
        .map(|task| (task.id.as_str(), task))
        .collect();
    let mut shares: Vec<Share> = Vec::new();
    let mut groups = HashMap::new();
    let mut place_of: HashMap<&str, usize> = HashMap::new();
    let mut names: HashMap<&str, usize> = HashMap::new();
    let mut taken = std::collections::HashSet::new();
    for task in plan.tasks.iter().filter(|task| !task.done) {
        let is_free = !task.needs.iter().any(|need| open.contains_key(need.as_str()));
        let group = (task.stage, &task.domain, &task.agent, &task.project);
        let found = groups
            .get(&group)
            .copied()
            .filter(|_| is_free && split == Split::Domain);
        let place = found.unwrap_or_else(|| {
            let number = names.entry(task.domain.as_str()).or_insert(0);
            let name = loop {
                *number += 1;
                let name = match *number {
                    1 => task.domain.clone(),
                    number => format!("{}-{number}", task.domain),
                };
                if taken.insert(name.clone()) {
                    break name;
                }
            };
            shares.push(Share {
                name,
                domain: task.domain.clone(),
                tasks: Vec::new(),
                needs: Vec::new(),
                stage: task.stage,
            });
            shares.len() - 1
        });
        if is_free {
            groups.insert(group, place);
        }
        if let Some(share) = shares.get_mut(place) {
            share.tasks.push(task.id.clone());
        }
        place_of.insert(&task.id, place);
    }
    for task in open.values() {
        let Some(place) = place_of.get(task.id.as_str()).copied() else {
            continue;
        };
        let needs = task
            .needs
            .iter()
            .filter_map(|need| place_of.get(need.as_str()).copied());
        if let Some(share) = shares.get_mut(place) {
            share.needs.extend(needs.filter(|need| *need != place));
            share.needs.sort_unstable();
            share.needs.dedup();
        }
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::{Split, shares};
    use crate::domain::Domains;
    use crate::forms::{read_file, read_goal};

    #[test]
    fn tasks_without_needs_share_the_worker_of_their_domain() {
        let text = "Build login UI, Create JWT API, Refine the UI, Style the form (depends_on: 2)";
        let plan = read_goal(text, &Domains::default()).unwrap();
        let cut = |split| {
            let shares = shares(&plan, split).into_iter();
            let words =
                shares.map(|share| format!("{} {} {:?}", share.name, share.tasks.join("+"), share.needs));
            words.collect::<Vec<_>>()
        };
        assert_eq!(
            cut(Split::Domain),
            ["frontend 1+3 []", "backend 2 []", "frontend-2 4 [1]"]
        );
        assert_eq!(
            cut(Split::Task),
            [
                "frontend 1 []",
                "backend 2 []",
                "frontend-2 3 []",
                "frontend-3 4 [1]"
            ]
        );
    }

    #[test]
    fn what_is_done_holds_nothing() {
        let plan = read_file(b"- [x] a\n- [ ] b (depends_on: 1)\n", None, &Domains::default()).unwrap();
        let all = shares(&plan, Split::Domain);
        assert_eq!(
            (all.len(), all[0].tasks.join(""), all[0].needs.len()),
            (1, "2".into(), 0)
        );
    }
}
