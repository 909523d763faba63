//! Starts sessions that a cap held back, oldest first, as soon as there is room.

use crate::engine::Engine;
use crate::ledger::State;
use crate::plan::{self, Family};
use crate::spawn::{self, Setup};
use crate::transition;
use downbeat_model::Status;
use downbeat_store::SessionRow;
use downbeat_wire::ApiError;
use std::sync::Arc;

/// Starts what may start now.
pub async fn start_next(engine: &Engine, state: &State) {
    let mut queued: Vec<&Arc<SessionRow>> = state
        .sessions
        .values()
        .filter(|row| row.status == Status::Queued && row.intent.is_none())
        .collect();
    queued.sort_by_key(|row| row.created_at);
    for row in queued {
        match start_if_room(engine, row).await {
            Ok(true) => spawn::start(engine, &row.id, Setup::Run),
            Ok(false) => {}
            Err(error) => tracing::warn!(session = %row.id, "a queued session was not started: {error}"),
        }
    }
}

async fn start_if_room(engine: &Engine, row: &SessionRow) -> Result<bool, ApiError> {
    let project = engine.project(&row.project_id)?;
    engine
        .ledger
        .write(|draft| {
            let parent = row
                .parent
                .as_ref()
                .and_then(|id| draft.state().sessions.get(id).cloned());
            let family = Family {
                project,
                parent,
                depth: row.depth,
            };
            let now = draft.session(&row.id)?;
            // Someone may have wished its end or its removal meanwhile.
            if now.status != Status::Queued
                || now.intent.is_some()
                || !matches!(plan::admit(engine, draft.state(), &family), Ok(None))
            {
                return Ok(false);
            }
            let evidence = transition::by_engine("there is room now", draft.now());
            transition::set(draft, &row.id, Status::Spawning, evidence)?;
            Ok(true)
        })
        .await
}
