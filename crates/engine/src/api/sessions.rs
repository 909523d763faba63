//! Ends sessions, and answers with sessions and summaries: converts rows, and sets the fields that need prices, settings or the rest of the
//! fleet. [`view`](crate::api::view) selects and converts the rows.

use crate::api::{attention, board, budgets, cost, limits, reason, view};
use crate::decide::{access, shells};
use crate::effects::session::end_all;
use crate::session::end_mode::EndMode;
use crate::state::context::Engine;
use crate::state::known::State;
use crate::state::usage::Used;
use downbeat_model::{EventKind, SessionId};
use downbeat_store::SessionRow;
use downbeat_wire::session::{Session, SessionFilter, SessionSummary};
use downbeat_wire::{ApiError, Caller};
use std::sync::Arc;

impl Engine {
    /// Returns a session that is in memory, with all its details.
    pub(crate) fn shown(&self, id: &SessionId) -> Result<Session, ApiError> {
        let row = self.row(id)?;
        let (used, state) = (self.used.snapshot(), self.ledger.state());
        let mut sessions = [view::session(&state, &row)];
        fill(
            self,
            &state,
            &used,
            std::slice::from_mut(&mut sessions[0].summary),
        );
        fill_whole(self, &state, &used, &mut sessions);
        let [session] = sessions;
        Ok(session)
    }
}

/// Ends a session's processes, or those of a side shell, and returns what it is then.
pub async fn kill(engine: &Arc<Engine>, caller: &Caller, name: &str) -> Result<Session, ApiError> {
    let row = engine.terminal(caller, name).await?;
    access::may_kill(caller, &row)?;
    end_all::end(engine, &row.id, EndMode::Kill, caller).await?;
    if row.side_shell_of.is_none() {
        return engine.shown(&row.id);
    }
    // It has been deleted meanwhile.
    let killed = shells::killed(&row, jiff::Timestamp::now());
    Ok(view::session(&engine.ledger.state(), &killed))
}

/// Returns summaries of the sessions that match the filter.
pub async fn list(
    engine: &Engine,
    caller: &Caller,
    filter: &SessionFilter,
) -> Result<Vec<SessionSummary>, ApiError> {
    let _parent = engine.recall_parent(filter.parent.as_deref()).await?;
    let (state, used) = match filter.archived {
        Some(true) => engine.everything().await?,
        _ => {
            let used = engine.used.snapshot();
            (engine.ledger.state(), used)
        }
    };
    let mut sessions = view::listed(&state, caller, filter)?;
    fill(engine, &state, &used, &mut sessions);
    Ok(sessions)
}

/// Returns the workers of a session with all their details, archived ones included.
pub async fn workers(engine: &Engine, parent: &SessionId) -> Result<Vec<Session>, ApiError> {
    let _workers = engine.recall_workers(parent).await?;
    let (used, state) = (engine.used.snapshot(), engine.ledger.state());
    let rows = view::rows(&state, |row: &SessionRow| row.parent.as_ref() == Some(parent));
    let mut summaries = view::summaries(&state, &rows);
    fill(engine, &state, &used, &mut summaries);
    let whole = rows.iter().zip(summaries);
    let whole = whole.map(|(row, summary)| view::whole(&state, row, summary));
    let mut workers: Vec<Session> = whole.collect();
    fill_whole(engine, &state, &used, &mut workers);
    Ok(workers)
}

/// Changes the title of a session.
///
/// # Errors
/// Fails if nothing of the title can be seen.
pub async fn rename(engine: &Engine, row: &SessionRow, title: &str) -> Result<Session, ApiError> {
    let title = downbeat_model::name::title(title);
    if title.is_empty() {
        return Err(ApiError::invalid("a title needs at least one visible character"));
    }
    let written = engine.ledger.write(|draft| {
        draft.session(&row.id)?.title = title;
        draft.session_event(&row.id, EventKind::SessionChanged, serde_json::Value::Null);
        Ok(())
    });
    written.await?;
    engine.shown(&row.id)
}

/// Sets the fields of summaries that need more than their rows.
fn fill(engine: &Engine, state: &State, used: &Used, sessions: &mut [SessionSummary]) {
    cost::fill(engine, used, sessions);
    limits::fill(engine, state, sessions);
    reason::fill(engine, state, sessions);
    attention::fill(engine, state, sessions);
    board::fill(state, sessions);
}

/// Sets the other fields of sessions that need more than their rows.
fn fill_whole(engine: &Engine, state: &State, used: &Used, sessions: &mut [Session]) {
    cost::fill_subtrees(engine, state, used, sessions);
    budgets::fill(engine, state, used, sessions);
}
