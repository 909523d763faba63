//! The issues of beads, as `bd list --json` prints them, as the tasks of a plan: those that are open, or those of them that are below
//! one. What has parts of its own is no task: a task that it blocks waits for its parts, and its parts wait for what blocks it.

use super::issues::{Blocker, Issues, Part};
use crate::check::{MOST_NEEDS, MOST_TASKS};
use crate::plan::Form;
use crate::problem::Problem;
use crate::words::{name, one_line};
use serde::Deserialize;
use serde_json::Value;
use std::cell::Cell;
use std::collections::{BTreeSet, HashMap, HashSet};

/// The most bytes of the text of one issue.
const MOST_TEXT: usize = 32 * 1024;

/// The most bytes of the texts of all issues together: a plan is stored whole at each change.
const MOST_TEXTS: usize = 512 * 1024;

/// The most issues that all of them are followed up and down to, together: those of an issue with many parts are counted for each
/// that waits for it.
const MOST_WAYS: usize = 1_000_000;

/// Kinds of issues that nobody works on.
const NO_WORK: [&str; 7] = ["gate", "message", "molecule", "event", "agent", "role", "rig"];

#[derive(Deserialize)]
struct Raw {
    id: String,
    title: String,
    #[serde(default)]
    description: String,
    #[serde(default)]
    design: String,
    #[serde(default)]
    acceptance_criteria: String,
    #[serde(default)]
    status: String,
    #[serde(default)]
    issue_type: String,
    #[serde(default)]
    priority: i64,
    #[serde(default)]
    assignee: String,
    #[serde(default)]
    dependencies: Vec<Dependency>,
    #[serde(default)]
    parent: Option<String>,
}

#[derive(Deserialize)]
struct Dependency {
    depends_on_id: String,
    #[serde(rename = "type")]
    kind: String,
}

/// Reads what `bd list --json` prints of the issues that are not closed. `below` names the issue whose parts are wanted.
///
/// # Errors
/// Says what is wrong with it, or that nothing is open.
pub fn read_beads(text: &str, below: Option<&str>) -> Result<Issues, Problem> {
    let mut value = super::json_of(text)?;
    if let Some(data) = value.get_mut("data") {
        value = data.take();
    }
    let read = Vec::<Raw>::deserialize(value);
    let mut all = read.map_err(|error| Problem::Json(format!("bd printed no list of issues: {error}")))?;
    // Those of one priority stay in the order of beads.
    all.sort_by_key(|one| one.priority);
    let beads = Beads::of(&all);
    let wanted = beads.wanted(below);
    let is_wanted = |one: &&Raw| wanted.contains(one.id.as_str());
    let most = MOST_TEXT.min(MOST_TEXTS / wanted.len().max(1));
    let (mut notes, mut parts, mut needs) = (Vec::new(), Vec::new(), 0);
    for one in all.iter().filter(is_wanted) {
        if let Some(why) = beads.left_out(one) {
            notes.push(format!("{} {why}: it is no task of this plan", name(&one.id)));
            continue;
        }
        if parts.len() == MOST_TASKS {
            return Err(Problem::TooMany { most: MOST_TASKS });
        }
        let blocked_by = beads.blockers(&one.id);
        needs += blocked_by.len();
        if needs > MOST_NEEDS || beads.left.get() == 0 {
            return Err(Problem::TooManyNeeds { most: MOST_NEEDS });
        }
        parts.push(Part {
            id: one.id.clone(),
            title: one.title.clone(),
            text: text_of(one, most),
            blocked_by,
            ..Part::default()
        });
    }
    if parts.is_empty() {
        return Err(Problem::Empty);
    }
    let title = below
        .and_then(|id| beads.by_id.get(id))
        .map_or("the open issues of beads", |one| one.title.as_str());
    Ok(Issues {
        title: match below {
            Some(id) => format!("{} {}", one_line(id), one_line(title)),
            None => title.to_owned(),
        },
        form: Form::Beads,
        parts,
        notes,
    })
}

/// Returns the text of an issue, shortened.
fn text_of(one: &Raw, most: usize) -> String {
    let mut text = one.description.trim().to_owned();
    for (about, more) in [
        ("Design", &one.design),
        ("It is done when", &one.acceptance_criteria),
    ] {
        if !more.trim().is_empty() {
            text.push_str(&format!("\n\n{about}:\n{}", more.trim()));
        }
    }
    let mut end = text.len().min(most);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.truncate(end);
    text.trim().to_owned()
}

/// What is open, and how it is connected.
struct Beads<'a> {
    by_id: HashMap<&'a str, &'a Raw>,
    /// The parts of each issue.
    parts: HashMap<&'a str, Vec<&'a str>>,
    /// What each issue is a part of.
    wholes: HashMap<&'a str, Vec<&'a str>>,
    /// How many issues may still be followed.
    left: Cell<usize>,
}

