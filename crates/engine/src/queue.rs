//! Starts sessions that a cap held back, oldest first, as soon as there is room.

use crate::engine::Engine;
use crate::hold::Hold;
use crate::ledger::{Draft, State};
use crate::plan::{self, Family};
use crate::spawn::{self, Setup};
use crate::transition;
use downbeat_model::{SessionId, Status};
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

/// The nearest session above that was killed: nobody asks for the work of its workers any more.
pub fn killed_above(state: &State, row: &SessionRow) -> Option<String> {
    let parent = |row: &SessionRow| row.parent.as_ref().and_then(|id| state.sessions.get(id));
    let mut above = parent(row);
    while let Some(row) = above {
        if row.status == Status::Killed {
            return Some(row.name.clone());
        }
        above = parent(row);
    }
    None
}

/// Says, once, what a session waits for that is not started.
fn held(draft: &mut Draft, id: &SessionId, killed: &str) -> Result<bool, ApiError> {
    let why = format!("held back: {killed} was killed; it starts once that is resumed");
    if draft.session(id)?.status_evidence.detail != why {
        let evidence = transition::by_engine(why, draft.now());
        transition::set(draft, id, Status::Queued, evidence)?;
    }
    Ok(false)
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
            let killed = killed_above(draft.state(), row);
            let now = draft.session(&row.id)?;
            if let Some(killed) = killed.filter(|_| now.status == Status::Queued) {
                return held(draft, &row.id, &killed);
            }
            // Someone may have wished its end or its removal meanwhile.
            if now.status != Status::Queued
                || now.intent.is_some()
                || Hold::of(now).pause.is_some()
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
