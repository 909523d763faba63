//! Restarts a session with other settings, or hands its task over to another agent.

use crate::decide::new_session;
use crate::effects::session::{conversation, end_then};
use crate::state::context::Engine;
use crate::state::draft::Draft;
use crate::state::find;
use downbeat_agents::PromptWay;
use downbeat_model::session::Then;
use downbeat_model::{PermissionMode, SessionId};
use downbeat_store::SessionRow;
use downbeat_wire::restore::{HandOverSession, PlaceState, RestartSession};
use downbeat_wire::{ApiError, Code};
use std::sync::Arc;

/// Restarts a session, or resumes it if it is over. What `also` does is recorded together with the intent.
pub async fn restart(
    engine: &Arc<Engine>,
    id: &SessionId,
    request: &RestartSession,
    also: impl FnOnce(&mut Draft) -> Result<(), ApiError>,
) -> Result<(), ApiError> {
    let row = engine.row(id)?;
    if let Some(model) = &request.model {
        new_session::check_model(model)?;
    }
    let definition = engine.agent(&row.agent)?;
    if !definition.can_resume() {
        let what = format!("{} cannot resume a conversation", definition.name);
        let hint = format!(
            "stop {0}, then `downbeat resume {0}` starts it from the beginning",
            row.name
        );
        return Err(ApiError::new(Code::Conflict, what).hint(hint));
    }
    engine.look_for_program(&definition).await?;
    let parent = row.parent.as_ref().and_then(|id| engine.ledger.session(id));
    let permission = request.permission_mode;
    if let Some(wanted) = permission {
        if let Some(parent) = &parent {
            refuse_above(parent, wanted)?;
        }
        refuse_below_workers(engine, &row, wanted)?;
    }
    let then = Then::Resume {
        model: request.model.clone(),
        permission,
    };
    end_then::end_and(engine, &row, then, also).await
}

/// Refuses a permission mode that allows more than the parent's.
fn refuse_above(parent: &SessionRow, wanted: PermissionMode) -> Result<(), ApiError> {
    if parent.permission_mode.cap(wanted) == wanted {
        return Ok(());
    }
    let what = format!("that exceeds the permissions of {}, its conductor", parent.name);
    Err(ApiError::new(Code::Conflict, what).hint(format!("restart {} with that mode first", parent.name)))
}

/// Refuses a permission mode that allows less than a live worker below the session has.
fn refuse_below_workers(
    engine: &Engine,
    row: &SessionRow,
    permission: PermissionMode,
) -> Result<(), ApiError> {
    let state = engine.ledger.state();
    let workers = find::below(&state, &row.id);
    let above = workers.iter().filter(|worker| {
        worker.status.is_live() && permission.cap(worker.permission_mode) != worker.permission_mode
    });
    let names: Vec<&str> = above.map(|worker| worker.name.as_str()).collect();
    if names.is_empty() {
        return Ok(());
    }
    let what = format!(
        "these workers of {} have more permissions than that: {}",
        row.name,
        names.join(", ")
    );
    Err(ApiError::new(Code::Conflict, what)
        .hint("stop them first, or restart them with the same or fewer permissions"))
}

/// The maximum length of a person's note, in bytes.
const MAX_NOTE: usize = 64 * 1024;

/// Hands a session over to another agent.
pub async fn hand_over(
    engine: &Arc<Engine>,
    id: &SessionId,
    request: &HandOverSession,
) -> Result<(), ApiError> {
    let row = engine.row(id)?;
    let wanted = engine.agent(&request.agent)?;
    let refused = |what: String| ApiError::new(Code::Conflict, what);
    if row.agent == wanted.id {
        let hint = format!(
            "`downbeat restart {0}` starts it again, `downbeat fork {0}` adds a second one",
            row.name
        );
        return Err(refused(format!("{} already has {}", wanted.name, row.name)).hint(hint));
    }
    if wanted.prompt == PromptWay::None && !wanted.has_hooks() {
        let what = format!("{} takes no task, so it cannot take over a session", wanted.name);
        return Err(refused(what).hint("`downbeat agents list` shows the others"));
    }
    if row.conducts && !wanted.can_conduct() {
        let what = format!(
            "{} is a conductor, and {} accepts no tools",
            row.name, wanted.name
        );
        return Err(refused(what).hint("choose an agent that can, like Claude Code"));
    }
    if let Some(note) = &request.note
        && note.len() > MAX_NOTE
    {
        let what = format!("note is {} bytes long; the maximum is {MAX_NOTE}", note.len());
        return Err(ApiError::invalid(what).hint("write it to a file in the workspace and name the file"));
    }
    if let Some(model) = &request.model {
        new_session::check_model(model)?;
    }
    if conversation::place(&row) != PlaceState::There {
        let hint = format!("`downbeat restore-work {}` recreates it", row.name);
        return Err(refused(format!("the worktree of {} is gone", row.name)).hint(hint));
    }
    engine.look_for_program(&wanted).await?;
    let then = Then::HandOver {
        agent: wanted.id.clone(),
        model: request.model.clone().filter(|model| !model.is_empty()),
        note: request.note.clone(),
        was: format!("{}: {}", row.status.as_str(), row.status_evidence.detail),
    };
    end_then::end_and(engine, &row, then, |_| Ok(())).await
}
