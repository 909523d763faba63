//! What an agent has behind it. Resume goes on where something was begun, and begins where nothing was.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How far the agent of a session came, in this run and in those before.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RunProgress {
    /// The agent showed itself.
    pub was_shown: bool,
    /// A turn started; `None` where nobody looked for one.
    pub had_turn: Option<bool>,
    /// Something was said in the conversation that the session has now; `None` where nobody noted.
    pub said: Option<bool>,
    /// The files that set-up commands made or changed before the agent was there, as `git` recorded them.
    pub made: Option<Value>,
    /// The set-up commands of this run, as programs with their arguments; `None` before it began.
    pub commands: Option<Vec<Vec<String>>>,
    /// The set-up command that failed, by its place.
    pub failed: Option<usize>,
    /// How many engines took up what the one before had not finished of its worktree.
    #[serde(skip_serializing_if = "is_zero")]
    pub taken_up: u8,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
fn is_zero(number: &u8) -> bool {
    *number == 0
}

impl RunProgress {
    /// What a new run is told of the ones before, with its own `commands`. `was_up` and `had_turn` are those of the
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

    /// Whether it is known that nothing was said yet in the conversation that the session has now.
    #[must_use]
    pub fn is_unspoken(&self) -> bool {
        self.said == Some(false)
    }
}
