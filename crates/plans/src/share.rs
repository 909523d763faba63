//! Cuts a plan into shares: the tasks of one worker. Tasks that need nothing share a worker with the others of their domain. A task
//! that needs only tasks of its own domain follows them with the same worker, if nobody else waits for these. Every other task
//! has a worker of its own, so that it waits for what it needs and for nothing else. All tasks of a share are in one project.

use crate::names::Names;
use crate::plan::{Plan, Task};
use downbeat_model::ProjectId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};
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
    /// The project of its tasks, unless it is the plan's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<ProjectId>,
    /// The ids of its tasks.
    pub tasks: Vec<String>,
    /// The places of the shares that have to be done before it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub needs: Vec<usize>,
    /// The number of its stage.
    #[serde(default)]
    pub stage: u32,
}

/// How often a plan is cut again because a share would wait for more than it needs.
const MOST_ROUNDS: usize = 8;

/// What tasks have to have in common to have the same worker.
type Group<'a> = (u32, &'a str, [Option<&'a str>; 3]);

fn group(task: &Task) -> Group<'_> {
    let project = task.project_id.as_ref().map(ProjectId::as_str);
    let agent = task.agent.as_deref();
    // A session works on one issue at most.
    let issue = task.issue.as_ref().map(|issue| issue.url.as_str());
    (task.stage, &task.domain, [agent, project, issue])
}

/// Cuts a plan into shares. Tasks that are done are in none of them, and needing them holds nothing.
#[must_use]
pub fn shares(plan: &Plan, split: Split) -> Vec<Share> {
    let open: HashMap<&str, &Task> = (plan.tasks.iter().filter(|task| !task.done))
        .map(|task| (task.id.as_str(), task))
        .collect();
    let mut awaited = awaited(&open);
    for _ in 0..MOST_ROUNDS {
        let shares = cut(plan, split, (&open, &awaited));
        let known = awaited.len();
        awaited.extend(held_by_more(&shares, &open));
        if awaited.len() == known {
            return shares;
        }
    }
    // Then no task follows another one with the same worker.
    let needs = open.values().flat_map(|task| &task.needs);
    awaited.extend(needs.filter_map(|id| open.get(id.as_str()).map(|need| need.id.as_str())));
    cut(plan, split, (&open, &awaited))
}

/// Cuts a plan into shares; no task follows an `awaited` one with the same worker.
fn cut<'a>(
    plan: &'a Plan,
    split: Split,
    (open, awaited): (&HashMap<&'a str, &'a Task>, &HashSet<&'a str>),
) -> Vec<Share> {
    let mut cut = Cut::default();
    for task in plan.tasks.iter().filter(|task| !task.done) {
        let needs: Vec<&str> = task.needs.iter().map(String::as_str).collect();
        let needs: Vec<&str> = needs.into_iter().filter(|id| open.contains_key(id)).collect();
        let found = match (split, needs.is_empty()) {
            (Split::Task, _) => None,
            (Split::Domain, true) => cut.free.get(&group(task)).copied(),
            (Split::Domain, false) => cut.joined(task, &needs),
        };
        let place = found.unwrap_or_else(|| cut.begin(task));
        if needs.is_empty() {
            cut.free.insert(group(task), place);
        }
        cut.add(place, task, awaited.contains(task.id.as_str()));
    }
    cut.needs(open);
    cut.shares
}

/// Returns the tasks of which another share would wait for more than it needs: a task follows them that it does not need.
fn held_by_more<'a>(shares: &[Share], open: &HashMap<&'a str, &'a Task>) -> Vec<&'a str> {
    let task = |id: &String| open.get(id.as_str()).copied();
    let mut found = Vec::new();
    for own in shares {
        let needed = own.tasks.iter().filter_map(task).flat_map(|one| &one.needs);
        let needed: HashSet<&String> = needed.collect();
        for share in own.needs.iter().filter_map(|place| shares.get(*place)) {
            let Some(last) = share.tasks.iter().rposition(|id| needed.contains(id)) else {
                continue;
            };
            let mut after = share.tasks.iter().skip(last + 1).filter_map(task);
            if share.stage == own.stage
                && after.any(|one| one.needs.iter().any(|id| open.contains_key(id.as_str())))
            {
                found.extend(share.tasks.get(last).and_then(task).map(|one| one.id.as_str()));
            }
        }
    }
    found
}

