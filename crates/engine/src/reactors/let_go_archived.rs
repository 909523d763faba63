//! Drops archived sessions from memory: a moment after they were archived, so that clients that follow the
//! changes still find them there; sessions that were recalled from the store, once nobody works with them any
//! more.

use crate::reactors::agenda::later;
use crate::reactors::reactor::{Context, Due, Next, Reactor};
use crate::state::at_rest;
use crate::state::context::Engine;
use crate::state::known::State;
use async_trait::async_trait;
use downbeat_model::Subject;
use downbeat_wire::ApiError;
use jiff::Timestamp;
use std::sync::Arc;
use std::time::Duration;

/// The time that sessions stay in memory after they were archived.
const STAY: Duration = Duration::from_secs(10);

/// Drops archived sessions from memory.
pub struct LetGoArchived;

#[async_trait]
impl Reactor for LetGoArchived {
    fn name(&self) -> &'static str {
        "let_go_archived"
    }

    fn look(&self, _: &Context, state: &State, now: Timestamp) -> Next {
        let mut next = Next::default();
        for row in at_rest::unneeded(state) {
            match row.archived_at.map(|at| later(at, STAY)).filter(|at| *at > now) {
                Some(at) => next.again_at(at),
                None => {
                    next.due = vec![Due::after_each(Subject::Engine)];
                }
            }
        }
        next
    }

    async fn act(&self, engine: &Arc<Engine>, _: &Subject) -> Result<(), ApiError> {
        engine.let_go_at_rest().await;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::LetGoArchived;
    use crate::reactors::reactor::{Context, Due, Next, Reactor as _};
    use crate::state::example::{at, session, state};
    use downbeat_model::{Status, Subject};

    #[test]
    fn an_archived_session_is_dropped_a_moment_later_unless_it_has_a_descendant_in_memory() {
        let (mut lead, mut worker) = (session(1), session(2));
        (lead.status, lead.archived_at) = (Status::Exited, Some(at(100)));
        (worker.status, worker.parent) = (Status::Exited, Some(lead.id.clone()));
        let look = |worker: &_, second| {
            let state = state([lead.clone(), Clone::clone(worker)]);
            LetGoArchived.look(&Context::default(), &state, at(second))
        };
        assert_eq!(look(&worker, 200), Next::default(), "it is above one in use");
        worker.archived_at = Some(at(195));
        let later = Next {
            due: Vec::new(),
            again: Some(at(205)),
        };
        assert_eq!(look(&worker, 200), later);
        let now = Next {
            due: vec![Due::after_each(Subject::Engine)],
            again: None,
        };
        assert_eq!(look(&worker, 205), now);
    }
}
