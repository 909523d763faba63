//! Where agents keep their own files. Not their contents: each agent's module knows those.

use std::path::PathBuf;

/// The places that a person may have chosen, as the environment of sessions has them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AgentFiles {
    /// The person's home directory.
    pub home: PathBuf,
    /// `CLAUDE_CONFIG_DIR`.
    pub claude: Option<PathBuf>,
    /// `CODEX_HOME`.
    pub codex: Option<PathBuf>,
    /// `XDG_DATA_HOME`.
    pub data: Option<PathBuf>,
    /// `OPENCODE_DB`.
    pub opencode_database: Option<PathBuf>,
}
