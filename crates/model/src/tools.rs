//! Tools: tells whether an agent loaded the tools that Downbeat gave it. Not what the tools do.

use crate::fact::FactKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// The state of the tools that an agent was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum ToolsState {
    /// The agent has not asked for its tools yet.
    Awaited,
    /// The agent listed its tools: its requests offer them from now on.
    Listed,
    /// The agent did not list its tools in time, and was sent its prompt without them.
    Missing,
}

impl ToolsState {
    /// The state that `fact` tells; `None` where the fact is not about tools.
    #[must_use]
    pub(crate) fn from_fact(fact: &FactKind) -> Option<Self> {
        match fact {
            FactKind::ToolsListed => Some(Self::Listed),
            FactKind::ToolsMissing => Some(Self::Missing),
            _ => None,
        }
    }

    /// The state once `told` is heard: tools that were listed are missing no more.
    #[must_use]
    pub(crate) fn updated_by(self, told: Self) -> Self {
        match (self, told) {
            (Self::Listed, Self::Missing) => Self::Listed,
            (_, told) => told,
        }
    }

    /// The sentence that people read about an agent that is up without its tools.
    #[must_use]
    pub fn lacks(self) -> Option<&'static str> {
        match self {
            Self::Awaited => Some("its agent has not loaded Downbeat's tools yet"),
            Self::Missing => Some("its agent works without Downbeat's tools: it did not load them"),
            Self::Listed => None,
        }
    }
}
