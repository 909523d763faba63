//! Takes the reactions of a file that are valid here. Pure.

use crate::host::config::project::ProjectConfig;
use crate::host::config::reaction::Reactions;
use serde_json::{Map, Value, json};
use std::path::Path;

/// A reaction that is not taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Left {
    /// Its event.
    pub(super) key: String,
    /// What is wrong with it.
    pub(super) why: String,
}

/// Returns the reactions of all projects, with those of one project in front of them, key by key.
pub(super) fn merged(all: Option<&Value>, own: Option<&Value>) -> Map<String, Value> {
    let mut merged = all.and_then(Value::as_object).cloned().unwrap_or_default();
    for (event, reaction) in own.and_then(Value::as_object).into_iter().flatten() {
        match (merged.get_mut(event), reaction) {
            (Some(Value::Object(below)), Value::Object(reaction)) => below.extend(reaction.clone()),
            _ => drop(merged.insert(event.clone(), reaction.clone())),
        }
    }
    merged
}

/// Returns the reactions that are valid here, and what is left of the others. One that is wrong leaves the rest as it is.
pub(super) fn valid(reactions: Map<String, Value>) -> (Map<String, Value>, Vec<Left>) {
    let (mut taken, mut left) = (Map::new(), Vec::new());
    for (event, reaction) in reactions {
        let mut more = taken.clone();
        more.insert(event.clone(), reaction);
        match read(&more) {
            Ok(_) => taken = more,
            Err(why) => left.push(Left { key: event, why }),
        }
    }
    (taken, left)
}

/// Reads reactions as a project's file would have them.
pub(super) fn read(reactions: &Map<String, Value>) -> Result<Reactions, String> {
    // JSON is YAML, so this is read and checked like a file.
    let text = json!({ "reactions": reactions }).to_string();
    match downbeat_yaml::parse::<ProjectConfig>(Path::new(""), &text) {
        Ok(config) => Ok(config.unwrap_or_default().reactions),
        Err(downbeat_yaml::Error::Wrong(problems)) => {
            let meant = |near: &String| format!("; did you mean `{near}`?");
            let told = problems.iter().map(|problem| {
                format!(
                    "{}{}",
                    problem.message,
                    problem.nearest.as_ref().map(meant).unwrap_or_default()
                )
            });
            Err(told.collect::<Vec<_>>().join("; "))
        }
        Err(other) => Err(other.to_string()),
    }
}
