//! The results of one read of a transcript.

use super::usage::Used;
use downbeat_model::TextKind;
use jiff::Timestamp;

/// A searchable text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    /// Whose words it is.
    pub kind: TextKind,
    /// The time of the text.
    pub at: Option<Timestamp>,
    /// The text.
    pub text: String,
}

/// An answer of an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The id of its message, which identifies the pieces of one message; empty for none.
    pub message: String,
    /// The text.
    pub text: String,
    /// The time of the answer.
    pub at: Option<Timestamp>,
}

/// The results of one read of a transcript.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pages {
    /// The position that the read reached, as JSON.
    pub place: String,
    /// The token usage.
    pub used: Vec<Used>,
    /// The searchable texts.
    pub texts: Vec<Text>,
    /// The last answer among the read entries, if there is one.
    pub answer: Option<Answer>,
}
