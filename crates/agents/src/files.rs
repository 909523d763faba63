//! Where agents keep their own files, and what is there of a conversation. Not their contents: each
//! agent's adapter knows those.

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

/// The trace of a conversation among an agent's files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Record {
    /// The conversation is there, or nobody knows where the agent keeps it. In the second case the agent
    /// says itself if it does not find it.
    Kept,
    /// The conversation is gone.
    Gone,
    /// The agent keeps conversations in databases. The one that has it returns a row for `query`, whose
    /// only parameter is the conversation's id.
    InDatabase {
        /// The databases that are there.
        files: Vec<PathBuf>,
        /// The query.
        query: &'static str,
    },
}
