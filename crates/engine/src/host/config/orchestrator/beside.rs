//! The reactions of Agent Orchestrator's file in a project's folder. They are used as they are while the project's own
//! file has none.

use super::places::{FILES, expand};
use super::reactions::{merged, read, valid};
use crate::host::config::reaction::Reactions;
use downbeat_yaml::Node;
use serde_json::{Map, Value};
use std::path::Path;

/// The maximum length of the file, in bytes.
const MOST: u64 = 64 * 1024;

/// Returns the reactions in the project's folder `root`, and the name of their file. What is not valid here is left out,
/// and said in the log: a file for another program never keeps a project from working. The file is not trusted: links
/// out of the project are not followed.
pub(crate) fn reactions(root: &Path) -> Option<(Reactions, &'static str)> {
    FILES.into_iter().find_map(|name| {
        let bytes = downbeat_git::read_inside(root, name, MOST).ok().flatten()?;
        let text = downbeat_yaml::text(&root.join(name), bytes).ok()?;
        let file = Node::read(&text)
            .inspect_err(|wrong| {
                tracing::warn!("{name} is not used: line {}: {}", wrong.at.line, wrong.message)
            })
            .ok()??;
        let (taken, left) = valid(of(&file.value(), root));
        for left in &left {
            tracing::warn!("a reaction of {name} is not used: {}: {}", left.key, left.why);
        }
        let reactions = read(&taken)
            .ok()
            .filter(|reactions| *reactions != Reactions::default())?;
        Some((reactions, name))
    })
}

/// Returns the reactions of a file for the project in `root`.
fn of(file: &Value, root: &Path) -> Map<String, Value> {
    let real = std::fs::canonicalize(root).ok();
    let projects = file.get("projects").and_then(Value::as_object);
    let is_it = |project: &&Value| {
        // The paths of the file are compared, never looked at: it belongs to the repository.
        let path = project.get("path").and_then(Value::as_str).map(expand);
        path.is_some_and(|path| path == root || Some(&path) == real.as_ref())
    };
    let own = projects.and_then(|all| match all.len() {
        1 => all.values().next(),
        _ => all.values().find(is_it),
    });
    let mut merged = merged(file.get("reactions"), own.and_then(|own| own.get("reactions")));
    for action in merged
        .values_mut()
        .filter_map(|reaction| reaction.get_mut("action"))
    {
        // Agent Orchestrator only notifies: nothing is to be merged that was not before.
        if action == "auto-merge" {
            *action = Value::from("notify");
        }
    }
    merged
}
