//! The JSON of jest, which vitest writes too.

use crate::bounds::{MAX_LINE, MAX_READ, line_of, start_of};
use crate::failure::{Failure, Place, Tool};
use crate::json;
use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Report {
    test_results: Vec<File>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct File {
    name: String,
    status: String,
    message: Option<String>,
    #[serde(default)]
    assertion_results: Vec<Test>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Test {
    #[serde(default)]
    ancestor_titles: Vec<String>,
    title: String,
    status: String,
    #[serde(default)]
    failure_messages: Option<Vec<String>>,
    location: Option<Location>,
}

#[derive(Deserialize)]
struct Location {
    line: Option<f64>,
}

/// Reads the failed tests, and the files that failed as a whole.
pub fn read(value: &Value) -> Option<Vec<Failure>> {
    let report: Report = json::of(value)?;
    // Only jest counts these.
    let tool = match value.get("numRuntimeErrorTestSuites") {
        Some(_) => Tool::Jest,
        None => Tool::Vitest,
    };
    let mut out = Vec::new();
    for file in &report.test_results {
        let (before, name) = (out.len(), start_of(&file.name, MAX_LINE));
        let failed = file
            .assertion_results
            .iter()
            .filter(|test| test.status == "failed");
        let room = MAX_READ.saturating_sub(before);
        out.extend(failed.map(|test| one(tool, name, test)).take(room));
        if out.len() == before && room > 0 && file.status == "failed" {
            let message = file.message.as_deref().unwrap_or_default();
            let place = Place::at(name, None);
            out.push(Failure::test(tool, name, place, (&line_of(message), message)));
        }
    }
    Some(out)
}

fn one(tool: Tool, file: &str, test: &Test) -> Failure {
    let titles = test
        .ancestor_titles
        .iter()
        .map(String::as_str)
        .chain([test.title.as_str()]);
    let path = [file].into_iter().chain(titles.filter(|title| !title.is_empty()));
    let path: Vec<&str> = path.collect();
    let text = test
        .failure_messages
        .iter()
        .flatten()
        .cloned()
        .collect::<Vec<_>>()
        .join("\n");
    let told = test.location.as_ref().and_then(|location| location.line);
    // Lines are far below the numbers that a float cannot hold.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a cast from a float saturates"
    )]
    let line = told.map(|line| line as u32).or_else(|| line_in(&text, file));
    let place = Place::at(file, line);
    Failure::test(tool, &path.join(" > "), place, (&line_of(&text), &text))
}

/// Returns the line of a file that a stack names.
fn line_in(stack: &str, file: &str) -> Option<u32> {
    let at = stack.find(&format!("{file}:"))?;
    let rest = &stack[at + file.len() + 1..];
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    rest[..digits].parse().ok()
}
