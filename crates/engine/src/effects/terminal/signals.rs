//! What the delivery of messages waits for: an agent at rest, a connected keeper, output that settled.

use crate::decide::mailbox;
use crate::state::context::Engine;
use downbeat_model::{MessageState, SessionId};
use downbeat_store::EventRow;
use jiff::Timestamp;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{broadcast, watch};

/// What wakes the task of one session.
pub struct Signals {
    pub(crate) session: SessionId,
    pub(crate) changes: broadcast::Receiver<Arc<EventRow>>,
    pub(crate) settled: watch::Receiver<Option<Timestamp>>,
}

impl Signals {
    /// Listens from now on.
    pub fn of(engine: &Engine, session: &SessionId) -> Self {
        let mut settled = engine.runtimes.of(session).settled();
        settled.mark_unchanged();
        Self {
            session: session.clone(),
            changes: engine.ledger.changes(),
            settled,
        }
    }

    /// Waits for the next one, at most this long where a time is given.
    pub async fn next(&mut self, within: Option<Duration>) {
        let until = within.map(|within| tokio::time::Instant::now() + within);
        loop {
            tokio::select! {
                event = self.changes.recv() => match event {
                    Ok(event) if event.session_id.as_ref() != Some(&self.session) => continue,
                    Ok(_) | Err(RecvError::Lagged(_)) => return,
                    Err(RecvError::Closed) => std::future::pending().await,
                },
                settled = self.settled.changed() => match settled {
                    Ok(()) => return,
                    Err(_) => std::future::pending().await,
                },
                () = sleep(until) => return,
            }
        }
    }
}

async fn sleep(until: Option<tokio::time::Instant>) {
    match until {
        Some(until) => tokio::time::sleep_until(until).await,
        None => std::future::pending().await,
    }
}

/// Whether it is not known yet what became of a message.
pub fn is_typing(engine: &Engine, id: &SessionId, message: i64) -> bool {
    let state = engine.ledger.state();
    mailbox::open(&state, id).any(|row| row.id == message && row.state == MessageState::Typing)
}
