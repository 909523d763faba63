//! Clears side shells that ended: first their files, then their rows.

use crate::effects::process::clear_shell;
use crate::keepers::sweep;
use crate::reactors::reactor::{Context, Next, Reactor};
use crate::state::context::Engine;
use crate::state::known::State;
use async_trait::async_trait;
use downbeat_model::Subject;
use downbeat_wire::ApiError;
use jiff::Timestamp;
use std::sync::Arc;

/// Clears side shells that ended.
pub struct ClearShells;

#[async_trait]
impl Reactor for ClearShells {
    fn name(&self) -> &'static str {
        "clear_shells"
    }

    fn look(&self, _: &Context, state: &State, _: Timestamp) -> Next {
        let ended = state.shells.values().filter(|row| row.status.is_ended());
        Next::of_sessions(ended.map(|row| row.id.clone()), None)
    }

    async fn act(&self, engine: &Arc<Engine>, subject: &Subject) -> Result<(), ApiError> {
        if let Subject::Session(id) = subject {
            // The task that follows the keeper closes it.
            engine.runtimes.of(id).unlinked().await;
            sweep::close_keeper(engine, id).await;
            clear_shell::clear(engine, id).await;
        }
        Ok(())
    }
}
