//! Interrupts the turn of a session with its agent's key.

use crate::effects::terminal::{signals, typing};
use crate::session::retry::retries_at;
use crate::state::context::Engine;
use downbeat_model::{SessionId, Status};
use downbeat_wire::ApiError;

/// Interrupts the turn of a session, where one goes on and its agent has a key for that. False where
/// it goes on.
pub async fn interrupt(engine: &Engine, id: &SessionId) -> Result<bool, ApiError> {
    let row = engine.row(id)?;
    if row.status != Status::Running && retries_at(&row).is_none() {
        return Ok(true);
    }
    if row.one_shot {
        // It reads no keys.
        return Ok(false);
    }
    typing::interrupt(engine, &row, &mut signals::Signals::of(engine, id), None).await
}
