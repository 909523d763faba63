//! Thins out old events: at the start of an engine and every hour, in small steps with a pause before each.

use crate::reactors::reactor::{Context, Due, Next, Reactor, period};
use crate::state::context::Engine;
use crate::state::known::State;
use async_trait::async_trait;
use downbeat_model::Subject;
use downbeat_wire::ApiError;
use jiff::Timestamp;
use std::sync::Arc;
use std::time::Duration;

/// The pause before each step; leaves the database free for much longer than it is in use.
const PAUSE: Duration = Duration::from_millis(100);

/// The time between two rounds.
const ROUND: Duration = Duration::from_secs(3600);

/// Thins out old events.
pub struct ThinOutEvents;

#[async_trait]
impl Reactor for ThinOutEvents {
    fn name(&self) -> &'static str {
        "thin_out_events"
    }

    fn look(&self, _: &Context, _: &State, now: Timestamp) -> Next {
        let (number, again) = period(ROUND, now);
        Next {
            due: vec![Due::once(Subject::Engine, number)],
            again: Some(again),
        }
    }

    async fn act(&self, engine: &Arc<Engine>, _: &Subject) -> Result<(), ApiError> {
        let closing = engine.closing.clone();
        loop {
            tokio::select! {
                () = closing.cancelled() => return Ok(()),
                () = tokio::time::sleep(PAUSE) => {}
            }
            if !engine.ledger.thin_out().await? {
                return Ok(());
            }
        }
    }
}
