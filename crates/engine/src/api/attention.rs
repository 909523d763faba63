//! Reports which sessions need the person: a field of each session, and a count; snoozes one. The rules are
//! [`downbeat_model::attention`] and [`crate::decide::snooze`].

use crate::decide::{attention, snooze};
use crate::state::context::Engine;
use crate::state::known::State;
use crate::state::requests::Effect;
use downbeat_model::SessionId;
use downbeat_wire::ApiError;
use downbeat_wire::session::SessionSummary;
use jiff::Timestamp;

/// Sets `attention` and `snoozed_until` in each session. Their reasons must be set before.
pub fn fill(engine: &Engine, state: &State, sessions: &mut [SessionSummary]) {
    let config = engine.config().usage_limits;
    for session in sessions {
        let row = state.sessions.get(&session.id);
        let reason = session.reason.as_ref().map(|reason| reason.text.as_str());
        session.attention = row.and_then(|row| attention::of(state, row, &config, reason));
        session.snoozed_until = row.and_then(|row| attention::snoozed_until(state, row, &config));
    }
}

/// Counts the sessions that need the person.
pub fn count(engine: &Engine, state: &State) -> u32 {
    let config = engine.config().usage_limits;
    let needs = state
        .sessions
        .values()
        .filter(|row| attention::of(state, row, &config, None).is_some());
    u32::try_from(needs.count()).unwrap_or(u32::MAX)
}

/// Snoozes what a session needs the person for, until a time; without one, ends the snooze.
pub async fn snooze(engine: &Engine, id: &SessionId, until: Option<Timestamp>) -> Result<(), ApiError> {
    let config = engine.config().usage_limits;
    let written = engine.ledger.write(|draft| {
        snooze::change(draft, &config, id, until)?;
        draft.effect(Effect::Session(id.clone()));
        Ok(())
    });
    written.await
}