impl<'a> Beads<'a> {
    fn of(all: &'a [Raw]) -> Self {
        let mut beads = Self {
            by_id: all.iter().map(|one| (one.id.as_str(), one)).collect(),
            parts: HashMap::new(),
            wholes: HashMap::new(),
            left: Cell::new(MOST_WAYS),
        };
        for one in all {
            let named = one.dependencies.iter().filter(|of| of.kind == "parent-child");
            let wholes: BTreeSet<&str> = named
                .map(|of| of.depends_on_id.as_str())
                .chain(one.parent.as_deref())
                .collect();
            for whole in wholes {
                beads.parts.entry(whole).or_default().push(&one.id);
                beads.wholes.entry(&one.id).or_default().push(whole);
            }
        }
        beads
    }

    /// Returns the ids of what is a task, or may be one.
    fn wanted(&self, below: Option<&'a str>) -> HashSet<&'a str> {
        match below {
            Some(id) => self.reached(&self.parts, id).into_iter().skip(1).collect(),
            None => self.by_id.keys().copied().collect(),
        }
    }

    /// Says why an issue is no task, other than that its parts are; nothing for one that is, or whose parts are.
    fn left_out(&self, one: &Raw) -> Option<String> {
        if self.parts.contains_key(one.id.as_str()) {
            return Some("has parts of its own".to_owned());
        }
        if one.issue_type == "epic" {
            return Some("is an epic without open parts".to_owned());
        }
        if NO_WORK.contains(&one.issue_type.as_str()) {
            return Some(format!("is a {}", name(&one.issue_type)));
        }
        let is_conditional = |of: &Dependency| of.kind == "conditional-blocks";
        if one.dependencies.iter().any(is_conditional) {
            return Some("is only wanted if another issue fails".to_owned());
        }
        match one.status.as_str() {
            "open" | "blocked" | "" => None,
            "in_progress" | "hooked" if !one.assignee.trim().is_empty() => {
                Some(format!("is worked on by {}", name(&one.assignee)))
            }
            status => Some(format!("is {}", name(&status.replace('_', " ")))),
        }
    }

    /// Returns what blocks an issue, or what it is a part of. An issue with parts stands for these.
    fn blockers(&self, id: &'a str) -> Vec<Blocker> {
        let own = self.reached(&self.wholes, id);
        let own = own.iter().filter_map(|id| self.by_id.get(id).copied());
        let named = own
            .map(|one| one.dependencies.as_slice())
            .take_while(|all| self.may_follow(all.len()))
            .flatten();
        let named = named.filter(|of| matches!(of.kind.as_str(), "blocks" | "waits-for"));
        let named: BTreeSet<&str> = named.map(|of| of.depends_on_id.as_str()).collect();
        let mut found = BTreeSet::new();
        for other in named {
            let all = self.reached(&self.parts, other);
            found.extend(all.into_iter().filter(|id| !self.parts.contains_key(id)));
        }
        // A part of what it waits for itself.
        found.remove(id);
        let blockers = found.into_iter().map(|id| {
            let open = self.by_id.get(id);
            Blocker {
                id: id.to_owned(),
                title: open.map_or_else(String::new, |one| one.title.clone()),
                is_closed: open.is_none(),
            }
        });
        blockers.collect()
    }

    /// Counts issues that are followed. Returns whether they may be.
    fn may_follow(&self, issues: usize) -> bool {
        let left = self.left.get().checked_sub(issues);
        self.left.set(left.unwrap_or(0));
        left.is_some()
    }

    /// Returns an issue and all that are reached from it, each once.
    fn reached(&self, ways: &HashMap<&'a str, Vec<&'a str>>, from: &'a str) -> Vec<&'a str> {
        let (mut all, mut known) = (vec![from], HashSet::from([from]));
        let mut next = 0;
        while let Some(id) = all.get(next).copied() {
            next += 1;
            for other in ways.get(id).into_iter().flatten() {
                if !self.may_follow(1) {
                    return all;
                }
                if known.insert(*other) {
                    all.push(other);
                }
            }
        }
        all
    }
}

/// Returns whether the answer of `bd show --json` says that an issue is closed; nothing if it is no such answer.
#[must_use]
pub fn is_closed_bead(text: &str) -> Option<bool> {
    let mut value: Value = serde_json::from_str(text).ok()?;
    if let Some(data) = value.get_mut("data") {
        value = data.take();
    }
    let one = match &value {
        Value::Array(all) => all.first()?,
        one => one,
    };
    Some(one.get("status")?.as_str()? == "closed")
}

#[cfg(test)]
#[path = "beads_tests.rs"]
mod tests;
