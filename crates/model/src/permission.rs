//! Permission modes: how freely an agent may act without asking.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// What an agent may do without asking, from strictest to freest. The order is the rule that a
/// child never exceeds its parent.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema, TS,
)]
#[serde(rename_all = "camelCase")]
pub enum PermissionMode {
    /// Reads and plans; changes nothing.
    Plan,
    /// Asks before each change and command.
    #[default]
    Ask,
    /// Edits files in its workspace; asks for commands.
    AcceptEdits,
    /// Never asks. Chosen by a person for one session, never a default.
    Bypass,
}

impl PermissionMode {
    /// Its word in configuration and requests.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Plan => "plan",
            Self::Ask => "ask",
            Self::AcceptEdits => "acceptEdits",
            Self::Bypass => "bypass",
        }
    }

    /// The freest mode that a child of `self` may have when it asks for `wanted`.
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
}
