//! Compares a session's worktree with those of other sessions after its changes were counted, and when one with which it
//! collides has landed, or is gone.

use crate::decide::collisions::due;
use crate::facts::collisions;
use crate::reactors::reactor::{Context, Due, Next, Reactor};
use crate::state::context::Engine;
use crate::state::known::State;
use async_trait::async_trait;
use downbeat_model::Subject;
use downbeat_wire::ApiError;
use jiff::Timestamp;
use std::sync::Arc;

/// Compares worktrees.
pub struct CompareWorktrees;

#[async_trait]
impl Reactor for CompareWorktrees {
    fn name(&self) -> &'static str {
        "compare_worktrees"
    }

    fn look(&self, _: &Context, state: &State, _: Timestamp) -> Next {
        let rows = state.sessions.values();
        let due = rows.filter_map(|row| Some((row, due(state, row)?)));
        Next {
            due: due
                .map(|(row, mark)| Due::once(Subject::Session(row.id.clone()), mark))
                .collect(),
            again: None,
        }
    }

    async fn act(&self, engine: &Arc<Engine>, subject: &Subject) -> Result<(), ApiError> {
        match subject {
            Subject::Session(id) => collisions::compare(engine, id).await,
            _ => Ok(()),
        }
    }
}