/// Returns the tasks that a task of another worker needs in the same stage.
fn awaited<'a>(open: &HashMap<&'a str, &'a Task>) -> HashSet<&'a str> {
    let mut awaited = HashSet::new();
    for task in open.values() {
        for need in task.needs.iter().filter_map(|id| open.get(id.as_str())) {
            if need.stage == task.stage && group(need) != group(task) {
                awaited.insert(need.id.as_str());
            }
        }
    }
    awaited
}

/// The shares that were made so far.
#[derive(Default)]
struct Cut<'a> {
    shares: Vec<Share>,
    /// The group of each share, and whether the worker of another group needs one of its tasks.
    about: Vec<(Group<'a>, bool)>,
    /// The shares of tasks that need nothing.
    free: HashMap<Group<'a>, usize>,
    place_of: HashMap<&'a str, usize>,
    names: Names,
}

impl<'a> Cut<'a> {
    /// Returns the share that a task may join: it has all that the task needs, and nobody else waits for it, who would then wait
    /// for this task as well.
    fn joined(&self, task: &Task, needs: &[&str]) -> Option<usize> {
        let mut places = needs.iter().map(|id| self.place_of.get(id).copied());
        let place = places.next()??;
        let (own, is_awaited) = self.about.get(place)?;
        let fits = *own == group(task) && !is_awaited;
        (fits && places.all(|other| other == Some(place))).then_some(place)
    }

    /// Begins the share of another worker.
    fn begin(&mut self, task: &'a Task) -> usize {
        self.shares.push(Share {
            name: self.names.free(task),
            domain: task.domain.clone(),
            project: task.project_id.clone(),
            tasks: Vec::new(),
            needs: Vec::new(),
            stage: task.stage,
        });
        self.about.push((group(task), false));
        self.shares.len() - 1
    }

    fn add(&mut self, place: usize, task: &'a Task, is_awaited: bool) {
        if let Some(share) = self.shares.get_mut(place) {
            share.tasks.push(task.id.clone());
        }
        if let Some(about) = self.about.get_mut(place) {
            about.1 |= is_awaited;
        }
        self.place_of.insert(&task.id, place);
    }

