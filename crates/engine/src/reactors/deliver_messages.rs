//! Delivers the messages of every session that can take one.

use crate::decide::mailbox;
use crate::effects::terminal::deliver;
use crate::effects::terminal::deliver::AGAIN;
use crate::reactors::reactor::{Context, Next, Reactor};
use crate::state::context::Engine;
use crate::state::known::State;
use async_trait::async_trait;
use downbeat_model::{MessageState, SessionId, Subject};
use downbeat_wire::ApiError;
use jiff::Timestamp;
use std::sync::Arc;
use std::time::Duration;

/// Delivers queued messages.
pub struct DeliverMessages;

#[async_trait]
impl Reactor for DeliverMessages {
    fn name(&self) -> &'static str {
        "deliver_messages"
    }

    fn look(&self, _: &Context, state: &State, _: Timestamp) -> Next {
        Next::of_sessions(wanting(state).cloned(), None)
    }

    async fn act(&self, engine: &Arc<Engine>, subject: &Subject) -> Result<(), ApiError> {
        match subject {
            Subject::Session(id) => deliver::deliver_all(engine, id).await,
            _ => Ok(()),
        }
    }

    fn retries_after(&self) -> Duration {
        AGAIN
    }
}

/// Returns the sessions that have something to deliver now, or a message whose outcome is unknown.
fn wanting(state: &State) -> impl Iterator<Item = &SessionId> {
    let wants = |id: &SessionId| {
        let over = state.row(id).is_none_or(|row| row.status.is_ended());
        mailbox::open(state, id).any(|row| !over || row.state == MessageState::Typing)
    };
    let sessions = state.queues.keys().filter(|id| state.row(id).is_some());
    sessions.filter(move |id| wants(id))
}
