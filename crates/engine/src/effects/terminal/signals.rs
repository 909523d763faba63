//! The signals that the delivery of messages waits for: a change of the session, or output that settled.

use crate::decide::mailbox;
use crate::state::context::Engine;
use downbeat_model::{MessageState, SessionId};
use downbeat_store::EventRow;
use jiff::Timestamp;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{broadcast, watch};

/// The signals that wake the delivery task of one session.
pub struct Signals {
    pub(crate) session: SessionId,
    pub(crate) changes: broadcast::Receiver<Arc<EventRow>>,
    pub(crate) settled: watch::Receiver<Option<Timestamp>>,
}

impl Signals {
    /// Subscribes to all signals from now on.
    pub fn of(engine: &Engine, session: &SessionId) -> Self {
        let mut settled = engine.runtimes.of(session).settled();
        settled.mark_unchanged();
        Self {
            session: session.clone(),
            changes: engine.ledger.changes(),
            settled,
        }
    }

    /// Waits for the next signal, for at most `within` if that is given.
    pub async fn next(&mut self, within: Option<Duration>) {
        let until = within.map(|within| tokio::time::Instant::now() + within);
        loop {
            tokio::select! {
                event = self.changes.recv() => match event {
                    Ok(event) if event.subject.session() != Some(&self.session) => continue,
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

/// Whether a message is still being typed: its outcome is not known yet.
pub fn is_typing(engine: &Engine, id: &SessionId, message: i64) -> bool {
    let state = engine.ledger.state();
    mailbox::open(&state, id).any(|row| row.id == message && row.state == MessageState::Typing)
}
