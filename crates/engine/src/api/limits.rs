//! Shows a session's usage limit, and sets what happens when it ends.

use crate::api::budgets;
use crate::decide::{exchanges, limits, pause};
use crate::state::context::Engine;
use crate::state::known::State;
use crate::state::requests::Effect;
use downbeat_model::{EventKind, SessionId};
use downbeat_store::SessionRow;
use downbeat_wire::ApiError;
use downbeat_wire::session::{GoOn, LimitState, SessionSummary};

/// Returns the usage limit that a session waits for.
pub fn state(engine: &Engine, row: &SessionRow) -> Option<LimitState> {
    let limited = limits::of(row)?;
    let config = engine.config().usage_limits;
    Some(LimitState {
        text: limited.limit.text.clone(),
        resets_at: limited.limit.resets_at,
        over_at: limited.over_at(config.margin()),
        by_itself: limits::by_itself(row, config.go_on),
        goes_on: limited.message.is_some(),
    })
}

/// Sets `limit` in each session.
pub fn fill(engine: &Engine, state: &State, sessions: &mut [SessionSummary]) {
    for session in sessions {
        let row = state.sessions.get(&session.id);
        session.limit = row.and_then(|row| self::state(engine, row));
    }
}

/// Sets whether a session resumes when its usage limit ends.
pub async fn go_on(engine: &Engine, id: &SessionId, choice: GoOn) -> Result<(), ApiError> {
    let (past, stay) = budgets::passed(engine, &*engine.row(id)?).await?;
    let written = engine.ledger.write(|draft| {
        let row = draft.session(id)?;
        let (is_raised, is_limited) = (row.exchanges.raised_at.is_some(), limits::of(row).is_some());
        if is_raised && choice == GoOn::Now {
            exchanges::looked_after(draft, id)?;
        }
        match choice {
            GoOn::Now if draft.session(id)?.hold.pause.is_some() => pause::go_on(draft, id, &past, &stay)?,
            // Its exchanges with its conductor may go on, as the person saw.
            GoOn::Now if is_raised && !is_limited => {}
            GoOn::Now => limits::now(draft, id)?,
            GoOn::AfterLimit => (limits::live(draft, id)?).hold.go_on = Some(true),
            GoOn::Not => {
                (limits::live(draft, id)?).hold.go_on = Some(false);
                limits::take_back(draft, id)?;
            }
        }
        draft.session_event(id, EventKind::SessionChanged, serde_json::Value::Null);
        draft.effect(Effect::Session(id.clone()));
        Ok(())
    });
    written.await?;
    Ok(())
}
