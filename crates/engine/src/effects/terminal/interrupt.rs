//! Interrupts the turn of a session with its agent's key.

use crate::decide::pause;
use crate::effects::terminal::{signals, typing};
use crate::state::context::Engine;
use downbeat_model::SessionId;
use downbeat_wire::ApiError;
use jiff::Timestamp;

/// Interrupts the running turn of a session, if its agent has a key for that. Returns false if the turn
/// continues.
pub async fn interrupt(engine: &Engine, id: &SessionId) -> Result<bool, ApiError> {
    let row = engine.row(id)?;
    if !pause::goes_on(&row, Timestamp::now()) {
        return Ok(true);
    }
    if row.one_shot {
        // A one-shot run reads no keys.
        return Ok(false);
    }
    typing::interrupt(engine, &row, &mut signals::Signals::of(engine, id), None).await
}
