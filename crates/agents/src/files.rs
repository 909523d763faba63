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

/// What an agent has of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Record {
    /// It is there; or nobody knows where the agent keeps it, which then says itself what it does not
    /// find.
    Kept,
    /// There is none.
    Gone,
    /// One of the agent's databases tells: the one that has it gives a row for `query`, with the
    /// conversation's id as its only value.
    InDatabase {
        /// The databases that are there.
        files: Vec<PathBuf>,
        /// What to ask.
        query: &'static str,
    },
}
