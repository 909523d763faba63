//! Clears away an extra shell that ended: its files, then its row.

use crate::host::blocking;
use crate::host::failpoint::point;
use crate::state::context::Engine;
use crate::state::{error, find};
use downbeat_model::{EventKind, SessionId};
use downbeat_store::SessionRow;
use downbeat_wire::ApiError;
use serde_json::json;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Removes a folder that an agent may have written to, off the async threads. A missing folder is not an
/// error.
pub(crate) async fn clear_folder(folder: PathBuf) -> Result<(), ApiError> {
    let gone = blocking::blocking(move || downbeat_git::remove_tree(&folder)).await?;
    gone.map_err(error::git)
}

/// The number of attempts to remove a keeper's folder while the keeper still cleans up.
const TRIES: u32 = 20;

/// The pause between two attempts.
const PAUSE: Duration = Duration::from_millis(50);

/// Clears away an extra shell that ended: its files, then its row. Does nothing for any other session.
pub async fn clear(engine: &Engine, id: &SessionId) {
    let over = |row: &Arc<SessionRow>| row.side_shell_of.is_some() && row.status.is_ended();
    let Some(row) = engine.ledger.session(id).filter(over) else {
        return;
    };
    // A client that opens it right now still learns how it ended.
    engine.runtimes.of(id).set_last(row);
    let dir = engine.paths.keeper(id);
    let mut tries = 0;
    while let Err(error) = clear_folder(dir.clone()).await {
        tries += 1;
        if tries == TRIES {
            tracing::warn!("{error}");
            break;
        }
        tokio::time::sleep(PAUSE).await;
    }
    let _ = tokio::fs::remove_file(engine.paths.transcript(id)).await;
    point("shell-cleared");
    let dropped = engine.ledger.write(|draft| {
        if draft.state().shells.contains_key(id) {
            let beside = find::around(draft.state(), id);
            draft.session_event(id, EventKind::SessionRemoved, json!({ "beside": beside }));
            draft.drop_session(id);
        }
        Ok(())
    });
    if let Err(error) = dropped.await {
        // The next engine tries again.
        tracing::warn!(session = %id, "a shell that ended stays written down: {error}");
    }
    engine.runtimes.forget(id);
}
