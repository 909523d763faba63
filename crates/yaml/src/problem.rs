//! The problems of a configuration file: the place, the mistake, and the word that was probably meant.

use schemars::JsonSchema;
use serde::Serialize;
use std::fmt;
use std::path::PathBuf;

/// The maximum number of mistakes that are reported; a person with more of them begins with these.
pub const MOST_PROBLEMS: usize = 20;

/// A mistake in a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Problem {
    /// The file.
    pub file: PathBuf,
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1.
    pub column: usize,
    /// The value that was found, and the valid ones.
    pub message: String,
    /// The valid word that is nearest to what was found.
    pub nearest: Option<String>,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (file, line, column) = (self.file.display(), self.line, self.column);
        write!(f, "{file}:{line}:{column}: {}", self.message)?;
        match &self.nearest {
            Some(nearest) => write!(f, "; did you mean `{nearest}`?"),
            None => Ok(()),
        }
    }
}

/// The reason why a configuration cannot be used or changed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The contents of the file are invalid.
    #[error("{}", lines(.0))]
    Wrong(Vec<Problem>),
    /// The file cannot be read or written.
    #[error("{path} cannot be {doing}: {source}", path = path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// `read` or `written`.
        doing: &'static str,
        /// The system's error.
        source: std::io::Error,
    },
    /// A key could not be changed without changing the text that the person wrote around it.
    #[error("`{key}` cannot be changed in {path} as it is written there; edit the file by hand", path = path.display())]
    Edit {
        /// The file.
        path: PathBuf,
        /// The key.
        key: String,
    },
}

fn lines(problems: &[Problem]) -> String {
    problems
        .iter()
        .map(Problem::to_string)
        .collect::<Vec<_>>()
        .join("\n")
}
