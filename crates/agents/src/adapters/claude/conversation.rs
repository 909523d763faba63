//! Finds the conversations that Claude Code keeps.

use crate::files::{AgentFiles, Record};
use std::path::PathBuf;

/// Returns the folder of Claude Code's conversations.
fn conversations(files: &AgentFiles) -> PathBuf {
    let chosen = files.claude.clone();
    chosen
        .unwrap_or_else(|| files.home.join(".claude"))
        .join("projects")
}

/// Looks for the conversation's file: Claude Code writes none before the first prompt, and deletes old ones.
pub(super) fn find(files: &AgentFiles, conversation: &str) -> Record {
    if exists(files, conversation) {
        Record::Kept
    } else {
        Record::Gone
    }
}

fn exists(files: &AgentFiles, conversation: &str) -> bool {
    // The ids are UUIDs; anything else is not joined to a path.
    if uuid::Uuid::parse_str(conversation).is_err() {
        return false;
    }
    let Ok(projects) = std::fs::read_dir(conversations(files)) else {
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
        for (claude, place) in [(None, ".claude"), (Some(home.path().join("cc")), "cc")] {
            let files = AgentFiles {
                home: home.path().to_owned(),
                claude,
                ..AgentFiles::default()
            };
            let project = home.path().join(place).join("projects/-tmp-x");
            assert!(!exists(&files, id));
            std::fs::create_dir_all(&project).unwrap();
            std::fs::write(project.join(format!("{id}.jsonl")), "").unwrap();
            assert!(exists(&files, id));
            assert!(!exists(&files, "../-tmp-x/a"));
        }
    }
}
