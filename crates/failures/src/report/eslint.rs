//! The JSON of ESLint.

use crate::bounds::MAX_READ;
use crate::failure::{Failure, Place, Tool};
use crate::json;
use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct File {
    file_path: String,
    #[serde(default)]
    messages: Vec<Message>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Message {
    rule_id: Option<String>,
    severity: u8,
    message: String,
    line: Option<u32>,
}

/// Reads the errors. Warnings do not fail a run.
pub fn read(value: &Value) -> Option<Vec<Failure>> {
    let files: Vec<File> = json::of(value)?;
    let errors = files
        .iter()
        .flat_map(|file| file.messages.iter().map(move |message| (file, message)));
    let errors = errors.filter(|(_, message)| message.severity >= 2);
    let made = errors.map(|(file, message)| {
        let place = Place::at(&file.file_path, message.line);
        let rule = message.rule_id.as_deref().unwrap_or("parsing");
        Failure::rule(Tool::Eslint, rule, place, (&message.message, ""))
    });
    Some(made.take(MAX_READ).collect())
}
