//! Counts how much a session's worktree changed, when its turn ends, a commit is seen or it ends.

use crate::facts::changes;
use crate::reactors::reactor::{Context, Due, Next, Reactor};
use crate::state::context::Engine;
use crate::state::known::State;
use async_trait::async_trait;
use downbeat_model::Subject;
use downbeat_wire::ApiError;
use jiff::{SignedDuration, Timestamp};
use std::sync::Arc;

/// How long a session is at rest before its worktree is counted: a shell's commands follow each other closely.
const REST: SignedDuration = SignedDuration::from_millis(500);

/// Counts changes.
pub struct CountChanges;

#[async_trait]
impl Reactor for CountChanges {
    fn name(&self) -> &'static str {
        "count_changes"
    }

    fn look(&self, _: &Context, state: &State, now: Timestamp) -> Next {
        let mut next = Next::default();
        for row in state.sessions.values().filter(|row| changes::is_due(row)) {
            let from = row.status_since.saturating_add(REST).unwrap_or(row.status_since);
            // A clock that was set back does not keep a worktree from being counted.
            if now < from && now >= row.status_since {
                next.again_at(from);
                continue;
            }
            let stale = row.changed.as_ref().and_then(|changed| changed.stale_since);
            let mark = format!("{} {:?} {stale:?}", row.status_since, row.checks.head);
            next.due.push(Due::once(Subject::Session(row.id.clone()), mark));
        }
        next
    }

    async fn act(&self, engine: &Arc<Engine>, subject: &Subject) -> Result<(), ApiError> {
        match subject {
            Subject::Session(id) => changes::count(engine, id).await,
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{CountChanges, REST};
    use crate::reactors::reactor::{Context, Reactor as _};
    use crate::state::example::{at, session, state, with};
    use downbeat_model::Status;
    use downbeat_model::session::Changed;

    #[test]
    fn a_session_at_rest_is_counted_after_a_moment_and_then_not_again() {
        let mut row = session(1);
        row.workspace_path = Some("/shop/w".into());
        row.status_since = at(10);
        let look = |row: &downbeat_store::SessionRow, second| {
            CountChanges.look(&Context::default(), &state([row.clone()]), at(second))
        };
        let soon = look(&row, 10);
        assert_eq!((soon.due.len(), soon.again), (0, Some(at(10) + REST)));
        let due = look(&row, 11);
        assert_eq!((due.due.len(), due.again), (1, None));
        assert_eq!(look(&row, 5).due, due.due, "the clock was set back");
        row.changed = Some(Changed::counted(None, None, None, None, at(11)));
        assert!(look(&row, 20).due.is_empty());
        row.status_since = at(30);
        assert_ne!(look(&row, 31).due, due.due);
        assert!(look(&with(1, Status::Running), 40).due.is_empty());
    }
}
