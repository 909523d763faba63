//! Takes up what a session used, once its transcripts were read.

use crate::state::context::Engine;
use crate::state::usage::ByModel;
use crate::state::{error, usage};
use downbeat_model::{EventKind, SessionId};
use downbeat_store::chronicle::Period;
use downbeat_wire::ApiError;
use std::sync::Arc;

/// Takes up what a read of a session's transcripts gave, and tells where it is news.
pub async fn changed(engine: &Arc<Engine>, id: &SessionId) -> Result<(), ApiError> {
    let sums = engine.transcripts.chronicle.sums(Some(id), Period::default());
    let mut used = ByModel::new();
    for sum in sums.await.map_err(error::store)? {
        usage::add(&mut used, &sum.model, &sum.tokens);
    }
    // It may have been taken off the list meanwhile.
    engine.row(id)?;
    if !engine.used.set(id, used) {
        return Ok(());
    }
    let written = engine.ledger.write(|draft| {
        draft.session(id)?;
        draft.session_event(id, EventKind::SessionChanged, serde_json::Value::Null);
        Ok(())
    });
    // Before the write: who looks after it finds the project.
    engine.used.note_change(engine.row(id)?.project_id.clone());
    written.await
}
