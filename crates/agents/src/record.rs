//! Whether an agent still has a conversation, so that a resume can find it. Looks at names of files; a
//! database of an agent's is asked by the engine, read-only.

use crate::files::AgentFiles;
use crate::manifest::{Adapter, Manifest};
use crate::{claude, codex, opencode};
use std::path::PathBuf;

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

/// What `agent` has of a conversation.
#[must_use]
pub fn conversation_record(agent: &Manifest, files: &AgentFiles, conversation: &str) -> Record {
    let exists = match agent.adapter {
        Adapter::Claude => claude::conversation_exists(files, conversation),
        Adapter::Codex => codex::conversation_exists(files, conversation),
        Adapter::Opencode => return opencode::record(files),
        Adapter::None => true,
    };
    if exists { Record::Kept } else { Record::Gone }
}
