//! Finds out whether an agent still has a conversation, and copies one. Looks at file names only; the engine
//! queries an agent's database, read-only.

use crate::adapters::adapter;
use crate::error::Error;
use crate::files::{AgentFiles, Record};
use crate::manifest::Manifest;
use crate::program::find::Program;
use std::path::Path;

/// Looks up whether `agent` still has a conversation.
#[must_use]
pub fn conversation_record(agent: &Manifest, files: &AgentFiles, conversation: &str) -> Record {
    adapter(agent.adapter).conversation(files, conversation)
}

/// Copies a conversation for a fork in `workspace` before the start if the agent's own fork is not suitable;
/// the copy is then resumed. Returns `None` if the start itself makes the copy. Blocks for some seconds.
pub fn copy_conversation(
    agent: &Manifest,
    program: &Program,
    conversation: &str,
    workspace: &Path,
    env: &[(String, String)],
) -> Result<Option<String>, Error> {
    adapter(agent.adapter).copy_conversation(program, conversation, workspace, env)
}
