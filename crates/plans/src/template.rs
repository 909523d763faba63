//! Templates: patterns of tasks by which each task of a plan is done. A pattern says `{task}` where the title of a task goes; what
//! it says without that comes once, at the end.

use crate::check::check;
use crate::domain::{Domains, GENERAL};
use crate::forms::pattern_of;
use crate::gathered::Gathered;
use crate::plan::{Plan, Stands, Task};
use crate::problem::Problem;
use crate::words::SLOT;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashSet};
use ts_rs::TS;

/// The part of a template that writes tests which fail.
const RED: &str = "red";

/// The templates that everybody has: their names, what they are for, and their tasks as id, title, description and needs.
const KNOWN: &[(&str, &str, &[Part])] = &[
    (
        "parallel",
        "each task as it is, with a worker of its own",
        &[("", SLOT, "", &[])],
    ),
    (
        "compare",
        "each task twice, by two approaches, to keep the better one",
        &[
            (
                "small",
                "{task} (the smallest change)",
                "Another worker does the same with a design of its own, and one of both is kept. Change as little as possible.",
                &[],
            ),
            (
                "design",
                "{task} (the best design)",
                "Another worker does the same with the smallest change, and one of both is kept. Choose the design that you would \
                 choose without what is already there.",
                &[],
            ),
        ],
    ),
    (
        "divide",
        "each task with a worker of its own, then one that puts the parts together",
        &[
            ("", SLOT, "", &[]),
            (
                "together",
                "Put the parts together",
                "Your branch begins with the work of all other tasks of this plan. Make it one thing that works: build it, run its \
                 tests, mend what does not fit, and remove what was done twice.",
                &[],
            ),
        ],
    ),
    (
        "red-green",
        "tests that fail first, then what makes them pass, then tidying up",
        &[
            (
                RED,
                "Write failing tests: {task}",
                "Write only the tests that this task needs, run them, and see them fail for the right reason. Commit them.",
                &[],
            ),
            (
                "green",
                "Make the tests pass: {task}",
                "Your branch begins with tests that fail. Make them pass with the least code, and change none of them.",
                &[RED],
            ),
            (
                "",
                "Tidy up: {task}",
                "All tests pass. Make the new code simple and readable, and keep them passing.",
                &["green"],
            ),
        ],
    ),
    (
        "review",
        "each task, then a worker that reviews and mends it",
        &[
            ("work", SLOT, "", &[]),
            (
                "",
                "Review: {task}",
                "Your branch begins with the work of another worker. Read all of it as a strict reviewer: correctness, security, \
                 tests, names. Mend what you find, and commit; if there is nothing to mend, say so.",
                &["work"],
            ),
        ],
    ),
];

/// A task of a known template: its id (empty for the one that takes the place of the task), title, description, and needs.
type Part = (&'static str, &'static str, &'static str, &'static [&'static str]);

/// A template, as it is offered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct TemplateInfo {
    /// Its name.
    pub name: String,
    /// What it does, in a few words.
    pub about: String,
}

/// All templates by name: those that everybody has, and the person's own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Templates(BTreeMap<String, Template>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Template {
    about: String,
    pattern: Vec<Task>,
}

impl Default for Templates {
    fn default() -> Self {
        let all = KNOWN.iter().map(|(name, about, parts)| {
            let template = Template {
                about: (*about).to_owned(),
                pattern: parts.iter().map(known_part).collect(),
            };
            ((*name).to_owned(), template)
        });
        Self(all.collect())
    }
}

fn known_part((id, title, description, needs): &Part) -> Task {
    Task {
        unchecked: *id == RED,
        id: (*id).to_owned(),
        description: (*description).to_owned(),
        needs: needs.iter().map(|need| (*need).to_owned()).collect(),
        ..Task::titled(title)
    }
}

