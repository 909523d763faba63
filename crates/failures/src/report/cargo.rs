//! `cargo build`, `check` and `clippy` with `--message-format=json`.

use crate::bounds::MAX_READ;
use crate::failure::{Failure, Place, Tool};
use crate::json;
use serde::Deserialize;

#[derive(Deserialize)]
struct Line {
    reason: String,
    message: Option<Message>,
    target: Option<Target>,
}

#[derive(Deserialize)]
struct Target {
    name: String,
}

#[derive(Deserialize)]
struct Message {
    level: String,
    message: String,
    code: Option<Code>,
    #[serde(default)]
    spans: Vec<Span>,
    rendered: Option<String>,
}

#[derive(Deserialize)]
struct Code {
    code: String,
}

#[derive(Deserialize)]
struct Span {
    file_name: String,
    line_start: u32,
    is_primary: bool,
}

/// Reads the errors; `None` if no line is a message of cargo.
pub fn read(text: &str) -> Option<Vec<Failure>> {
    let lines: Vec<Line> = json::lines(text);
    if !lines
        .iter()
        .any(|line| line.reason.starts_with("compiler-") || line.reason.starts_with("build-"))
    {
        return None;
    }
    // The same file is compiled for its crate and for its tests.
    let mut seen = std::collections::BTreeSet::new();
    let made = lines.iter().filter_map(one);
    let made = made.filter(|failure| seen.insert((failure.id.clone(), failure.line)));
    Some(made.take(MAX_READ).collect())
}

fn one(line: &Line) -> Option<Failure> {
    let message = line.message.as_ref()?;
    let span = message.spans.iter().find(|span| span.is_primary);
    if !message.level.starts_with("error") || (span.is_none() && message.code.is_none()) {
        return None;
    }
    let mut place = span.map_or_else(Place::default, |span| {
        Place::at(&span.file_name, Some(span.line_start))
    });
    place.package = line.target.as_ref().map(|target| target.name.clone());
    let rule = message.code.as_ref().map_or("", |code| code.code.as_str());
    let rendered = message.rendered.as_deref().unwrap_or_default();
    Some(Failure::rule(
        Tool::Cargo,
        rule,
        place,
        (&message.message, rendered),
    ))
}
