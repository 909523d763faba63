//! What one read of a transcript gave.

use super::usage::Used;
use jiff::Timestamp;

/// A text that can be found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    /// `said`, `answered`, `called` or `screen`.
    pub kind: &'static str,
    /// When.
    pub at: Option<Timestamp>,
    /// The text.
    pub text: String,
}

/// An answer of an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The id of its message, by which pieces of one are told; empty for none.
    pub message: String,
    /// The text.
    pub text: String,
    /// When it was given.
    pub at: Option<Timestamp>,
}

/// What one read of a transcript gave.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pages {
    /// How far it went, as JSON.
    pub place: String,
    /// What was used.
    pub used: Vec<Used>,
    /// What can be found.
    pub texts: Vec<Text>,
    /// The last answer in it, where there is one.
    pub answer: Option<Answer>,
}
