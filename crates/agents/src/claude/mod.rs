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
use std::path::PathBuf;

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

/// Where Claude Code keeps its own files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaudeFiles {
    /// The person's home directory.
    pub home: PathBuf,
    /// What `CLAUDE_CONFIG_DIR` says in the environment that sessions have; wins over `home`.
    pub chosen: Option<PathBuf>,
}

impl ClaudeFiles {
    /// Its settings of the whole machine, with the folders that it trusts.
    pub(crate) fn settings(&self) -> PathBuf {
        self.chosen.as_ref().unwrap_or(&self.home).join(".claude.json")
    }

    /// Its conversations.
    fn conversations(&self) -> PathBuf {
        let directory = self.chosen.clone();
        directory
            .unwrap_or_else(|| self.home.join(".claude"))
            .join("projects")
    }
}

/// Whether the agent `id` still has the conversation, so that a resume can find it: Claude Code
/// writes none before the first prompt, and forgets old ones.
#[must_use]
pub fn conversation_exists(id: &str, files: &ClaudeFiles, conversation: &str) -> bool {
    // Its ids are UUIDs; anything else is not joined to a path.
    if id != CLAUDE || uuid::Uuid::parse_str(conversation).is_err() {
        return false;
    }
    let Ok(projects) = std::fs::read_dir(files.conversations()) else {
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
        let id = "11111111-1111-4111-8111-111111111111";
        for (chosen, place) in [(None, ".claude"), (Some(home.path().join("cc")), "cc")] {
            let files = ClaudeFiles {
                home: home.path().to_owned(),
                chosen,
            };
            let project = home.path().join(place).join("projects/-tmp-x");
            assert!(!conversation_exists(CLAUDE, &files, id));
            std::fs::create_dir_all(&project).unwrap();
            std::fs::write(project.join(format!("{id}.jsonl")), "").unwrap();
            assert!(conversation_exists(CLAUDE, &files, id));
            assert!(!conversation_exists(CLAUDE, &files, "../-tmp-x/a"));
        }
    }
}
