//! Claude Code: how it is launched, what its hooks mean, where it keeps its conversations.

mod command;
mod post;
mod question;
#[cfg(test)]
mod recorded;
mod text;

pub(crate) use command::launch;
pub(crate) use post::facts;
pub(crate) use question::plain;
pub(crate) use text::typed;

use crate::definition::Definition;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

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

/// The directory that the person chose for Claude Code's files, if they chose one.
pub(crate) fn chosen_directory() -> Option<OsString> {
    std::env::var_os("CLAUDE_CONFIG_DIR").filter(|dir| !dir.is_empty())
}

/// Whether the agent `id` still has the conversation, so that a resume can find it: Claude Code
/// writes none before the first prompt, and forgets old ones. `home` is the person's home.
#[must_use]
pub fn conversation_exists(id: &str, home: &Path, conversation: &str) -> bool {
    // Its ids are UUIDs; anything else is not joined to a path.
    if id != CLAUDE || uuid::Uuid::parse_str(conversation).is_err() {
        return false;
    }
    let directory = chosen_directory().map_or_else(|| home.join(".claude"), PathBuf::from);
    let Ok(projects) = std::fs::read_dir(directory.join("projects")) else {
        return false;
    };
    let file = format!("{conversation}.jsonl");
    projects
        .flatten()
        .any(|project| project.path().join(&file).is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_conversation_exists_once_it_is_written() {
        let home = tempfile::tempdir().unwrap();
        let project = home.path().join(".claude/projects/-tmp-x");
        let id = "11111111-1111-4111-8111-111111111111";
        assert!(!conversation_exists(CLAUDE, home.path(), id));
        std::fs::create_dir_all(&project).unwrap();
        std::fs::write(project.join(format!("{id}.jsonl")), "").unwrap();
        assert!(conversation_exists(CLAUDE, home.path(), id));
        assert!(!conversation_exists(CLAUDE, home.path(), "../-tmp-x/a"));
    }
}
