//! The formats that tools print for people. One output may hold several: `npm test` runs what it likes.

mod cargo;
mod cargo_test;
mod javascript;
mod lint;
mod node;
mod python;

use crate::bounds::MAX_READ;
use crate::failure::Failure;

/// Reads the failures of one format in the lines of an output.
type Reader = fn(&[&str]) -> Vec<Failure>;

/// Reads the failures in an output, and stops at too many.
pub fn read(text: &str) -> Vec<Failure> {
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    let readers: [Reader; 10] = [
        cargo::read,
        cargo_test::read,
        python::pytest,
        python::unittest,
        javascript::vitest,
        javascript::jest,
        node::read,
        lint::eslint,
        lint::ruff,
        lint::tsc,
    ];
    let all = readers.iter().flat_map(|reader| reader(&lines));
    all.take(MAX_READ).collect()
}
