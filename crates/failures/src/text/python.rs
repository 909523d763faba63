//! pytest and unittest as they print.

use crate::bounds::MAX_READ;
use crate::failure::{Failure, Place, Tool};
use crate::words::{block, places};
use std::collections::HashMap;

/// Reads the short summary of pytest, with the section of each failure.
pub fn pytest(lines: &[&str]) -> Vec<Failure> {
    let summary = lines
        .iter()
        .position(|line| line.starts_with("===") && line.contains(" short test summary info "));
    let Some(summary) = summary else {
        return Vec::new();
    };
    let rows = lines.get(summary + 1..).unwrap_or_default().iter();
    let rows = rows.filter_map(|line| {
        line.strip_prefix("FAILED ")
            .or_else(|| line.strip_prefix("ERROR "))
    });
    let sections = sections(lines);
    // Many rows may name one section, which is read once.
    let mut read: HashMap<usize, Section> = HashMap::new();
    let made = rows.map(|row| {
        let (id, message) = row.split_once(" - ").unwrap_or((row, ""));
        let (file, test) = id.split_once("::").unwrap_or((id, ""));
        let at = sections.get(heading(file, test).as_str()).copied();
        let section = match at {
            Some(at) => read.entry(at).or_insert_with(|| Section::read(lines, at)),
            None => &Section::default(),
        };
        let of_file = section.places.iter().rfind(|(other, _)| other == file);
        let line = of_file.map(|(_, line)| *line);
        let said = section.said.as_deref().unwrap_or(message);
        Failure::test(
            Tool::Pytest,
            id,
            Place::at(file, line),
            (said.trim(), &section.text),
        )
    });
    made.take(MAX_READ).collect()
}

/// What pytest says of one failure.
#[derive(Default)]
struct Section {
    text: String,
    places: Vec<(String, u32)>,
    said: Option<String>,
}

impl Section {
    fn read(lines: &[&str], heading: usize) -> Self {
        let text = block(lines, heading + 1, |line| {
            is_heading(line) || line.starts_with("===")
        });
        let said = text.lines().find_map(|line| line.strip_prefix("E  "));
        Self {
            places: places(&text),
            said: said.map(str::to_owned),
            text,
        }
    }
}

/// Returns the heading of a section: the test without its file.
fn heading(file: &str, test: &str) -> String {
    match test {
        "" => format!("ERROR collecting {file}"),
        test => test.replace("::", "."),
    }
}

fn is_heading(line: &str) -> bool {
    line.starts_with("___") && line.ends_with("___")
}

/// Returns the place of each section by its heading; of two with one heading, the first.
fn sections<'a>(lines: &[&'a str]) -> HashMap<&'a str, usize> {
    let mut places = HashMap::new();
    for (at, line) in lines.iter().enumerate().filter(|(_, line)| is_heading(line)) {
        let name = line.trim_matches('_').trim();
        let of_test = ["ERROR at setup of ", "ERROR at teardown of "];
        let test = of_test.iter().find_map(|begin| name.strip_prefix(begin));
        places.entry(test.unwrap_or(name)).or_insert(at);
    }
    places
}

/// Reads the failures and errors of unittest.
pub fn unittest(lines: &[&str]) -> Vec<Failure> {
    let mut out = Vec::new();
    for pair in lines.windows(3).enumerate() {
        let (at, [rule, line, under]) = pair else {
            continue;
        };
        let name = line
            .strip_prefix("FAIL: ")
            .or_else(|| line.strip_prefix("ERROR: "));
        let (Some(name), true, true) = (name, rule.starts_with("====="), under.starts_with("-----")) else {
            continue;
        };
        let text = block(lines, at + 3, |line| {
            line.starts_with("=====") || line.starts_with("-----")
        });
        let place = text.lines().filter_map(file_line).next_back();
        let place = place.map_or_else(Place::default, |(file, number)| Place::at(file, number));
        let message = text
            .lines()
            .rfind(|line| !line.trim().is_empty())
            .unwrap_or_default();
        out.push(Failure::test(Tool::Unittest, name, place, (message, &text)));
        if out.len() >= MAX_READ {
            break;
        }
    }
    out
}

/// Splits `File "test_unit.py", line 6, in test_sum`, if the file is one of the repository.
fn file_line(line: &str) -> Option<(&str, Option<u32>)> {
    let (file, rest) = line.trim().strip_prefix("File \"")?.split_once("\", line ")?;
    let number = rest.split(',').next().and_then(|number| number.parse().ok());
    (!file.starts_with('/')).then_some((file, number))
}
