//! Tells the person of a worker and its conductor that exchange messages without a change to the code. What counts is decided in
//! [`crate::decide::exchanges`]; this looks at the code first, since it may have changed since it was looked at last.

use crate::decide::exchanges;
use crate::facts::changes;
use crate::reactors::reactor::{Context, Due, Next, Reactor};
use crate::state::context::Engine;
use crate::state::known::State;
use async_trait::async_trait;
use downbeat_model::Subject;
use downbeat_wire::ApiError;
use jiff::Timestamp;
use std::sync::Arc;

/// Raises exchanges that lead nowhere.
pub struct RaiseExchanges;

#[async_trait]
impl Reactor for RaiseExchanges {
    fn name(&self) -> &'static str {
        "raise_exchanges"
    }

    fn look(&self, context: &Context, state: &State, _: Timestamp) -> Next {
        let limit = context.config.watchdog.exchanges;
        let sessions = state.sessions.values();
        let many = sessions.filter(|row| exchanges::are_many(row, limit));
        let due = many.map(|row| {
            let mark = format!("{} {}", row.exchanges.count, row.status_since);
            Due::once(Subject::Session(row.id.clone()), mark)
        });
        Next {
            due: due.collect(),
            again: None,
        }
    }

    async fn act(&self, engine: &Arc<Engine>, subject: &Subject) -> Result<(), ApiError> {
        let Subject::Session(id) = subject else {
            return Ok(());
        };
        let limit = engine.config().watchdog.exchanges;
        if !exchanges::are_many(&*engine.row(id)?, limit) || !changes::count_now(engine, id).await? {
            return Ok(());
        }
        engine
            .ledger
            .write(|draft| exchanges::raise(draft, id, limit))
            .await
    }
}

#[cfg(test)]
mod tests {
    use super::RaiseExchanges;
    use crate::reactors::reactor::{Context, Reactor as _};
    use crate::state::example::{at, session, state, worker};
    use downbeat_model::Status;

    #[test]
    fn a_worker_is_due_again_after_each_turn_until_its_exchanges_were_raised() {
        let look = |count, status, since, raised| {
            let mut row = worker(2, &session(1));
            (row.status, row.status_since) = (status, at(since));
            row.exchanges.count = count;
            row.exchanges.raised_at = raised;
            RaiseExchanges
                .look(&Context::default(), &state([session(1), row]), at(50))
                .due
        };
        assert!(look(7, Status::Idle, 5, None).is_empty());
        assert!(look(8, Status::Running, 5, None).is_empty());
        let first = look(8, Status::Idle, 5, None);
        assert_eq!(first.len(), 1);
        assert_ne!(look(8, Status::Idle, 9, None), first, "a turn later");
        assert!(look(9, Status::Idle, 9, Some(at(7))).is_empty());
    }
}
