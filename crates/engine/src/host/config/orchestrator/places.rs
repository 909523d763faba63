//! Where the file of Agent Orchestrator is, and how it names folders.

use std::path::{Path, PathBuf};

/// The names of the file in a project's folder.
pub const FILES: [&str; 2] = ["agent-orchestrator.yaml", "agent-orchestrator.yml"];

/// Where the file is in a home directory.
const IN_HOME: [&str; 4] = [
    ".agent-orchestrator/config.yaml",
    ".agent-orchestrator.yaml",
    ".agent-orchestrator.yml",
    ".config/agent-orchestrator/config.yaml",
];

/// Returns the file of the folder `here`, of one above it, or of the person.
#[must_use]
pub fn find(here: &Path) -> Option<PathBuf> {
    let around = here
        .ancestors()
        .flat_map(|folder| FILES.map(|name| folder.join(name)));
    let home = home();
    let in_home = home.iter().flat_map(|home| IN_HOME.map(|name| home.join(name)));
    around.chain(in_home).find(|file| file.is_file())
}

/// Returns whether a file is one of the person's own, in their home directory.
pub(super) fn is_in_home(file: &Path) -> bool {
    let home = home();
    home.is_some_and(|home| IN_HOME.iter().any(|name| home.join(name) == file))
}

/// Returns a path with the home directory in place of `~`.
pub(super) fn expand(path: &str) -> PathBuf {
    match path.strip_prefix('~') {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => {
            home().map_or_else(|| path.into(), |home| home.join(rest.trim_start_matches('/')))
        }
        _ => path.into(),
    }
}

fn home() -> Option<PathBuf> {
    directories::BaseDirs::new().map(|dirs| dirs.home_dir().to_owned())
}
