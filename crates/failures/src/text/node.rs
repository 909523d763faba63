//! `node --test` as it prints, for people and as TAP.

use crate::bounds::{MAX_READ, line_of};
use crate::failure::{Failure, Place, Tool};
use crate::words::{block, split_place};

/// Reads the list of failed tests at the end of a run.
pub fn read(lines: &[&str]) -> Vec<Failure> {
    let Some(start) = lines.iter().position(|line| line.contains("✖ failing tests:")) else {
        return tap(lines);
    };
    let mut out = Vec::new();
    for (at, line) in lines.iter().enumerate().skip(start) {
        if out.len() >= MAX_READ {
            break;
        }
        let Some((file, number)) = line.strip_prefix("test at ").and_then(split_place) else {
            continue;
        };
        let title = lines
            .get(at + 1)
            .and_then(|line| line.trim_start().strip_prefix("✖ "));
        let Some(title) = title else { continue };
        let title = title.rsplit_once(" (").map_or(title, |(title, _)| title);
        let text = block(lines, at + 2, |line| line.starts_with("test at "));
        let path = format!("{file} > {title}");
        out.push(Failure::test(
            Tool::Node,
            &path,
            Place::at(file, Some(number)),
            (&message(&text), &text),
        ));
    }
    out
}

/// Returns the first line, and the next one if that only announces it.
fn message(text: &str) -> String {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.next().unwrap_or_default();
    match (first.ends_with(':'), lines.next()) {
        (true, Some(next)) => format!("{first} {next}"),
        _ => line_of(first),
    }
}

/// Reads the failed tests of TAP that are not failed only because of their parts.
fn tap(lines: &[&str]) -> Vec<Failure> {
    let mut out = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        if out.len() >= MAX_READ {
            break;
        }
        let inner = line.trim_start();
        let Some((_, title)) = inner
            .strip_prefix("not ok ")
            .and_then(|rest| rest.split_once(" - "))
        else {
            continue;
        };
        // What is said of a test ends before the next one, also if its own end is missing.
        let text = block(lines, at + 1, |line| {
            line.trim() == "..." || line.trim_start().starts_with("not ok ")
        });
        let field = |name: &str| {
            let value = text.lines().find_map(|line| line.trim().strip_prefix(name));
            value.map(|value| value.trim().trim_matches('\''))
        };
        let Some(location) = field("location:").and_then(split_place) else {
            continue;
        };
        if field("failureType:") == Some("subtestsFailed") {
            continue;
        }
        let path = format!("{} > {title}", location.0);
        let error = field("error:").unwrap_or(title);
        out.push(Failure::test(
            Tool::Node,
            &path,
            Place::at(location.0, Some(location.1)),
            (error, &text),
        ));
    }
    out
}
