//! Asks the rules about sessions whenever something happened to one: its agent ended, asks, rests or seems stuck.

use crate::decide::reactions::matter::{self, has_reactions};
use crate::facts::rules;
use crate::reactors::reactor::{Context, Due, Next, Reactor};
use crate::state::context::Engine;
use crate::state::known::State;
use async_trait::async_trait;
use downbeat_model::Subject;
use downbeat_wire::ApiError;
use jiff::Timestamp;
use std::sync::Arc;

/// Asks the rules about sessions.
pub struct ReactToSessions;

#[async_trait]
impl Reactor for ReactToSessions {
    fn name(&self) -> &'static str {
        "react_to_sessions"
    }

    fn look(&self, context: &Context, state: &State, _: Timestamp) -> Next {
        let mut next = Next::default();
        let stuck_after = context.config.watchdog.stuck_after();
        for row in state.sessions.values().filter(|row| has_reactions(row)) {
            let facts = matter::facts(state, row, stuck_after);
            let subject = Subject::Session(row.id.clone());
            next.due.push(Due::once(subject, format!("{facts:?}")));
        }
        next
    }

    async fn act(&self, engine: &Arc<Engine>, subject: &Subject) -> Result<(), ApiError> {
        let Subject::Session(id) = subject else {
            return Ok(());
        };
        match engine.ledger.session(id) {
            Some(_) => rules::react_again(engine, id, subject).await,
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ReactToSessions;
    use crate::reactors::reactor::{Context, Reactor as _};
    use crate::state::example::{session, state, with};
    use downbeat_model::Status;

    #[test]
    fn each_change_that_a_rule_may_react_to_is_looked_at_once() {
        let look =
            |row| ReactToSessions.look(&Context::default(), &state([row]), jiff::Timestamp::UNIX_EPOCH);
        let before = look(session(1));
        assert_eq!(before.due.len(), 1);
        assert_eq!(look(session(1)), before);
        assert_ne!(look(with(1, Status::Exited)), before);
        let mut archived = session(1);
        archived.archived_at = Some(jiff::Timestamp::UNIX_EPOCH);
        assert!(look(archived).due.is_empty());
    }
}
