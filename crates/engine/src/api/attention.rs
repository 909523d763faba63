//! Reports which sessions need the person: a field of each session, and a count. The rule is
//! [`downbeat_model::attention`].

use crate::decide::attention;
use crate::state::context::Engine;
use crate::state::known::State;
use downbeat_wire::session::SessionSummary;

/// Sets `attention` in each session. Their reasons must be set before.
pub fn fill(engine: &Engine, state: &State, sessions: &mut [SessionSummary]) {
    let config = engine.config().usage_limits;
    for session in sessions {
        let row = state.sessions.get(&session.id);
        let reason = session.reason.as_ref().map(|reason| reason.text.as_str());
        session.attention = row.and_then(|row| attention::of(state, row, &config, reason));
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
