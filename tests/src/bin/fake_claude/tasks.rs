//! Scripts for tasks that read as people write them: a prompt whose first line names a file in the folder
//! `FAKE_CLAUDE_TASKS` runs the script in that file. Any other prompt is its own script.

use std::path::PathBuf;

/// Returns the script for a prompt.
pub(crate) fn script(prompt: &str) -> String {
    let folder = std::env::var_os("FAKE_CLAUDE_TASKS").map(PathBuf::from);
    let task = prompt.lines().next().unwrap_or_default();
    folder
        .and_then(|folder| std::fs::read_to_string(folder.join(task)).ok())
        .unwrap_or_else(|| prompt.to_owned())
}
