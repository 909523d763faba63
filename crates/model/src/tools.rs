//! Whether an agent that was given Downbeat's tools has them. Not what the tools do.

use crate::fact::FactKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// How far an agent is with the tools that it was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum ToolsState {
    /// It has not asked for them yet.
    Awaited,
    /// It listed them: its requests offer them from now on.
    Listed,
    /// It did not list them in time, and was sent its prompt without them.
    Missing,
}

impl ToolsState {
    /// How far it is after `fact`; `None` where that says nothing of tools.
    #[must_use]
    pub fn told(fact: &FactKind) -> Option<Self> {
        match fact {
            FactKind::ToolsListed => Some(Self::Listed),
            FactKind::ToolsMissing => Some(Self::Missing),
            _ => None,
        }
    }

    /// How far it is once `told` is heard: what was listed is missing no more.
    #[must_use]
    pub fn after(self, told: Self) -> Self {
        match (self, told) {
            (Self::Listed, Self::Missing) => Self::Listed,
            (_, told) => told,
        }
    }

    /// What people read of an agent that is up without its tools.
    #[must_use]
    pub fn lacks(self) -> Option<&'static str> {
        match self {
            Self::Awaited => Some("its agent has not loaded Downbeat's tools yet"),
            Self::Missing => Some("its agent works without Downbeat's tools: it did not load them"),
            Self::Listed => None,
        }
    }
}
