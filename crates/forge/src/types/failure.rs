//! Why a check failed: its failing step, its annotations and the tail of its log. All of it is text from outside, bounded,
//! with secrets masked.

use crate::text::Excerpt;
use crate::types::identity::NodeId;
use serde::{Deserialize, Serialize};

/// How much is asked of a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureDetail {
    /// Everything but the log.
    Step,
    /// The end of the log, too.
    Log,
}

/// A step of a job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// Its number, from 1.
    pub number: u32,
    /// Its name.
    pub name: String,
}

/// A remark of a check on a place in a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Annotation {
    /// The file.
    pub path: String,
    /// The line, from 1.
    pub line: u32,
    /// `failure`, `warning` or `notice`.
    pub level: String,
    /// What it says.
    pub message: Excerpt,
}

/// The end of a log: the failing step's if it is known, else up to the last error.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogTail {
    /// At most 150 lines and 64 KiB.
    pub text: String,
    /// How many lines there are.
    pub lines: usize,
    /// Whether lines before it, or parts of long lines, were left out.
    pub cut: bool,
    /// Whether all of it belongs to the failing step.
    pub of_step: bool,
}

/// Why a check failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckFailure {
    /// The check's id.
    pub check: NodeId,
    /// The check's name.
    pub name: String,
    /// The first step that failed.
    pub step: Option<Step>,
    /// The check's own title and summary.
    pub summary: Option<Excerpt>,
    /// Its annotations, at most 50, failures first.
    pub annotations: Vec<Annotation>,
    /// The tail of its log.
    pub log: Option<LogTail>,
    /// Why there is no log, in a sentence; `None` if none was asked for.
    pub no_log: Option<String>,
}
