//! What follows from any change: idle sleep is held off while agents work, and sessions that a cap held back start,
//! oldest first, as soon as there is room.

use crate::decide::admission::Next;
use crate::decide::{admission, status};
use crate::effects::session::start;
use crate::effects::session::start::Setup;
use crate::host::power;
use crate::session::row;
use crate::state::context::Engine;
use downbeat_model::Status;
use downbeat_store::SessionRow;
use downbeat_wire::ApiError;
use std::sync::Arc;

/// Looks after every change from now on.
pub fn start(engine: &Arc<Engine>) {
    let (weak, closing) = (Arc::downgrade(engine), engine.closing.clone());
    let mut commits = engine.ledger.commits();
    tokio::spawn(async move {
        loop {
            commits.mark_unchanged();
            let Some(engine) = weak.upgrade() else { return };
            keep_awake(&engine);
            start_next(&engine).await;
            drop(engine);
            tokio::select! {
                () = closing.cancelled() => return,
                changed = commits.changed() => if changed.is_err() { return },
            }
        }
    });
}

fn keep_awake(engine: &Engine) {
    let state = engine.ledger.state();
    let working = state
        .sessions
        .values()
        .filter(|row| row::keeps_awake(row))
        .count();
    let working = u32::try_from(working).unwrap_or(u32::MAX);
    let setting = engine.config().power.prevent_idle_sleep;
    engine.power.set(power::wanted(working, setting));
}

/// Starts what may start now.
async fn start_next(engine: &Engine) {
    let state = engine.ledger.state();
    let mut queued: Vec<&Arc<SessionRow>> = state
        .sessions
        .values()
        .filter(|row| row.status == Status::Queued && row.intent.is_none())
        .collect();
    queued.sort_by_key(|row| row.created_at);
    for row in queued {
        match start_if_room(engine, row).await {
            Ok(true) => start::start(engine, &row.id, Setup::Run),
            Ok(false) => {}
            Err(error) => tracing::warn!(session = %row.id, "a queued session was not started: {error}"),
        }
    }
}

/// Starts a queued session where there is room. Nothing is written where there is none: a write is a
/// change, after which all that wait are looked at again.
async fn start_if_room(engine: &Engine, row: &SessionRow) -> Result<bool, ApiError> {
    if matches!(admission::next(engine, &engine.ledger.state(), row)?, Next::Waits) {
        return Ok(false);
    }
    let written = engine.ledger.write(|draft| {
        let (status, why, starts) = match admission::next(engine, draft.state(), row)? {
            Next::Waits => return Ok(false),
            Next::Says(why) => (Status::Queued, why, false),
            Next::Starts => (Status::Spawning, "there is room now".to_owned(), true),
        };
        let evidence = crate::session::status::by_engine(why, draft.now());
        status::set(draft, &row.id, status, evidence)?;
        Ok(starts)
    });
    written.await
}
