//! Ends what an agent left running below its keeper.

use crate::session::end_mode::{EndMode, KILL_GRACE};
use crate::state::context::Engine;
use downbeat_keeper::Link;
use downbeat_model::SessionId;

/// The number of lines of the screen that are kept with a failure.
pub const LAST_LINES: u32 = 12;

/// Releases the keeper of a session that is over. The engine that recorded the end died before it could do
/// so.
pub async fn close_keeper(engine: &Engine, id: &SessionId) {
    let dir = engine.paths.keeper(id);
    // Nobody listens, which is the usual case.
    let Ok((link, _reports)) = downbeat_keeper::connect(&dir).await else {
        return;
    };
    // Also if the agent ended by itself: processes that it left may still run.
    let_go(id, &link).await;
}

/// Ends what is left below a keeper whose session is over, and releases it.
pub async fn let_go(id: &SessionId, link: &Link) {
    if let Err(error) = link.kill(KILL_GRACE).await {
        tracing::warn!(session = %id, "could not end what an ended session left running: {error}");
    }
    if let Err(error) = link.close().await {
        tracing::debug!(session = %id, "could not close the keeper of an ended session: {error}");
    }
}

/// Ends what a session without a keeper may have left.
pub async fn sweep(engine: &Engine, id: &SessionId, mode: EndMode) {
    let (dir, session) = (engine.paths.keeper(id), id.clone());
    let grace = mode.grace();
    let swept = tokio::task::spawn_blocking(move || downbeat_keeper::end_tree(&dir, &session, grace)).await;
    if let Err(error) = swept {
        tracing::warn!(session = %id, "could not look for leftover processes: {error}");
    }
}
