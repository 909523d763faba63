//! Finds the conversations that Codex keeps.

use crate::files::{AgentFiles, Record};
use std::path::Path;

/// Levels of folders below `sessions`: year, month, day.
const LEVELS: usize = 3;

/// Looks for the conversation's file: Codex writes none before the first prompt. The file is
/// `sessions/<year>/<month>/<day>/rollout-<time>-<id>.jsonl`.
pub(super) fn find(files: &AgentFiles, conversation: &str) -> Record {
    if exists(files, conversation) {
        Record::Kept
    } else {
        Record::Gone
    }
}

fn exists(files: &AgentFiles, conversation: &str) -> bool {
    if uuid::Uuid::parse_str(conversation).is_err() {
        return false;
    }
    let chosen = files.codex.clone();
    let directory = chosen.unwrap_or_else(|| files.home.join(".codex"));
    holds(
        &directory.join("sessions"),
        LEVELS,
        &format!("-{conversation}.jsonl"),
    )
}

fn holds(directory: &Path, levels: usize, ending: &str) -> bool {
    let Ok(entries) = std::fs::read_dir(directory) else {
        return false;
    };
    entries.flatten().any(|entry| match levels {
        0 => entry.file_name().to_string_lossy().ends_with(ending),
        _ => holds(&entry.path(), levels - 1, ending),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_conversation_exists_once_it_is_written() {
        let home = tempfile::tempdir().unwrap();
        let day = home.path().join(".codex/sessions/2026/11/21");
        let id = "01a1fcb4-74d5-7c11-a8ea-207cafc25ac1";
        let files = AgentFiles {
            home: home.path().to_owned(),
            ..AgentFiles::default()
        };
        assert!(!exists(&files, id));
        std::fs::create_dir_all(&day).unwrap();
        std::fs::write(day.join(format!("rollout-2026-11-21T06-04-07-{id}.jsonl")), "").unwrap();
        assert!(exists(&files, id));
        assert!(!exists(&files, "../../x"));
    }
}
