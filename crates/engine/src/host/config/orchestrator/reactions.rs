//! Takes the reactions of a file that are valid here. Pure.

use super::keys::{EVENTS, REACTION_KEYS};
use crate::host::config::project::ProjectConfig;
use crate::host::config::reaction::Reactions;
use serde_json::{Map, Value, json};
use std::path::Path;

/// Something in a reaction that is not taken: its key, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Left {
    /// `ci-failed`, `ci-failed.includeSummary`.
    pub(super) key: String,
    pub(super) why: String,
    /// Whether it means nothing here, rather than being wrong.
    pub(super) is_meaningless: bool,
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
    for (event, mut reaction) in reactions {
        if let Some((_, why)) = EVENTS.iter().find(|(name, _)| *name == event) {
            left.push(Left {
                key: event,
                why: (*why).into(),
                is_meaningless: true,
            });
            continue;
        }
        if let Some(keys) = reaction.as_object_mut() {
            for (key, why) in REACTION_KEYS {
                if keys.remove(*key).is_some() {
                    left.push(Left {
                        key: format!("{event}.{key}"),
                        why: (*why).into(),
                        is_meaningless: true,
                    });
                }
            }
        }
        let mut more = taken.clone();
        more.insert(event.clone(), reaction);
        match read(&more) {
            Ok(_) => taken = more,
            Err(why) => left.push(Left {
                key: event,
                why,
                is_meaningless: false,
            }),
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
