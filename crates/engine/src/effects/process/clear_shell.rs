//! Clears an extra shell away that ended: its files, then its row.

use crate::host::blocking;
use crate::host::failpoint::point;
use crate::state::context::Engine;
use crate::state::error;
use downbeat_model::{EventKind, SessionId};
use downbeat_store::SessionRow;
use downbeat_wire::ApiError;
use serde_json::Value;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Removes a folder that an agent may have written to, off the async threads. Nothing there is no fault.
pub(crate) async fn clear_folder(folder: PathBuf) -> Result<(), ApiError> {
    let gone = blocking::blocking(move || downbeat_git::remove_tree(&folder)).await?;
    gone.map_err(error::git)
}

/// Tries to remove the folder of a keeper that still puts its things away.
const TRIES: u32 = 20;

/// Between two of them.
const PAUSE: Duration = Duration::from_millis(50);

/// Clears a shell away that ended: its files, then its row. Does nothing for anything else.
pub async fn clear(engine: &Engine, id: &SessionId) {
    let over = |row: &Arc<SessionRow>| row.beside.is_some() && row.status.is_ended();
    let Some(row) = engine.ledger.session(id).filter(over) else {
        return;
    };
    // Who opens it right now is told how it ended.
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
            draft.session_event(id, EventKind::SessionRemoved, Value::Null);
            draft.drop_session(id);
        }
        Ok(())
    });
    if let Err(error) = dropped.await {
        // The next engine does.
        tracing::warn!(session = %id, "a shell that ended stays written down: {error}");
    }
    engine.runtimes.forget(id);
}
