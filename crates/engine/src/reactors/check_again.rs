//! Runs the checks of a session again after its agent ended the turn in which it got their failures.

use crate::decide::checks;
use crate::effects::worktree::committed::committed;
use crate::reactors::reactor::{Context, Due, Next, Reactor};
use crate::state::context::Engine;
use crate::state::known::State;
use async_trait::async_trait;
use downbeat_model::session::CheckedFor;
use downbeat_model::{SessionId, Subject};
use downbeat_wire::ApiError;
use jiff::Timestamp;
use std::sync::Arc;

/// Runs checks again after a repair.
pub struct CheckAgain;

#[async_trait]
impl Reactor for CheckAgain {
    fn name(&self) -> &'static str {
        "check_again"
    }

    fn look(&self, _: &Context, state: &State, _: Timestamp) -> Next {
        let repaired = state
            .sessions
            .values()
            .filter(|row| checks::is_repaired(state, row));
        let due = |row: &Arc<downbeat_store::SessionRow>| {
            Due::once(Subject::Session(row.id.clone()), row.status_since)
        };
        Next {
            due: repaired.map(due).collect(),
            again: None,
        }
    }

    async fn act(&self, engine: &Arc<Engine>, subject: &Subject) -> Result<(), ApiError> {
        let Subject::Session(id) = subject else {
            return Ok(());
        };
        let row = engine.row(id)?;
        let project = engine.project(&row.project_id)?;
        let last = row.checks.last.as_ref().map(|last| last.commit.clone());
        let is_new = match committed(&project, &row).await {
            Ok((head, _)) => last != Some(head.commit),
            // The run tells what is wrong.
            Err(_) => true,
        };
        let run = SessionId::random().map_err(|error| ApiError::failed("no randomness", error))?;
        let written = engine.ledger.write(|draft| {
            let row = draft.state().sessions.get(id).cloned();
            match row.filter(|row| checks::is_repaired(draft.state(), row)) {
                Some(_) if is_new => checks::request(draft, id, run, CheckedFor::Repair),
                Some(_) => checks::not_repaired(draft, id),
                None => Ok(()),
            }
        });
        written.await
    }
}
