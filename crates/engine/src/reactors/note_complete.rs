//! Notes when all sessions of a project without a conductor are done, and when one of them is not any more.

use crate::decide::complete;
use crate::reactors::reactor::{Context, Due, Next, Reactor};
use crate::state::context::Engine;
use crate::state::known::State;
use async_trait::async_trait;
use downbeat_model::Subject;
use downbeat_wire::ApiError;
use jiff::Timestamp;
use std::sync::Arc;

/// Notes when all sessions of a project are done.
pub struct NoteComplete;

#[async_trait]
impl Reactor for NoteComplete {
    fn name(&self) -> &'static str {
        "note_complete"
    }

    fn look(&self, _: &Context, state: &State, _: Timestamp) -> Next {
        let due = complete::changes(state).into_iter();
        Next {
            due: due
                .map(|(id, now)| Due::once(Subject::Project(id), format!("{now:?}")))
                .collect(),
            again: None,
        }
    }

    async fn act(&self, engine: &Arc<Engine>, subject: &Subject) -> Result<(), ApiError> {
        let Subject::Project(id) = subject else {
            return Ok(());
        };
        engine.ledger.write(|draft| complete::note(draft, id)).await
    }
}

#[cfg(test)]
mod tests {
    use super::NoteComplete;
    use crate::reactors::reactor::{Context, Reactor as _};
    use crate::state::example::{project, state, with};
    use downbeat_model::{Status, Subject};

    #[test]
    fn a_project_is_due_while_it_is_not_noted_that_its_sessions_are_done() {
        let look = |status| {
            let state = state([with(1, status)]);
            let next = NoteComplete.look(&Context::default(), &state, jiff::Timestamp::UNIX_EPOCH);
            next.due.into_iter().map(|due| due.subject).collect::<Vec<_>>()
        };
        assert_eq!(look(Status::Running), []);
        assert_eq!(look(Status::Exited), [Subject::Project(project().id)]);
    }
}