impl Templates {
    /// Adds a template of the person's own, written as the tasks of a plan are, which may replace a known one.
    ///
    /// # Errors
    /// Says why no plan could be made with it.
    pub fn with(mut self, name: &str, text: &str, domains: &Domains) -> Result<Self, Problem> {
        let pattern = pattern_of(text, domains)?;
        if !pattern.iter().any(is_for_each) {
            return Err(Problem::NoSlot);
        }
        let about = pattern.iter().map(|part| part.title.as_str());
        let about = about.collect::<Vec<_>>().join("; ");
        self.0.insert(name.to_owned(), Template { about, pattern });
        Ok(self)
    }

    /// Returns all templates, by name.
    #[must_use]
    pub fn infos(&self) -> Vec<TemplateInfo> {
        let all = self.0.iter().map(|(name, template)| TemplateInfo {
            name: name.clone(),
            about: template.about.clone(),
        });
        all.collect()
    }

    /// Checks that there is such a template.
    ///
    /// # Errors
    /// Fails if there is none.
    pub fn known(&self, name: &str) -> Result<(), Problem> {
        self.get(name).map(drop)
    }

    fn get(&self, name: &str) -> Result<&Template, Problem> {
        self.0.get(name).ok_or_else(|| Problem::UnknownTemplate {
            name: name.to_owned(),
            known: self.0.keys().cloned().collect(),
        })
    }

    /// Returns a plan in which each task is done as the template says.
    ///
    /// # Errors
    /// Fails if there is no such template, if a task needs one that the template makes several versions of, or if the plan gets too
    /// large.
    pub fn apply(&self, name: &str, plan: Plan) -> Result<Plan, Problem> {
        let template = self.get(name)?;
        let (each, once): (Vec<&Task>, Vec<&Task>) =
            template.pattern.iter().partition(|part| is_for_each(part));
        let ends = ends(&each);
        let several = ends.len() > 1;
        if several && let Some((task, need)) = first_need(&plan) {
            return Err(Problem::Versions { task, need });
        }
        let mut tasks = Gathered::default();
        for task in &plan.tasks {
            match task.done {
                true => tasks.push(task.clone())?,
                false => each
                    .iter()
                    .try_for_each(|part| tasks.push(version(part, task, &ends)))?,
            }
        }
        let stage = plan.tasks.iter().map(|task| task.stage).max().unwrap_or_default();
        let last: Vec<String> = open(&plan)
            .flat_map(|task| ends.iter().map(|end| id_of(end, task, &ends)))
            .collect();
        let own_ids = free_ids(&once, tasks.ids());
        for (part, id) in once.iter().zip(&own_ids) {
            let named = part.needs.iter().flat_map(|need| {
                let own = once.iter().position(|part| part.id == *need);
                match own.and_then(|place| own_ids.get(place)) {
                    Some(id) => vec![id.clone()],
                    None => named(need, &plan, &each, &ends),
                }
            });
            tasks.push(Task {
                id: id.clone(),
                needs: if part.needs.is_empty() {
                    last.clone()
                } else {
                    named.collect()
                },
                domain: if part.domain.is_empty() {
                    GENERAL.to_owned()
                } else {
                    part.domain.clone()
                },
                stage,
                stands: Stands::ForNothing,
                ..(*part).clone()
            })?;
        }
        let plan = Plan {
            tasks: tasks.into_tasks(),
            ..plan
        };
        check(&plan)?;
        Ok(plan)
    }
}

/// Returns the ids of the parts that come once. One that a task of the plan has already gets another number.
fn free_ids<'a>(once: &[&Task], taken: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut taken: HashSet<String> = taken.map(str::to_owned).collect();
    let ids = once.iter().map(|part| {
        let others = (2_usize..).map(|number| format!("{}-{number}", part.id));
        let mut all = std::iter::once(part.id.clone()).chain(others);
        let id = all.find(|id| !taken.contains(id)).unwrap_or_default();
        taken.insert(id.clone());
        id
    });
    ids.collect()
}

fn is_for_each(part: &Task) -> bool {
    part.title.contains(SLOT) || part.description.contains(SLOT)
}

fn open(plan: &Plan) -> impl Iterator<Item = &Task> {
    plan.tasks.iter().filter(|task| !task.done)
}

