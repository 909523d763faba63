//! How often a worker and its conductor have gone back and forth since the worker's code last changed. Not the rules by
//! which this is counted, nor when the person is told: the engine decides these.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// The exchanges of a worker with its conductor since its code last changed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Exchanges {
    /// The number of messages and answers of the conductor that the worker took.
    pub count: u32,
    /// The state of the code (see `Changed::code`) to which the count belongs; `None` before it was looked at.
    pub code: Option<String>,
    /// When the person was told that they lead nowhere; `None` if that is not so.
    pub raised_at: Option<Timestamp>,
}

impl Exchanges {
    /// Returns whether nothing was counted.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Returns the exchanges in words: `8 messages exchanged with its conductor without a change to its code`.
    #[must_use]
    pub fn describe(&self) -> String {
        format!(
            "{} messages exchanged with its conductor without a change to its code",
            self.count
        )
    }

    /// Returns the same code with nothing counted.
    #[must_use]
    pub fn restarted(&self) -> Self {
        Self {
            code: self.code.clone(),
            ..Self::default()
        }
    }
}
