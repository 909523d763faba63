//! Reports what an ended session still has: its conversation and its directory. Read-only; sessions are
//! resumed in [`crate::effects::session::resume`].

use crate::state::context::Engine;
use downbeat_agents::Record;
use downbeat_model::Workspace;
use downbeat_store::{SessionRow, foreign};
use downbeat_wire::ApiError;
use downbeat_wire::restore::{ConversationState, PlaceState};
use std::path::{Path, PathBuf};

/// Determines whether the agent still has the conversation.
pub async fn conversation(engine: &Engine, row: &SessionRow) -> Result<ConversationState, ApiError> {
    let definition = engine.agent(&row.agent)?;
    let gone = match (&row.conversation, engine.agent_files()) {
        (Some(conversation), Some(files)) if definition.has_hooks() => {
            match downbeat_agents::conversation_record(&definition, &files, conversation) {
                Record::Kept => false,
                Record::Gone => true,
                Record::InDatabase { files, query } => in_none(&files, query, conversation).await,
            }
        }
        _ => false,
    };
    Ok(match gone {
        false => ConversationState::Kept,
        true if !row.was_up() || row.run.is_unspoken() => ConversationState::Empty,
        true => ConversationState::Gone,
    })
}

/// Whether all databases report that they lack the conversation. With no database, or one that cannot be
/// read, the conversation is not known to be gone, and the agent itself reports what it does not find.
async fn in_none(files: &[PathBuf], query: &'static str, conversation: &str) -> bool {
    for file in files {
        if foreign::has_row(file, query, conversation).await != Some(false) {
            return false;
        }
    }
    !files.is_empty()
}

/// Reports the state of the session's directory.
pub fn place(row: &SessionRow) -> PlaceState {
    let Some(path) = row.workspace_path.as_deref().map(Path::new) else {
        return PlaceState::Removed;
    };
    if path.is_dir() || (row.workspace == Workspace::Worktree && !row.was_up()) {
        return PlaceState::There;
    }
    match path.parent().is_some_and(Path::is_dir) {
        true if row.workspace == Workspace::Worktree => PlaceState::Deleted,
        _ => PlaceState::Unreachable,
    }
}
