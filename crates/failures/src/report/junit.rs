//! JUnit XML, as nextest, pytest, vitest, jest, `node --test`, Maven and others write it.

use crate::bounds::{MAX_LINE, MAX_READ, refuse_xml, start_of};
use crate::failure::{Failure, Place, Tool};
use junit_parser::{TestCase, TestStatus, TestSuite};
use std::borrow::Cow;

/// Reads the failed tests.
pub fn read(text: &str) -> Result<Vec<Failure>, String> {
    let text = in_one_suite(text);
    refuse_xml(&text)?;
    let read = junit_parser::from_reader(text.as_bytes()).map_err(|error| {
        let error = error.to_string();
        format!("it is not a JUnit report: {}", start_of(&error, MAX_LINE))
    })?;
    let mut out = Vec::new();
    for suite in &read.suites {
        of_suite(suite, &mut out);
    }
    Ok(out)
}

/// Returns a report whose tests are all in a suite: some tools write tests beside suites, which the parser leaves out.
fn in_one_suite(text: &str) -> Cow<'_, str> {
    let root = text
        .find("<testsuites")
        .and_then(|at| Some(at + text[at..].find('>')? + 1));
    match (root, text.rfind("</testsuites")) {
        (Some(start), Some(end)) if start <= end => {
            let (before, inside, after) = (&text[..start], &text[start..end], &text[end..]);
            Cow::Owned(format!(
                "{before}<testsuite name=\"\">{inside}</testsuite>{after}"
            ))
        }
        _ => Cow::Borrowed(text),
    }
}

fn of_suite(suite: &TestSuite, out: &mut Vec<Failure>) {
    let room = MAX_READ.saturating_sub(out.len());
    let failed = suite.cases.iter().filter_map(|case| one(suite, case));
    out.extend(failed.take(room));
    for inner in &suite.suites {
        of_suite(inner, out);
    }
}

fn one(suite: &TestSuite, case: &TestCase) -> Option<Failure> {
    let (message, text) = match &case.status {
        TestStatus::Failure(failure) => (&failure.message, &failure.text),
        TestStatus::Error(error) => (&error.message, &error.text),
        TestStatus::Success | TestStatus::Skipped(_) => return None,
    };
    let group = case.classname.as_deref().filter(|name| !name.is_empty());
    let group = group.or(case.group.as_deref()).unwrap_or(&suite.name);
    // The name of a suite is repeated for each of its tests.
    let (named, group) = (start_of(&suite.name, MAX_LINE), start_of(group, MAX_LINE));
    let path = [named, group, case.original_name.as_str()];
    let mut path: Vec<&str> = path.into_iter().filter(|part| !part.is_empty()).collect();
    path.dedup();
    let (file, line) = place(suite, case, text).unwrap_or_default();
    let mut at = Place::at(&file, line);
    at.package = Some(group.to_owned());
    let message = if message.trim().is_empty() { text } else { message };
    Some(Failure::test(Tool::Junit, &path.join(" > "), at, (message, text)))
}

/// Returns the place of a test: what the report says, else the last place in the repository that its text names.
fn place(suite: &TestSuite, case: &TestCase, text: &str) -> Option<(String, Option<u32>)> {
    let line = case.line.and_then(|line| u32::try_from(line).ok());
    if let Some(file) = case.file.as_ref().or(suite.file.as_ref()) {
        return Some((start_of(file, MAX_LINE).to_owned(), line));
    }
    let found = crate::words::places(text);
    found.last().map(|(file, line)| (file.clone(), Some(*line)))
}