    /// Notes which shares need which.
    fn needs(&mut self, open: &HashMap<&str, &Task>) {
        for task in open.values() {
            let Some(place) = self.place_of.get(task.id.as_str()).copied() else {
                continue;
            };
            let needs = task.needs.iter().filter_map(|id| self.place_of.get(id.as_str()));
            if let Some(share) = self.shares.get_mut(place) {
                share.needs.extend(needs.copied().filter(|need| *need != place));
            }
        }
        for share in &mut self.shares {
            share.needs.sort_unstable();
            share.needs.dedup();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Share, Split, shares};
    use crate::domain::Domains;
    use crate::forms::{read_file, read_goal};
    use crate::plan::Plan;
    use downbeat_model::ProjectId;

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
    fn a_task_follows_those_of_its_domain_with_the_same_worker_unless_others_wait() {
        let cut = |text: &str| {
            let plan = read_goal(text, &Domains::default()).unwrap();
            let shares = shares(&plan, Split::Domain).into_iter();
            let words =
                shares.map(|share| format!("{} {} {:?}", share.name, share.tasks.join("+"), share.needs));
            words.collect::<Vec<_>>()
        };
        let text = "Build UI (id: a), Style UI (id: b) (depends_on: a), Write docs (id: c) (depends_on: b), \
            Polish UI (id: d) (depends_on: b)";
        assert_eq!(
            cut(text),
            ["frontend a+b []", "documentation c [0]", "frontend-2 d [0]"],
            "the documentation does not wait for the polish"
        );
        let text = "Build UI (id: a), Create API (id: b) (depends_on: a), Style UI (id: c) (depends_on: a)";
        assert_eq!(cut(text), ["frontend a []", "backend b [0]", "frontend-2 c [0]"]);
        let text = "Build UI (id: x), Create API (id: z), Style UI (id: y) (depends_on: x, z), Polish UI (id: q) (depends_on: x)";
        assert_eq!(
            cut(text),
            [
                "frontend x []",
                "backend z []",
                "frontend-2 y [0, 1]",
                "frontend-3 q [0]"
            ],
            "what styles does not wait for the polish"
        );
        let text = "Build UI (id: a), Create API (id: b), Style UI (id: c) (depends_on: a, b)";
        assert_eq!(
            cut(text),
            ["frontend a []", "backend b []", "frontend-2 c [0, 1]"]
        );
    }

    #[test]
    fn no_share_is_in_two_projects() {
        let text = "backend: Make tables (id: a) | backend: Serve them (id: b) | backend: Read them (id: c) (depends_on: a, b) | \
                    backend: Cache them (id: d) (depends_on: b)";
        let mut plan = read_goal(text, &Domains::default()).unwrap();
        for task in &mut plan.tasks {
            task.project = Some(if task.id == "a" { "shop" } else { "api" }.to_owned());
            task.project_id = (task.id != "a").then(|| ProjectId::parse("p000000000002").unwrap());
        }
        for split in [Split::Domain, Split::Task] {
            let shares = shares(&plan, split);
            let words = shares
                .iter()
                .map(|one| format!("{} {} {:?}", one.name, one.tasks.join("+"), one.needs));
            let expected = [
                "backend a []",
                "backend-api b []",
                "backend-api-2 c [0, 1]",
                "backend-api-3 d [1]",
            ];
            // If `d` followed `b` with the same worker, `c` would wait for it, too.
            assert_eq!(words.collect::<Vec<_>>(), expected, "{split:?}");
            assert_eq!((&shares[0].project, shares[1].project.is_some()), (&None, true));
        }
    }

    /// Returns a plan of up to twelve tasks of three domains, each of which needs some of those before it.
    fn any_plan(seed: u64) -> Plan {
        let mut state = seed;
        let mut any = |most: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % most
        };
        let count = 2 + any(11);
        let mut text = Vec::new();
        for number in 0..count {
            let needs: Vec<String> = (0..number)
                .filter(|_| any(4) == 0)
                .map(|need| format!("t{need}"))
                .collect();
            let needs = match needs.is_empty() {
                true => String::new(),
                false => format!(" (depends_on: {})", needs.join(", ")),
            };
            text.push(format!("d{}: Task {number} (id: t{number}){needs}", any(3)));
        }
        read_goal(&text.join(" | "), &Domains::default()).unwrap()
    }

    #[test]
    fn whatever_the_needs_each_share_waits_for_no_task_that_it_does_not_need() {
        for seed in 0..2_000 {
            let plan = any_plan(seed);
            let shares = shares(&plan, Split::Domain);
            let place_of = |id: &str| {
                let mut holding = shares
                    .iter()
                    .enumerate()
                    .filter(|(_, one)| one.tasks.iter().any(|own| own == id));
                let (place, _) = holding.next().unwrap();
                assert!(holding.next().is_none(), "{seed}: {id} is in two shares");
                place
            };
            let task = |id: &String| plan.tasks.iter().find(|task| task.id == *id).unwrap();
            for (place, own) in shares.iter().enumerate() {
                let needed: Vec<&String> = own.tasks.iter().flat_map(|id| &task(id).needs).collect();
                for id in &needed {
                    let other = place_of(id);
                    assert!(
                        other == place || own.needs.contains(&other),
                        "{seed}: {id} is not waited for"
                    );
                }
                for other in own.needs.iter().map(|other| &shares[*other]) {
                    let last = other.tasks.iter().rposition(|id| needed.contains(&id)).unwrap();
                    let after = other.tasks.iter().skip(last + 1);
                    let more: Vec<_> = after.filter(|id| !task(id).needs.is_empty()).collect();
                    assert!(
                        more.is_empty(),
                        "{seed}: {} waits for {more:?}, too\n{shares:?}",
                        own.name
                    );
                }
            }
            // All of them can be done.
            let mut done = vec![false; shares.len()];
            for _ in 0..shares.len() {
                let ready = |one: &Share| one.needs.iter().all(|need| done[*need]);
                done = shares.iter().map(ready).collect();
            }
            assert!(done.iter().all(|done| *done), "{seed}: {shares:?}");
        }
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
