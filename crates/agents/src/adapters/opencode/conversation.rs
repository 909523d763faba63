//! Finds the conversations that OpenCode keeps.

use crate::files::{AgentFiles, Record};
use std::path::PathBuf;

/// Selects a row for each conversation.
const CONVERSATION: &str = "SELECT 1 FROM session WHERE id = ?";

/// Returns the databases that may contain a conversation: OpenCode keeps all of them in one database,
/// `opencode.db`; builds of other channels than the usual ones have one of their own next to it.
pub(super) fn find(files: &AgentFiles) -> Record {
    Record::InDatabase {
        files: databases(files),
        query: CONVERSATION,
    }
}

fn databases(files: &AgentFiles) -> Vec<PathBuf> {
    let data = files.data.clone();
    let data = data
        .unwrap_or_else(|| files.home.join(".local/share"))
        .join("opencode");
    if let Some(chosen) = &files.opencode_database {
        let chosen = data.join(chosen);
        return chosen.is_file().then_some(chosen).into_iter().collect();
    }
    let entries = std::fs::read_dir(&data).into_iter().flatten().flatten();
    let named = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name == "opencode.db" || (name.starts_with("opencode-") && name.ends_with(".db"))
    };
    entries.map(|entry| entry.path()).filter(named).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_existing_databases_are_listed() {
        let home = tempfile::tempdir().unwrap();
        let data = home.path().join("data/opencode");
        let files = AgentFiles {
            home: home.path().to_owned(),
            data: Some(home.path().join("data")),
            ..AgentFiles::default()
        };
        assert_eq!(databases(&files), Vec::<PathBuf>::new());
        std::fs::create_dir_all(&data).unwrap();
        for name in ["opencode.db", "opencode.db-wal", "opencode-local.db", "other.db"] {
            std::fs::write(data.join(name), "").unwrap();
        }
        let mut found = databases(&files);
        found.sort();
        assert_eq!(found, [data.join("opencode-local.db"), data.join("opencode.db")]);
        for (chosen, is) in [("other.db", true), (":memory:", false)] {
            let files = AgentFiles {
                opencode_database: Some(chosen.into()),
                ..files.clone()
            };
            assert_eq!(databases(&files) == [data.join(chosen)], is, "{chosen}");
        }
    }
}
