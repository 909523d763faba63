//! Tells what an ended session still has: its conversation, its directory. Looks only; going on is
//! [`crate::resume`].

use crate::begun;
use crate::engine::Engine;
use downbeat_agents::Record;
use downbeat_model::Workspace;
use downbeat_store::{SessionRow, foreign};
use downbeat_wire::ApiError;
use downbeat_wire::restore::{ConversationState, PlaceState, RestoreState};
use std::path::{Path, PathBuf};

/// What a session still has.
pub async fn state(engine: &Engine, row: &SessionRow) -> Result<RestoreState, ApiError> {
    let conversation = conversation(engine, row).await?;
    let place = place(row);
    let detail = match (conversation, place, &row.workspace_path) {
        (_, PlaceState::Deleted, Some(path)) => Some(format!("Its folder was deleted by hand: {path}")),
        (_, PlaceState::Unreachable, Some(path)) => {
            Some(format!("Its folder cannot be reached; is its disk away? {path}"))
        }
        (ConversationState::Gone, ..) => {
            let name = engine.agent(&row.agent)?.name.clone();
            Some(format!("{name} has no record of its conversation any more"))
        }
        _ => None,
    };
    Ok(RestoreState {
        id: row.id.clone(),
        conversation,
        place,
        detail,
    })
}

/// Whether the agent still has the conversation.
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
        true if !begun::was_up(row) || begun::is_unspoken(row) => ConversationState::Empty,
        true => ConversationState::Gone,
    })
}

/// Whether all of the databases say that they do not have it. Where there is none, or one cannot be
/// read, it is not known to be gone: the agent itself then says what it does not find.
async fn in_none(files: &[PathBuf], query: &'static str, conversation: &str) -> bool {
    for file in files {
        if foreign::has_row(file, query, conversation).await != Some(false) {
            return false;
        }
    }
    !files.is_empty()
}

/// How it stands with the directory.
pub fn place(row: &SessionRow) -> PlaceState {
    let Some(path) = row.workspace_path.as_deref().map(Path::new) else {
        return PlaceState::Removed;
    };
    if path.is_dir() || (row.workspace == Workspace::Worktree && !begun::was_up(row)) {
        return PlaceState::There;
    }
    match path.parent().is_some_and(Path::is_dir) {
        true if row.workspace == Workspace::Worktree => PlaceState::Deleted,
        _ => PlaceState::Unreachable,
    }
}
