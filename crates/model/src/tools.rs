//! Tools: the record of whether an agent loaded the tools that Downbeat gave it. Not what the tools do.

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
    /// Returns the state that `fact` reports; `None` if the fact is not about tools.
    #[must_use]
    pub(crate) fn from_fact(fact: &FactKind) -> Option<Self> {
        match fact {
            FactKind::ToolsListed => Some(Self::Listed),
            FactKind::ToolsMissing => Some(Self::Missing),
            _ => None,
        }
    }

    /// Returns the state after `told` was reported: tools that were listed are not missing any more.
    #[must_use]
    pub(crate) fn updated_by(self, told: Self) -> Self {
        match (self, told) {
            (Self::Listed, Self::Missing) => Self::Listed,
            (_, told) => told,
        }
    }

    /// Returns the sentence that people read about an agent that runs without its tools.
    #[must_use]
    pub fn lacks(self) -> Option<&'static str> {
        match self {
            Self::Awaited => Some("its agent has not loaded Downbeat's tools yet"),
            Self::Missing => Some("its agent works without Downbeat's tools: it did not load them"),
            Self::Listed => None,
        }
    }
}
