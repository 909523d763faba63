//! Reports what can be restored of a session.

use crate::effects::session::conversation;
use crate::effects::worktree::record;
use crate::state::context::Engine;
use downbeat_store::SessionRow;
use downbeat_wire::ApiError;
use downbeat_wire::restore::{ConversationState, PlaceState, RestoreState};

/// Returns whether the session's conversation and folder still exist, with a sentence on what is missing.
pub async fn state(engine: &Engine, row: &SessionRow) -> Result<RestoreState, ApiError> {
    let conversation = conversation::conversation(engine, row).await?;
    let place = conversation::place(row);
    let detail = match (conversation, place, &row.workspace_path) {
        (_, PlaceState::Deleted, Some(path)) => Some(format!("Its folder was deleted by hand: {path}")),
        (_, PlaceState::Unreachable, Some(path)) => Some(format!(
            "Its folder is not reachable; is its drive connected? {path}"
        )),
        (ConversationState::Gone, ..) => {
            let name = engine.agent(&row.agent)?.name.clone();
            Some(format!("{name} has no record of its conversation any more"))
        }
        _ => record::kept(row),
    };
    Ok(RestoreState {
        id: row.id.clone(),
        conversation,
        place,
        detail,
    })
}
