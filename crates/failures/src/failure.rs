//! One failure: which tool reports it, where it is, and the id by which it is known again in the next run.

use crate::bounds::{MAX_LINE, MAX_TEXT, line_of, start_of};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// The tool that reported a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tool {
    /// A test in a JUnit report.
    Junit,
    /// A result in a SARIF report.
    Sarif,
    /// The Rust compiler or clippy.
    Cargo,
    /// `cargo test`.
    CargoTest,
    /// pytest.
    Pytest,
    /// Python's unittest.
    Unittest,
    /// `go test`.
    Go,
    /// vitest.
    Vitest,
    /// jest.
    Jest,
    /// `node --test`.
    Node,
    /// ESLint.
    Eslint,
    /// ruff.
    Ruff,
    /// The TypeScript compiler.
    Tsc,
    /// A command of which no more is known than that it failed.
    Command,
}

impl Tool {
    /// Returns the word for the tool.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Junit => "junit",
            Self::Sarif => "sarif",
            Self::Cargo => "cargo",
            Self::CargoTest => "cargo-test",
            Self::Pytest => "pytest",
            Self::Unittest => "unittest",
            Self::Go => "go",
            Self::Vitest => "vitest",
            Self::Jest => "jest",
            Self::Node => "node",
            Self::Eslint => "eslint",
            Self::Ruff => "ruff",
            Self::Tsc => "tsc",
            Self::Command => "command",
        }
    }
}

/// A failure that a check reported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Failure {
    /// The tool.
    pub tool: Tool,
    /// The id: the same in every run in which the same thing fails, wherever in its file it is then.
    pub id: String,
    /// The test, or the rule.
    pub title: String,
    /// What is wrong, in a line.
    pub message: String,
    /// The file, as the tool names it; relative to the repository if it is inside.
    pub file: Option<String>,
    /// The line there.
    pub line: Option<u32>,
    /// The package, crate or suite.
    pub package: Option<String>,
    /// The text that an agent needs.
    pub excerpt: String,
}

/// The place of a failure.
#[derive(Debug, Clone, Default)]
pub struct Place {
    pub file: Option<String>,
    pub line: Option<u32>,
    pub package: Option<String>,
}

impl Place {
    /// A line of a file, or the whole file. Its path is shown with `/` and without a leading `./`.
    pub fn at(file: &str, line: Option<u32>) -> Self {
        let file = Some(start_of(file.trim(), MAX_LINE).replace('\\', "/")).filter(|file| !file.is_empty());
        let file = file.map(|file| file.trim_start_matches("./").to_owned());
        let package = None;
        Self { file, line, package }
    }
}

impl Failure {
    /// Returns the failure of a test. Its id is made of the tool and the path of the test.
    pub fn test(tool: Tool, path: &str, place: Place, (message, excerpt): (&str, &str)) -> Self {
        let title = line_of(path);
        Self::new(tool, path, (&title, message), place, excerpt)
    }

    /// Returns what a rule or a compiler complains about. Its id is made of the rule, the file and the message without
    /// its numbers.
    pub fn rule(tool: Tool, rule: &str, place: Place, (message, excerpt): (&str, &str)) -> Self {
        let file = place.file.as_deref().unwrap_or_default();
        let path = format!("{rule}:{file}:{}", normal(message));
        let title = line_of(if rule.is_empty() { message } else { rule });
        Self::new(tool, &path, (&title, message), place, excerpt)
    }

    fn new(tool: Tool, path: &str, (title, message): (&str, &str), place: Place, excerpt: &str) -> Self {
        let excerpt = match excerpt.trim_end() {
            "" => message,
            text => text,
        };
        Self {
            tool,
            id: id(tool, path),
            title: title.to_owned(),
            message: line_of(message),
            file: place.file,
            line: place.line,
            package: place.package.map(|package| line_of(&package)),
            excerpt: start_of(excerpt, MAX_TEXT).trim_end().to_owned(),
        }
    }
}

/// Returns an id, which is readable as long as it is short.
fn id(tool: Tool, path: &str) -> String {
    let path = path.split_whitespace().collect::<Vec<_>>().join(" ");
    let word = tool.word();
    if path.len() <= MAX_LINE {
        return format!("{word}:{path}");
    }
    let digest = Sha256::digest(path.as_bytes());
    let hash: String = digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    format!("{word}:{}…{hash}", start_of(&path, MAX_LINE - 32))
}

/// Returns a message without what changes from run to run: numbers, and the width of blanks.
fn normal(message: &str) -> String {
    let mut out = String::new();
    for c in line_of(message).chars() {
        match c {
            c if c.is_ascii_digit() && out.ends_with('#') => {}
            c if c.is_ascii_digit() => out.push('#'),
            c => out.push(c),
        }
    }
    out
}
