//! Reads everything that one check printed and wrote. Which format something has is decided by its content, never by
//! its name.

use crate::bounds::{MAX_FAILURES, MAX_READ, end_of};
use crate::failure::{Failure, Place, Tool};
use crate::{report, text};
use std::collections::BTreeMap;

/// The largest report that is read, in bytes; a larger one is named and left out, because half of it would be malformed.
pub const MAX_REPORT: usize = 1 << 20;

/// The end of an output that becomes the excerpt of a command without failures that are known, in bytes.
const TAIL: usize = 16 << 10;

/// What a failed check printed and wrote.
#[derive(Debug, Clone, Copy)]
pub struct Printed<'a> {
    /// The name of the check.
    pub check: &'a str,
    /// How it ended, in words: `exit code 1`.
    pub ended: &'a str,
    /// The folder that it ran in, which is left out of paths.
    pub root: &'a str,
    /// The output as text.
    pub output: &'a str,
    /// The report files.
    pub reports: &'a [Report],
}

/// A report file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// The name, for notes.
    pub name: String,
    /// The content, or why it could not be read.
    pub content: Result<Vec<u8>, String>,
}

/// What was read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reading {
    /// The failures; never none.
    pub failures: Vec<Failure>,
    /// What could not be read, and what was left out.
    pub notes: Vec<String>,
}

/// Reads the failures of a check that failed. If its reports name any, its output, which says the same in other words,
/// is only read for what no report covers: if nothing can be read, the command itself is the failure.
#[must_use]
pub fn read(printed: &Printed<'_>) -> Reading {
    let mut out = Reading::default();
    for report in printed.reports {
        match of_report(report, printed.root) {
            Ok(failures) => out.failures.extend(failures.into_iter().take(MAX_READ)),
            Err(why) => out.notes.push(format!("{} was not read: {why}", report.name)),
        }
    }
    if out.failures.is_empty() {
        let output = clean(printed.output, printed.root);
        out.failures = report::in_output(&output).unwrap_or_else(|| text::read(&output));
    }
    if out.failures.is_empty() {
        out.failures.push(of_command(printed));
    }
    if out.failures.len() > MAX_FAILURES {
        let what = format!("{} has more than {MAX_FAILURES} failures", printed.check);
        out.notes.push(format!("{what}; those after these are left out"));
        out.failures.truncate(MAX_FAILURES);
    }
    number(&mut out.failures);
    out
}

fn of_report(report: &Report, root: &str) -> Result<Vec<Failure>, String> {
    let bytes = report.content.as_ref().map_err(Clone::clone)?;
    if bytes.len() > MAX_REPORT {
        return Err(format!(
            "it is {} bytes long; the maximum is {MAX_REPORT}",
            bytes.len()
        ));
    }
    if bytes.starts_with(&[0x1f, 0x8b]) || bytes.starts_with(b"PK\x03\x04") {
        return Err("it is compressed".to_owned());
    }
    let text = clean(&String::from_utf8_lossy(bytes), root);
    report::read(text.trim_start_matches('\u{feff}').trim())
}

/// Returns a text without terminal sequences and without the folder that the check ran in.
fn clean(text: &str, root: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("\u{1b}[") {
        out.push_str(&rest[..at]);
        let after = &rest[at + 2..];
        let end = after
            .find(|c: char| ('@'..='~').contains(&c))
            .map_or(after.len(), |end| end + 1);
        rest = &after[end..];
    }
    out.push_str(rest);
    let out = out.replace("\r\n", "\n");
    match root.trim_end_matches(['/', '\\']) {
        "" => out,
        root => {
            let out = out.replace(&format!("file://{root}/"), "");
            out.replace(&format!("{root}/"), "")
                .replace(&format!("{root}\\"), "")
        }
    }
}

fn of_command(printed: &Printed<'_>) -> Failure {
    let output = clean(printed.output, printed.root);
    let tail = end_of(output.trim_end(), TAIL);
    Failure::test(
        Tool::Command,
        printed.check,
        Place::default(),
        (printed.ended, tail),
    )
}

/// Distinguishes failures that say the same of the same file, by their order.
fn number(failures: &mut [Failure]) {
    let mut seen: BTreeMap<String, u32> = BTreeMap::new();
    for failure in failures {
        let count = seen.entry(failure.id.clone()).or_default();
        *count += 1;
        if *count > 1 {
            failure.id = format!("{} ({count})", failure.id);
        }
    }
}
