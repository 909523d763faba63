//! What follows from any change: idle sleep is held off while agents work, and sessions that a cap held back
//! start, oldest first, as soon as there is room.

use crate::engine::{self, Engine};
use crate::hold::Hold;
use crate::ledger::State;
use crate::plan::{self, Family};
use crate::spawn::{self, Setup};
use crate::{power, transition};
use downbeat_model::{EvidenceSource, Status};
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
    let working = state.sessions.values().filter(|row| keeps_awake(row)).count();
    let working = u32::try_from(working).unwrap_or(u32::MAX);
    let setting = engine.config().power.prevent_idle_sleep;
    engine.power.set(power::wanted(working, setting));
}

/// Whether a session holds the machine awake: an agent that works. That a program runs in a shell says
/// nothing of work: an editor or a dev server does all day.
fn keeps_awake(row: &SessionRow) -> bool {
    let by_process = row.status_evidence.source == EvidenceSource::Process;
    engine::works(row) && !by_process
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

/// What is to become of a queued session.
enum Next {
    Starts,
    Waits,
    /// It waits, and has to say for what.
    Says(String),
}

/// What is to become of a queued session, as things stand in `state`.
fn next(engine: &Engine, state: &State, row: &SessionRow) -> Result<Next, ApiError> {
    // Someone may have wished its end or its removal meanwhile.
    let Some(now) = state.sessions.get(&row.id) else {
        return Ok(Next::Waits);
    };
    if now.status != Status::Queued || now.intent.is_some() {
        return Ok(Next::Waits);
    }
    if let Some(killed) = killed_above(state, row) {
        let why = format!("held back: {killed} was killed; it starts once that is resumed");
        return Ok(match now.status_evidence.detail == why {
            true => Next::Waits,
            false => Next::Says(why),
        });
    }
    let family = Family {
        project: engine.project(&row.project_id)?,
        parent: row.parent.as_ref().and_then(|id| state.sessions.get(id).cloned()),
        depth: row.depth,
    };
    let has_room = Hold::of(now).pause.is_none() && matches!(plan::admit(engine, state, &family), Ok(None));
    Ok(if has_room { Next::Starts } else { Next::Waits })
}

/// Starts a queued session where there is room. Nothing is written where there is none: a write is a
/// change, after which all that wait are looked at again.
async fn start_if_room(engine: &Engine, row: &SessionRow) -> Result<bool, ApiError> {
    if matches!(next(engine, &engine.ledger.state(), row)?, Next::Waits) {
        return Ok(false);
    }
    let written = engine.ledger.write(|draft| {
        let (status, why, starts) = match next(engine, draft.state(), row)? {
            Next::Waits => return Ok(false),
            Next::Says(why) => (Status::Queued, why, false),
            Next::Starts => (Status::Spawning, "there is room now".to_owned(), true),
        };
        let evidence = transition::by_engine(why, draft.now());
        transition::set(draft, &row.id, status, evidence)?;
        Ok(starts)
    });
    written.await
}