/// Returns the parts that no other part needs: with them, a task is done.
fn ends<'a>(each: &[&'a Task]) -> Vec<&'a Task> {
    let needed: HashSet<&str> = each
        .iter()
        .flat_map(|part| &part.needs)
        .map(String::as_str)
        .collect();
    let ends = each.iter().filter(|part| !needed.contains(part.id.as_str()));
    ends.copied().collect()
}

/// Returns a task that needs another open one, and that.
fn first_need(plan: &Plan) -> Option<(String, String)> {
    let ids: HashSet<&str> = open(plan).map(|task| task.id.as_str()).collect();
    open(plan).find_map(|task| {
        let need = task.needs.iter().find(|need| ids.contains(need.as_str()))?;
        Some((task.id.clone(), need.clone()))
    })
}

/// Returns the id of a part of a task. The only end keeps that of the task: others need it, and its box is ticked.
fn id_of(part: &Task, task: &Task, ends: &[&Task]) -> String {
    match ends {
        [only] if only.id == part.id => task.id.clone(),
        _ => format!("{}-{}", task.id, part.id),
    }
}

/// Returns a part for a task.
fn version(part: &Task, task: &Task, ends: &[&Task]) -> Task {
    let filled = |text: &str| text.replace(SLOT, &task.title);
    let needs = match part.needs.as_slice() {
        [] => task.needs.clone(),
        needs => needs.iter().map(|need| sibling(need, task, ends)).collect(),
    };
    let descriptions = [filled(&part.description), task.description.clone()];
    let described: Vec<String> = descriptions.into_iter().filter(|text| !text.is_empty()).collect();
    let is_end = ends.iter().any(|end| end.id == part.id);
    let id = id_of(part, task, ends);
    let checks = task.checks.iter().filter(|_| is_end);
    Task {
        stands: stands((part, &id), task, is_end),
        id,
        title: filled(&part.title),
        description: described.join("\n\n"),
        domain: if part.domain.is_empty() {
            task.domain.clone()
        } else {
            part.domain.clone()
        },
        needs,
        skills: part.skills.iter().chain(&task.skills).cloned().collect(),
        checks: part.checks.iter().chain(checks).cloned().collect(),
        unchecked: part.unchecked,
        agent: part.agent.clone().or_else(|| task.agent.clone()),
        model: None,
        permission_mode: None,
        project: part.project.clone().or_else(|| task.project.clone()),
        project_id: None,
        // A session works on the issue, and it is done with that session's work: not with one of several versions.
        issue: task.issue.clone().filter(|_| is_end && ends.len() == 1),
        branch: task.branch.clone().filter(|_| is_end && ends.len() == 1),
        phase: task.phase.clone(),
        stage: task.stage,
        effort: None,
        done: false,
    }
}

/// Returns what a part stands for in the plan's file: the task, if it is done with this part.
fn stands((part, id): (&Task, &str), task: &Task, is_end: bool) -> Stands {
    match (is_end, &task.stands) {
        (false, _) => Stands::ForNothing,
        (true, Stands::ForItself) if part.title == SLOT && id == task.id => Stands::ForItself,
        (true, Stands::ForItself) => Stands::For {
            id: task.id.clone(),
            title: task.title.clone(),
        },
        (true, others) => others.clone(),
    }
}

/// Returns the id of the part that another part of the same task needs.
fn sibling(need: &str, task: &Task, ends: &[&Task]) -> String {
    match ends {
        [only] if only.id == need => task.id.clone(),
        _ => format!("{}-{need}", task.id),
    }
}

/// Returns what a part that comes once needs: a part of each task, or another one that comes once.
fn named(need: &str, plan: &Plan, each: &[&Task], ends: &[&Task]) -> Vec<String> {
    match each.iter().any(|part| part.id == *need) {
        true => open(plan).map(|task| sibling(need, task, ends)).collect(),
        false => vec![need.to_owned()],
    }
}

#[cfg(test)]
#[path = "template_tests.rs"]
mod tests;
