//! Reports in which column of the board sessions are. The rule is [`downbeat_model::board`].

use crate::decide::board::{Conducting, of};
use crate::state::known::State;
use downbeat_wire::session::SessionSummary;

/// Sets `column` in each session. Whether they need the person must be set before.
pub fn fill(state: &State, sessions: &mut [SessionSummary]) {
    let conducting = Conducting::of(state);
    for session in sessions {
        if let Some(row) = state.sessions.get(&session.id) {
            session.column = of(row, &conducting, session.attention.is_some());
        }
    }
}
