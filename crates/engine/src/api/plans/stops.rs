//! The stops of a plan's workers: what each waited for, or ended with.

use crate::api::plans::shown::found;
use crate::decide::news;
use crate::state::context::Engine;
use crate::state::error;
use downbeat_model::{EventKind, SessionId, Subject};
use downbeat_wire::worker::WorkerEvent;
use downbeat_wire::{ApiError, Caller};

/// The most events of one worker that are looked at: the newest.
const OF_EACH: u32 = 200;

/// The most stops that are answered: the newest.
const MOST: usize = 2_000;

/// The events among which are all stops.
const KINDS: [EventKind; 3] = [
    EventKind::SessionStatus,
    EventKind::WorkerReported,
    EventKind::WorkerAsked,
];

/// Returns the stops of the newest session of each worker, oldest first.
///
/// # Errors
/// Fails if there is no such plan, or if its sessions cannot be read.
pub async fn stops(engine: &Engine, caller: &Caller, id: &str) -> Result<Vec<WorkerEvent>, ApiError> {
    let plan = found(engine, caller, id)?;
    let workers: Vec<SessionId> = plan.shares.iter().filter_map(|one| one.session.clone()).collect();
    let _held = engine.recall(&workers).await?;
    let mut stops = Vec::new();
    for worker in workers {
        let Some(row) = engine.ledger.session(&worker) else {
            continue;
        };
        let subject = Subject::Session(worker);
        let events = engine
            .ledger
            .store()
            .events_about(&subject, &KINDS, OF_EACH)
            .await;
        let said = events.map_err(error::store)?;
        let said = said.iter().filter_map(|event| news::translate(event, &row));
        stops.extend(said.filter(|said| said.stop.is_some()));
        if stops.len() > 2 * MOST {
            newest(&mut stops);
        }
    }
    newest(&mut stops);
    Ok(stops)
}

/// Sorts stops, and drops the oldest of too many.
fn newest(stops: &mut Vec<WorkerEvent>) {
    stops.sort_by_key(|stop| stop.timestamp);
    stops.drain(..stops.len().saturating_sub(MOST));
}
