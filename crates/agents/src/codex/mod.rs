//! Codex: how it is launched, what its hooks mean, where it keeps its conversations.
//!
//! As tried with Codex 0.169. Everything is given per launch, as `-c key=value`: hooks, their
//! trust, tools, the folder's trust and the briefing. Nothing of the person's settings is written.

mod command;
mod hooks;
mod post;
#[cfg(test)]
mod recorded;

pub(crate) use command::launch;
pub(crate) use hooks::vouch;
pub(crate) use post::facts;

use crate::files::AgentFiles;
use std::path::Path;

/// The id of Codex.
const CODEX: &str = "codex";

/// Levels of folders below `sessions`: year, month, day.
const LEVELS: usize = 3;

/// Whether the conversation is still there: Codex writes none before the first prompt. Its file is
/// `sessions/<year>/<month>/<day>/rollout-<time>-<id>.jsonl`.
pub(crate) fn conversation_exists(files: &AgentFiles, conversation: &str) -> bool {
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
        assert!(!conversation_exists(&files, id));
        std::fs::create_dir_all(&day).unwrap();
        std::fs::write(day.join(format!("rollout-2026-11-21T06-04-07-{id}.jsonl")), "").unwrap();
        assert!(conversation_exists(&files, id));
        assert!(!conversation_exists(&files, "../../x"));
    }
}
