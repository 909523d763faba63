//! The progress of an agent. Resume continues what was begun, and begins what was not.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The progress of a session's agent, in this run and in earlier ones.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RunProgress {
    /// Whether the agent showed itself.
    pub was_shown: bool,
    /// Whether a turn started; `None` if that was not recorded.
    pub had_turn: Option<bool>,
    /// Whether anything was said in the present conversation; `None` if that was not recorded.
    pub said: Option<bool>,
    /// The files that set-up commands made or changed before the agent started, as `git` recorded them.
    pub made: Option<Value>,
    /// The set-up commands of this run, as programs with their arguments; `None` before the run began.
    pub commands: Option<Vec<Vec<String>>>,
    /// The index of the set-up command that failed.
    pub failed: Option<usize>,
    /// The number of engines that took up an unfinished step of the worktree.
    #[serde(skip_serializing_if = "is_zero")]
    pub taken_up: u8,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
fn is_zero(number: &u8) -> bool {
    *number == 0
}

impl RunProgress {
    /// Returns the progress for a new run with its own `commands`. `was_up` and `had_turn` are those of the
    /// session.
    #[must_use]
    pub fn carried(&self, was_up: bool, had_turn: bool, commands: Option<Vec<Vec<String>>>) -> Self {
        Self {
            was_shown: was_up,
            had_turn: Some(had_turn),
            said: self.said,
            made: self.made.clone(),
            commands,
            failed: None,
            taken_up: 0,
        }
    }

    /// Returns whether it is known that nothing was said yet in the present conversation.
    #[must_use]
    pub fn is_unspoken(&self) -> bool {
        self.said == Some(false)
    }
}
