//! Errors of the Rust compiler and clippy as they are printed.

use crate::bounds::MAX_READ;
use crate::failure::{Failure, Place, Tool};
use crate::words::{block, split_place};
use std::collections::HashSet;

/// Reads the errors that name a place.
pub fn read(lines: &[&str]) -> Vec<Failure> {
    let mut out: Vec<Failure> = Vec::new();
    let mut seen = HashSet::new();
    for (at, line) in lines.iter().enumerate() {
        let Some((rule, message)) = error(line) else {
            continue;
        };
        let arrow = lines.get(at + 1..).unwrap_or_default().iter().take(3);
        let place = arrow
            .filter_map(|line| line.trim_start().strip_prefix("--> "))
            .next();
        let Some((file, number)) = place.and_then(split_place) else {
            continue;
        };
        let made = |text: &str| {
            let place = Place::at(file, Some(number));
            Failure::rule(Tool::Cargo, rule, place, (message, text))
        };
        // The same file is compiled for its crate and for its tests.
        if seen.insert((made("").id, number)) {
            out.push(made(&block(lines, at, str::is_empty)));
        }
        if out.len() >= MAX_READ {
            break;
        }
    }
    out
}

/// Splits `error[E0308]: mismatched types`.
fn error(line: &str) -> Option<(&str, &str)> {
    let rest = line.strip_prefix("error")?;
    if let Some(message) = rest.strip_prefix(": ") {
        return Some(("", message));
    }
    rest.strip_prefix('[')?.split_once("]: ")
}
