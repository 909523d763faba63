//! Groups failures into work for one agent each. Failures of one file belong together, because two agents in one file
//! would collide; small groups are joined until no more than a limit are left.

use crate::failure::{Failure, Tool};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The limits of groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The largest number of groups.
    pub groups: usize,
    /// The largest number of failures in a group that others are joined with.
    pub failures: usize,
}

/// Failures that one agent fixes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Group {
    /// What the group is about, in a few words.
    pub title: String,
    /// The positions of its failures in the list.
    pub members: Vec<usize>,
    /// The files that they name.
    pub files: BTreeSet<String>,
}

/// Groups failures: those of one file, else those of one package, else those of one rule. Each failure is in exactly one
/// group; the groups have the order of their first failures.
#[must_use]
pub fn group(failures: &[Failure], limits: Limits) -> Vec<Group> {
    let mut keys: Vec<String> = Vec::new();
    let mut groups: Vec<Group> = Vec::new();
    for (at, failure) in failures.iter().enumerate() {
        let key = key(failure);
        let known = keys.iter().position(|other| *other == key);
        let group = match known.and_then(|known| groups.get_mut(known)) {
            Some(group) => group,
            None => {
                keys.push(key);
                groups.push(Group {
                    title: title(failure),
                    members: Vec::new(),
                    files: BTreeSet::new(),
                });
                let Some(last) = groups.last_mut() else { continue };
                last
            }
        };
        group.members.push(at);
        group.files.extend(failure.file.clone());
    }
    while groups.len() > limits.groups.max(1) {
        join_smallest(&mut groups, failures, limits);
    }
    groups
}

/// Joins the two groups with the fewest failures, preferring ones that the same tool reported.
fn join_smallest(groups: &mut Vec<Group>, failures: &[Failure], limits: Limits) {
    let tool = |group: &Group| {
        group
            .members
            .first()
            .and_then(|at| failures.get(*at))
            .map(|failure| failure.tool)
    };
    let size = |group: &Group| group.members.len();
    let Some(small) = (0..groups.len()).min_by_key(|at| groups.get(*at).map_or(usize::MAX, size)) else {
        return;
    };
    let joined = groups.remove(small);
    let cost = |group: &Group| {
        let sum = size(group) + size(&joined);
        (sum > limits.failures, tool(group) != tool(&joined), sum)
    };
    if let Some(into) = groups.iter_mut().min_by_key(|group| cost(group)) {
        into.members.extend(joined.members);
        into.members.sort_unstable();
        into.files.extend(joined.files);
        if !into.title.ends_with(" and more") {
            into.title.push_str(" and more");
        }
    }
    groups.sort_by_key(|group| group.members.first().copied());
}

fn key(failure: &Failure) -> String {
    match (&failure.file, &failure.package, failure.tool) {
        (Some(file), ..) => format!("file {file}"),
        (None, Some(package), _) => format!("package {package}"),
        (None, None, Tool::Command) => format!("command {}", failure.id),
        (None, None, tool) => format!("rule {} {}", tool.word(), failure.title),
    }
}

fn title(failure: &Failure) -> String {
    let named = failure.file.as_ref().or(failure.package.as_ref());
    named.unwrap_or(&failure.title).clone()
}
