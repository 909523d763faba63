//! A note on a kept plan for the person, and what it is about. That decides when the note is replaced or taken out; its text is only
//! shown.

use serde::{Deserialize, Serialize};

/// What a note is about.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum About {
    /// The plan as it was made. Such a note stays.
    #[default]
    Plan,
    /// An agent that is not installed, while the plan is not run.
    Absent,
    /// What happened on the way. Only the newest of these notes are kept.
    Event,
    /// Lines of the plan's file that could not be ticked.
    Ticking {
        /// The id of the first of them. It is due as long as any of them is.
        line: String,
    },
    /// A result file that does not count.
    ResultFile {
        /// Its name.
        file: String,
    },
    /// The folder of the result files, which cannot be read.
    ResultFolder,
}

/// A note.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Stored")]
pub struct Note {
    /// What the person reads.
    pub text: String,
    /// What it is about.
    pub about: About,
}

/// A note as it is stored. Notes that were stored before are texts alone.
#[derive(Deserialize)]
#[serde(untagged)]
enum Stored {
    Text(String),
    Note { text: String, about: About },
}

impl From<Stored> for Note {
    fn from(stored: Stored) -> Self {
        match stored {
            Stored::Text(text) => Self {
                text,
                about: About::Plan,
            },
            Stored::Note { text, about } => Self { text, about },
        }
    }
}
