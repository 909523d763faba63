//! Looks at the forges of projects whose sessions have branches. What is asked, and how often, is decided by
//! [`downbeat_forge::schedule`].

use crate::facts::forges::look;
use crate::reactors::reactor::{Context, Due, Next, Reactor, period};
use crate::state::context::Engine;
use crate::state::known::State;
use async_trait::async_trait;
use downbeat_model::Subject;
use downbeat_wire::ApiError;
use jiff::Timestamp;
use std::sync::Arc;
use std::time::Duration;

/// The interval between two looks whether anything is due: after a push, a repository is asked as often.
const LOOK: Duration = Duration::from_secs(10);

/// Looks at forges.
pub struct ObserveForges;

#[async_trait]
impl Reactor for ObserveForges {
    fn name(&self) -> &'static str {
        "observe_forges"
    }

    fn look(&self, _: &Context, state: &State, now: Timestamp) -> Next {
        let trusted = |project| state.projects.get(project).is_some_and(|project| project.trusted);
        let has_branch = state
            .sessions
            .values()
            .any(|row| row.is_followed_at_forges() && trusted(&row.project_id));
        if !has_branch {
            return Next::default();
        }
        let (number, next) = period(LOOK, now);
        Next {
            due: vec![Due::once(Subject::Engine, number)],
            again: Some(next),
        }
    }

    async fn act(&self, engine: &Arc<Engine>, _: &Subject) -> Result<(), ApiError> {
        // A forge that lets its requests hang must not hold up the next look at the others.
        look::begin(engine);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::ObserveForges;
    use crate::reactors::reactor::{Context, Reactor as _};
    use crate::state::example::{at, session, state};

    #[test]
    fn forges_are_looked_at_only_for_sessions_with_a_branch() {
        let look = |branch: Option<&str>, second| {
            let mut row = session(1);
            row.branch = branch.map(Into::into);
            ObserveForges.look(&Context::default(), &state([row]), at(second))
        };
        assert_eq!(look(None, 20).due, []);
        let (first, same, later) = (
            look(Some("one"), 20),
            look(Some("one"), 29),
            look(Some("one"), 30),
        );
        assert_eq!(first, same);
        assert_eq!(first.again, Some(at(30)));
        assert_ne!(first.due, later.due);
    }
}
