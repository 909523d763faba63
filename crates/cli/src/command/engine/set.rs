//! `downbeat config set`: changes a key of the person's own file. Keys of Agent Orchestrator are translated.

use crate::failure::Failure;
use crate::home::Home;
use crate::outcome::{Outcome, print};
use crate::paint::plain;
use downbeat_engine::config::orchestrator::keys::{Fate, fate};
use downbeat_engine::config::orchestrator::translate::{How, translate};
use downbeat_engine::config::{Kind, edit, validate};
use serde_json::{Value, json};
use std::path::Path;

pub(in crate::command) fn run(key: &str, value: &str, home: &Home) -> Outcome {
    home.refuse_inside("change your configuration")?;
    let value = read(value)?;
    if !matches!(fate(key), None | Some(Fate::Own(..))) {
        return elsewhere(key, &value);
    }
    let path = home.config();
    edit(&path, &[(key, value.clone())]).map_err(|error| {
        Failure::usage(error.to_string()).hint("`downbeat config show` lists every key and its value")
    })?;
    let wrong: Vec<String> = validate(&path, Kind::Global)
        .iter()
        .map(ToString::to_string)
        .collect();
    if !wrong.is_empty() {
        return Err(Failure::usage(wrong.join("\n")).hint("the value was written; set another one"));
    }
    print(&format!("{}: {}\n", plain(key), plain(&value.to_string())))
}

/// Reads a value as the file would have it.
fn read(text: &str) -> Result<Value, Failure> {
    let node = downbeat_engine::config::value(text);
    node.map_err(|why| Failure::usage(format!("the value is not YAML: {why}")))
}

/// Answers for a key that is no key of the person's file here.
fn elsewhere(key: &str, value: &Value) -> Outcome {
    let whole = key
        .rsplit('.')
        .fold(value.clone(), |below, word| json!({ word: below }));
    let failed = |why: String| Failure::usage(format!("{}: {why}", plain(key)));
    let translation = translate(Path::new("agent-orchestrator.yaml"), &whole.to_string());
    let translation = translation.map_err(|error| failed(error.to_string()))?;
    match translation.told.first() {
        Some(told) if told.how == How::Same => {
            print(&format!("{}: nothing to set: {}\n", plain(key), told.text))
        }
        Some(told) => Err(failed(told.text.clone())),
        None => Err(failed(
            "it is a key of each project's downbeat.yaml; `downbeat config import` translates a file".into(),
        )),
    }
}
