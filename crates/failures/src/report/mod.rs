//! The formats of report files, and of output that is such a report.

mod cargo;
mod eslint;
mod go;
mod jest;
mod junit;
mod ruff;
mod sarif;

use crate::failure::Failure;
use serde_json::Value;

/// Reads a report, by its content.
pub fn read(text: &str) -> Result<Vec<Failure>, String> {
    if text.is_empty() {
        return Err("it is empty".to_owned());
    }
    if text.starts_with('<') {
        return junit::read(text);
    }
    of_json(text).ok_or_else(|| "its format is not known".to_owned())
}

/// Reads the report in an output, which other lines may surround; `None` if there is none.
pub fn in_output(text: &str) -> Option<Vec<Failure>> {
    if let Some(at) = text.find("<?xml").or_else(|| text.find("<testsuite")) {
        let end = text.rfind('>').map_or(text.len(), |end| end + 1);
        if let Some(xml) = text.get(at..end)
            && let Ok(found) = junit::read(xml)
        {
            return Some(found).filter(|found| !found.is_empty());
        }
    }
    of_json(text).filter(|found| !found.is_empty())
}

/// Reads JSON: one document, or one in each line.
fn of_json(text: &str) -> Option<Vec<Failure>> {
    if let Some(found) = cargo::read(text).or_else(|| go::read(text)) {
        return Some(found);
    }
    let mut reader = Documents {
        text,
        starts: std::iter::once(0)
            .chain(text.match_indices('\n').map(|(at, _)| at + 1))
            .collect(),
        read: 0,
    };
    (0..reader.starts.len()).find_map(|line| of_document(&reader.at(line)?))
}

/// How often a text is read again, as a whole, for documents that do not end.
const MOST_READS: usize = 4;

/// The documents in the lines of a text.
struct Documents<'a> {
    text: &'a str,
    /// Where each line starts.
    starts: Vec<usize>,
    /// How many bytes were read until now.
    read: usize,
}

impl Documents<'_> {
    /// Returns the document that begins with a line. Nothing once too much was read: one that does not end can begin in each line.
    fn at(&mut self, line: usize) -> Option<Value> {
        let from = *self.starts.get(line)?;
        let rest = self.text.get(from..)?;
        if !rest.starts_with(['{', '[']) || self.read > self.text.len().saturating_mul(MOST_READS) {
            return None;
        }
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
        let value = values.next()?;
        self.read += match &value {
            Ok(_) => values.byte_offset(),
            // Its line counts from the first one that was read.
            Err(error) => {
                let end = self.starts.get(line + error.line()).copied();
                end.unwrap_or(self.text.len()) - from
            }
        };
        value.ok()
    }
}

fn of_document(value: &Value) -> Option<Vec<Failure>> {
    let first = value.as_array().and_then(|all| all.first());
    match first {
        _ if value.get("runs").is_some() => sarif::read(value),
        _ if value.get("testResults").is_some() => jest::read(value),
        Some(first) if first.get("filePath").is_some() => eslint::read(value),
        Some(first) if first.get("location").is_some() && first.get("filename").is_some() => {
            ruff::read(value)
        }
        None if value.as_array().is_some_and(Vec::is_empty) => Some(Vec::new()),
        _ => None,
    }
}
