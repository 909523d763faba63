//! The folders in which agents keep their own files, and whether a conversation is among them. The contents
//! of the files are known to each agent's adapter.

use std::path::PathBuf;

/// The places that a person may have chosen, as set in the environment of sessions.
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

/// The trace of a conversation among an agent's files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Record {
    /// The conversation is there, or its place is unknown. In the second case the agent itself reports that
    /// it cannot find it.
    Kept,
    /// The conversation is gone.
    Gone,
    /// The agent keeps conversations in databases. The database that has the conversation returns a row for
    /// `query`, whose only parameter is the conversation's id.
    InDatabase {
        /// The databases that exist.
        files: Vec<PathBuf>,
        /// The query.
        query: &'static str,
    },
}
