//! Asks the rules again at the time for which they asked: more comments may have arrived, or a problem may stand for too
//! long. When a pull request changes, they are asked with that change (`facts/forges/record.rs`); about a session, by
//! `react_to_sessions`.

use crate::facts::rules;
use crate::reactors::reactor::{Context, Due, Next, Reactor};
use crate::state::context::Engine;
use crate::state::known::State;
use async_trait::async_trait;
use downbeat_model::Subject;
use downbeat_wire::ApiError;
use jiff::Timestamp;
use std::sync::Arc;

/// Asks the rules again.
pub struct ReactAgain;

#[async_trait]
impl Reactor for ReactAgain {
    fn name(&self) -> &'static str {
        "react_again"
    }

    fn look(&self, _: &Context, state: &State, now: Timestamp) -> Next {
        let mut next = Next::default();
        // Archived sessions have no reactions.
        let rows = state.sessions.values().filter(|row| row.archived_at.is_none());
        let reacted = rows.flat_map(|row| &row.reacted);
        for (subject, one) in reacted {
            match one.due {
                Some(due) if due <= now => next.due.push(Due::once(subject.clone(), due)),
                Some(due) => next.again_at(due),
                None => {}
            }
        }
        next
    }

    async fn act(&self, engine: &Arc<Engine>, subject: &Subject) -> Result<(), ApiError> {
        let state = engine.ledger.state();
        let now = Timestamp::now();
        let is_due = |due: Option<Timestamp>| due.is_some_and(|due| due <= now);
        let rows = state.sessions.values().filter(|row| {
            let one = row.reacted.get(subject);
            row.archived_at.is_none() && one.is_some_and(|one| is_due(one.due))
        });
        for row in rows {
            rules::react_again(engine, &row.id, subject).await?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::ReactAgain;
    use crate::reactors::reactor::{Context, Due, Reactor as _};
    use crate::state::example::{at, session, state};
    use downbeat_model::Subject;
    use downbeat_model::session::ReactedTo;

    #[test]
    fn the_clock_alone_asks_again_and_once_for_each_time() {
        let (early, late) = (
            Subject::of_word("pull:github.com/PR_1"),
            Subject::of_word("pull:github.com/PR_2"),
        );
        let mut row = session(1);
        let due = |second| ReactedTo {
            due: Some(at(second)),
            ..ReactedTo::default()
        };
        row.reacted = [(early.clone(), due(10)), (late, due(60))].into();
        let state = state([row]);
        let look = |second| ReactAgain.look(&Context::default(), &state, at(second));
        assert_eq!((look(9).due, look(9).again), (vec![], Some(at(10))));
        assert_eq!(look(10).due, [Due::once(early, at(10))]);
        assert_eq!(look(10), look(59));
        assert_eq!((look(60).due.len(), look(60).again), (2, None));
    }
}
