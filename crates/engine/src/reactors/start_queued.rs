//! Starts sessions that a cap held back, in the order of [`crate::decide::line`], as soon as there is room.

use crate::decide::admission::Next as Admitted;
use crate::decide::line::Line;
use crate::decide::{admission, status};
use crate::effects::session::start;
use crate::effects::session::start::Setup;
use crate::reactors::reactor::{Context, Due, Next, Reactor};
use crate::state::context::Engine;
use crate::state::known::State;
use async_trait::async_trait;
use downbeat_model::limit::Limits;
use downbeat_model::{Status, Subject};
use downbeat_store::SessionRow;
use downbeat_wire::ApiError;
use jiff::Timestamp;
use std::sync::Arc;

/// Starts queued sessions when there is room.
pub struct StartQueued;

#[async_trait]
impl Reactor for StartQueued {
    fn name(&self) -> &'static str {
        "start_queued"
    }

    fn look(&self, context: &Context, state: &State, _: Timestamp) -> Next {
        let limits = Limits::from(&context.config.limits);
        let changes =
            |row: &Arc<SessionRow>| !matches!(admission::next(&limits, state, row), Admitted::Waits);
        // All queued sessions are one item: each start takes room that the next one may have waited for.
        let due = queued(state).into_iter().any(changes);
        Next {
            due: due
                .then(|| Due::after_each(Subject::Engine))
                .into_iter()
                .collect(),
            again: None,
        }
    }

    async fn act(&self, engine: &Arc<Engine>, _: &Subject) -> Result<(), ApiError> {
        let mut done = Ok(());
        for row in queued(&engine.ledger.state()) {
            match start_if_room(engine, row).await {
                Ok(true) => start::start(engine, &row.id, Setup::Run),
                Ok(false) => {}
                Err(error) => {
                    tracing::warn!(session = %row.id, "a queued session was not started: {error}");
                    done = Err(error);
                }
            }
        }
        done
    }
}

/// Returns the queued sessions, the first one to start first.
fn queued(state: &State) -> Vec<&Arc<SessionRow>> {
    let mut queued: Vec<_> = state
        .sessions
        .values()
        .filter(|row| row.status == Status::Queued && row.intent.is_none())
        .collect();
    let line = Line::of(state);
    queued.sort_by_key(|row| line.place(row));
    queued
}

/// Starts a queued session if there is room. Writes nothing if there is none: a write is a change, after
/// which all queued sessions are looked at again.
async fn start_if_room(engine: &Engine, row: &SessionRow) -> Result<bool, ApiError> {
    let limits = engine.limits();
    if matches!(
        admission::next(&limits, &engine.ledger.state(), row),
        Admitted::Waits
    ) {
        return Ok(false);
    }
    let written = engine.ledger.write(|draft| {
        let (status, why, starts) = match admission::next(&limits, draft.state(), row) {
            Admitted::Waits => return Ok(false),
            Admitted::Says(why) => (Status::Queued, why, false),
            Admitted::Starts => (Status::Spawning, "a place is free now".to_owned(), true),
        };
        let evidence = crate::session::status::by_engine(why, draft.now());
        status::set(draft, &row.id, status, evidence)?;
        Ok(starts)
    });
    written.await
}

#[cfg(test)]
mod tests {
    use super::{StartQueued, queued};
    use crate::reactors::reactor::{Context, Reactor as _};
    use crate::state::example::{at, id, session, state};
    use downbeat_model::Status;
    use downbeat_model::session::{Intent, Pause};
    use downbeat_store::SessionRow;

    fn waiting(number: u32) -> SessionRow {
        let mut row = session(number);
        row.status = Status::Queued;
        row
    }

    #[test]
    fn work_is_due_only_if_a_session_may_start_or_has_to_say_why_not() {
        let mut context = Context::default();
        context.config.limits.total_sessions = 2;
        let is_due = |rows: Vec<SessionRow>| !StartQueued.look(&context, &state(rows), at(0)).due.is_empty();
        assert!(!is_due(vec![session(1)]), "nobody waits");
        assert!(is_due(vec![session(1), waiting(2)]));
        assert!(!is_due(vec![session(1), session(2), waiting(3)]), "no room");
        let mut ending = waiting(2);
        ending.intent = Some(Intent::Kill);
        assert!(!is_due(vec![ending]));
        let mut paused = waiting(2);
        paused.hold.pause = Some(Pause {
            at: at(0),
            why: String::new(),
            budget: None,
            interrupts: false,
        });
        assert!(!is_due(vec![paused]));
        let mut killed = session(1);
        killed.status = Status::Killed;
        let mut below = waiting(2);
        below.parent = Some(killed.id.clone());
        assert!(is_due(vec![killed, below]), "it says for what it waits");
    }

    #[test]
    fn the_session_that_waited_longest_is_first() {
        let mut late = waiting(1);
        late.created_at = at(99);
        let state = state([late, waiting(2), waiting(3)]);
        let order: Vec<_> = queued(&state).into_iter().map(|row| row.id.clone()).collect();
        assert_eq!(order, [id(2), id(3), id(1)]);
    }
}
