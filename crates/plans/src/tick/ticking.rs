//! What ticks tasks in a text, and why some are not ticked.

use std::ops::Range;

/// Why a task is not ticked in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    /// It is not there.
    Gone,
    /// Its id is there, with another title.
    Edited,
    /// It is there, and has no status.
    NoStatus,
}

impl Missing {
    /// Returns the reason in words.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Gone => "not in the file any more; it was edited meanwhile",
            Self::Edited => "it was edited meanwhile",
            Self::NoStatus => "it has no status there",
        }
    }
}

/// A change of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The bytes that change.
    pub at: Range<usize>,
    /// What stands there then. In a box, it has the same length.
    pub text: &'static str,
}

/// What ticks tasks in a text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Ticking {
    /// The changes, in the order of the text. There are none if all is ticked that can be.
    pub edits: Vec<Edit>,
    /// The places of lines that cannot be ticked, and why.
    pub missing: Vec<(usize, Missing)>,
}

impl Ticking {
    /// Returns the text with the changes.
    #[must_use]
    pub fn applied_to(&self, text: &str) -> String {
        let (mut written, mut from) = (String::with_capacity(text.len()), 0);
        for edit in &self.edits {
            written.push_str(text.get(from..edit.at.start).unwrap_or_default());
            written.push_str(edit.text);
            from = edit.at.end;
        }
        written.push_str(text.get(from..).unwrap_or_default());
        written
    }
}
