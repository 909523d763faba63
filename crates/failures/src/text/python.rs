//! pytest and unittest as they print.

use crate::failure::{Failure, Place, Tool};
use crate::words::{block, places};

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
    let made = rows.map(|row| {
        let (id, message) = row.split_once(" - ").unwrap_or((row, ""));
        let (file, test) = id.split_once("::").unwrap_or((id, ""));
        let text = section(lines, &heading(file, test));
        let line = places(&text)
            .into_iter()
            .filter(|(other, _)| other == file)
            .map(|(_, line)| line)
            .next_back();
        let said = text
            .lines()
            .find_map(|line| line.strip_prefix("E  "))
            .unwrap_or(message);
        Failure::test(Tool::Pytest, id, Place::at(file, line), (said.trim(), &text))
    });
    made.collect()
}

/// Returns the heading of a section: the test without its file.
fn heading(file: &str, test: &str) -> String {
    match test {
        "" => format!(" ERROR collecting {file} "),
        test => format!(" {} ", test.replace("::", ".")),
    }
}

fn section(lines: &[&str], heading: &str) -> String {
    let is_heading = |line: &str| line.starts_with("___") && line.ends_with("___");
    match lines
        .iter()
        .position(|line| is_heading(line) && line.contains(heading))
    {
        Some(at) => block(lines, at + 1, |line| is_heading(line) || line.starts_with("===")),
        None => String::new(),
    }
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
    }
    out
}

/// Splits `File "test_unit.py", line 6, in test_sum`, if the file is one of the repository.
fn file_line(line: &str) -> Option<(&str, Option<u32>)> {
    let (file, rest) = line.trim().strip_prefix("File \"")?.split_once("\", line ")?;
    let number = rest.split(',').next().and_then(|number| number.parse().ok());
    (!file.starts_with('/')).then_some((file, number))
}
