//! Takes back the disk space that [`crate::host::reserve`] gave up, once the disk has room.

use crate::host::{blocking, reserve};
use crate::reactors::reactor::{Context, Due, Next, Reactor, period};
use crate::state::context::Engine;
use crate::state::known::State;
use async_trait::async_trait;
use downbeat_model::Subject;
use downbeat_wire::ApiError;
use jiff::Timestamp;
use std::sync::Arc;
use std::time::Duration;

/// The time between two checks of the reserve.
const LOOK: Duration = Duration::from_secs(60);

/// Restores the reserve of disk space.
pub struct KeepReserve;

#[async_trait]
impl Reactor for KeepReserve {
    fn name(&self) -> &'static str {
        "keep_reserve"
    }

    fn look(&self, _: &Context, _: &State, now: Timestamp) -> Next {
        let (number, again) = period(LOOK, now);
        Next {
            due: vec![Due::once(Subject::Engine, number)],
            again: Some(again),
        }
    }

    async fn act(&self, engine: &Arc<Engine>, _: &Subject) -> Result<(), ApiError> {
        let paths = engine.paths.clone();
        let taken = blocking::blocking(move || reserve::take(&paths)).await?;
        taken.map_err(|error| ApiError::failed("no room is reserved for a full disk", error))
    }
}
