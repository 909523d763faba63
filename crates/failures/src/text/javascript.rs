//! vitest and jest as they print.

use crate::bounds::{MAX_LINE, MAX_READ, line_of, start_of};
use crate::failure::{Failure, Place, Tool};
use crate::words::{block, places};
use std::collections::HashSet;

/// Reads the failed tests and files of vitest, which it lists after the runs.
pub fn vitest(lines: &[&str]) -> Vec<Failure> {
    let section = |line: &&str| line.contains("⎯ Failed Tests ") || line.contains("⎯ Failed Suites ");
    let Some(start) = lines.iter().position(section) else {
        return Vec::new();
    };
    let mut out = Vec::new();
    for (at, line) in lines.iter().enumerate().skip(start) {
        let Some(path) = line.trim_start().strip_prefix("FAIL ").map(str::trim) else {
            continue;
        };
        let file = path.split(" > ").next().unwrap_or(path);
        let file = file.split(" [ ").next().unwrap_or(file);
        let text = block(lines, at + 1, |line| {
            line.starts_with("⎯⎯") || line.trim_start().starts_with("FAIL ")
        });
        let own = places(&text).into_iter().filter(|(other, _)| other == file);
        let number = own.map(|(_, number)| number).next();
        out.push(Failure::test(
            Tool::Vitest,
            path,
            Place::at(file, number),
            (&line_of(&text), &text),
        ));
        if out.len() >= MAX_READ {
            break;
        }
    }
    out
}

/// Reads the failed tests of jest.
pub fn jest(lines: &[&str]) -> Vec<Failure> {
    let (mut out, mut file) = (Vec::new(), "");
    let mut seen = HashSet::new();
    for (at, line) in lines.iter().enumerate() {
        if let Some(name) = line.strip_prefix("FAIL ") {
            file = start_of(name.split_whitespace().next().unwrap_or_default(), MAX_LINE);
        }
        let Some(title) = line.strip_prefix("  ● ").filter(|_| !file.is_empty()) else {
            continue;
        };
        // Jest repeats all failures after long runs.
        let path = format!("{file} > {}", title.replace(" › ", " > "));
        if out.len() >= MAX_READ || !seen.insert(path.clone()) {
            continue;
        }
        let ends = |line: &str| {
            line.starts_with("  ● ")
                || line.starts_with("Test Suites: ")
                || line.starts_with("FAIL ")
                || line.starts_with("PASS ")
        };
        let text = block(lines, at + 1, ends);
        let own = places(&text).into_iter().filter(|(other, _)| other == file);
        let place = Place::at(file, own.map(|(_, number)| number).next());
        out.push(Failure::test(Tool::Jest, &path, place, (&line_of(&text), &text)));
    }
    out
}
