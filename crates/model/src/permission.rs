//! Permission modes: how freely an agent may act without asking.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// The actions that an agent may take without asking, from strictest to freest. The order is the rule that
/// a child never exceeds its parent.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema, TS,
)]
#[serde(rename_all = "camelCase")]
pub enum PermissionMode {
    /// The agent reads and plans; it changes nothing.
    Plan,
    /// The agent asks before each change and command.
    #[default]
    Ask,
    /// The agent edits files in its workspace, and asks before each command.
    AcceptEdits,
    /// The agent never asks. A person chooses this for one session; it is never a default.
    Bypass,
}

impl PermissionMode {
    /// Returns the mode as a word in configuration and requests.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Plan => "plan",
            Self::Ask => "ask",
            Self::AcceptEdits => "acceptEdits",
            Self::Bypass => "bypass",
        }
    }

    /// Returns the freest mode that a child of `self` may have when it asks for `wanted`.
    #[must_use]
    pub fn cap(self, wanted: Self) -> Self {
        wanted.min(self)
    }
}

#[cfg(test)]
mod tests {
    use super::PermissionMode::{AcceptEdits, Ask, Bypass, Plan};

    #[test]
    fn a_child_never_exceeds_its_parent() {
        assert_eq!(Ask.cap(Bypass), Ask);
        assert_eq!(Bypass.cap(AcceptEdits), AcceptEdits);
        assert_eq!(Plan.cap(Ask), Plan);
    }

    #[test]
    fn a_mode_is_the_same_word_everywhere() {
        for (mode, word) in [
            (Plan, "plan"),
            (Ask, "ask"),
            (AcceptEdits, "acceptEdits"),
            (Bypass, "bypass"),
        ] {
            assert_eq!(mode.as_str(), word);
            assert_eq!(serde_json::to_value(mode).unwrap(), word);
        }
    }
}
