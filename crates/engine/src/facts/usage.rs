//! Updates the usage of a session after its transcripts were read.

use crate::state::context::Engine;
use crate::state::usage::ByModel;
use crate::state::{error, usage};
use downbeat_model::{EventKind, SessionId};
use downbeat_store::chronicle::Period;
use downbeat_wire::ApiError;
use std::sync::Arc;

/// Updates a session's usage from the chronicle, and writes an event if it changed.
pub async fn changed(engine: &Arc<Engine>, id: &SessionId) -> Result<(), ApiError> {
    let sums = engine.transcripts.chronicle.sums(Some(id), Period::default());
    let mut used = ByModel::new();
    for sum in sums.await.map_err(error::store)? {
        usage::add(&mut used, &sum.model, &sum.tokens);
    }
    // The session may have been removed meanwhile.
    engine.row(id)?;
    if !engine.used.set(id, used) {
        return Ok(());
    }
    let written = engine.ledger.write(|draft| {
        draft.session(id)?;
        draft.session_event(id, EventKind::SessionChanged, serde_json::Value::Null);
        Ok(())
    });
    // Before the write, so that whoever looks after it finds the project.
    engine.used.note_change(engine.row(id)?.project_id.clone());
    written.await
}
