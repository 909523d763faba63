//! Holds off idle sleep while agents work.

use crate::host::power;
use crate::reactors::reactor::{Context, Due, Next, Reactor};
use crate::session::row;
use crate::state::context::Engine;
use crate::state::known::State;
use async_trait::async_trait;
use downbeat_model::Subject;
use downbeat_wire::ApiError;
use jiff::Timestamp;
use std::sync::Arc;

/// Prevents idle sleep while agents work.
pub struct KeepAwake;

#[async_trait]
impl Reactor for KeepAwake {
    fn name(&self) -> &'static str {
        "keep_awake"
    }

    fn look(&self, context: &Context, state: &State, _: Timestamp) -> Next {
        let wanted = wanted(state, context.config.power.prevent_idle_sleep);
        Next {
            due: vec![Due::once(Subject::Engine, wanted)],
            again: None,
        }
    }

    async fn act(&self, engine: &Arc<Engine>, _: &Subject) -> Result<(), ApiError> {
        let setting = engine.config().power.prevent_idle_sleep;
        engine.power.set(wanted(&engine.ledger.state(), setting));
        Ok(())
    }
}

fn wanted(state: &State, setting: bool) -> bool {
    let working = state.sessions.values().any(|row| row::keeps_awake(row));
    power::wanted(u32::from(working), setting)
}
