//! Restart in place: a live session's agent is ended gracefully and resumed in the same conversation,
//! perhaps with another model or permission mode. What is to happen after the end is written down
//! with the wish to end, so that the next engine goes on where this one was killed.

use crate::decide::{go_on, status};
use crate::effects::session::{end_all, handoff, resume};
use crate::effects::worktree::restore;
use crate::host::failpoint::point;
use crate::state::context::Engine;
use crate::state::requests::Effect;
use crate::state::{take_back, wishes};
use downbeat_model::session::Then;
use downbeat_model::{PermissionMode, SessionId, Status};
use downbeat_store::SessionRow;
use downbeat_wire::{ApiError, Code};
use std::sync::Arc;

/// Ends a session's agent, where one runs, and does what is to happen then.
pub async fn end_and(engine: &Arc<Engine>, row: &SessionRow, then: Then) -> Result<(), ApiError> {
    let id = &row.id;
    take_back::settle(engine, id).await?;
    engine.wishes.stand(id)?;
    let wished = engine
        .ledger
        .write(|draft| {
            let row = draft.session(id)?;
            if row.status.is_live() && !row.agent_started() {
                let text = format!("the agent of {} did not start yet", row.name);
                return Err(ApiError::new(Code::Conflict, text).hint("ask again once it is up"));
            }
            if let Some(busy) = restore::under_way(row) {
                return Err(busy);
            }
            let is_busy = row.status == Status::Queued || row.lineage.then.is_some();
            if is_busy || (row.status.is_live() && row.intent.is_some()) {
                let text = format!("{} is being started or ended", row.name);
                return Err(ApiError::new(Code::Conflict, text).hint("ask again once that is over"));
            }
            row.lineage.then = Some(then);
            draft.effect(Effect::Session(id.clone()));
            Ok(())
        })
        .await;
    if let Err(error) = wished {
        // Another request's may stand.
        if !wishes::is_wished(&*engine.row(id)?) {
            engine.wishes.done(id);
        }
        return Err(error);
    }
    point("restart-wished");
    if let Err(error) = end_all::end_to_go_on(engine, id).await {
        take_back::take_back(engine, id, &error).await;
        return Err(error);
    }
    point("restart-ended");
    let done = go_on(engine, id).await;
    match &done {
        Ok(()) => engine.wishes.done(id),
        Err(error) => take_back::take_back(engine, id, error).await,
    }
    done
}

/// Ends and goes on as the last engine was about to.
pub fn finish(engine: &Arc<Engine>, id: &SessionId) {
    let (engine, id) = (Arc::clone(engine), id.clone());
    tokio::spawn(async move {
        let ended = end_all::end_to_go_on(&engine, &id).await;
        let done = match ended {
            Ok(()) => go_on(&engine, &id).await,
            Err(error) => give_up(&engine, &id).await.and(Err(error)),
        };
        match &done {
            Ok(()) => engine.wishes.done(&id),
            Err(error) => take_back::take_back(&engine, &id, error).await,
        }
        if let Err(error) = done {
            tracing::warn!(session = %id, "a restart could not be finished: {error}");
        }
    });
}

/// Does what was to happen after the end of a session. Each step leaves written down what is still
/// to be done, until it starts again; where it cannot, that is told.
async fn go_on(engine: &Arc<Engine>, id: &SessionId) -> Result<(), ApiError> {
    let row = engine.row(id)?;
    let then = row.lineage.then.clone().filter(|_| row.status.is_ended());
    let Some(then) = then else {
        return Err(go_on::called_off(&row));
    };
    let done = async {
        match &then {
            Then::Resume { model, permission } => changed(engine, id, model.as_deref(), *permission).await?,
            Then::HandOver { .. } => handoff::change(engine, &row, &then).await?,
        }
        point("restart-changed");
        resume::go_on(engine, id).await
    };
    let done = done.await;
    if let Err(error) = &done {
        failed(engine, id, error).await?;
    }
    point("restart-resumed");
    done
}

/// Makes its changes; what is left is that it goes on.
async fn changed(
    engine: &Engine,
    id: &SessionId,
    model: Option<&str>,
    permission: Option<PermissionMode>,
) -> Result<(), ApiError> {
    let written = engine.ledger.write(|draft| {
        let row = draft.session(id)?;
        go_on::only_goes_on(row)?;
        if let Some(model) = model {
            row.model = Some(model.to_owned()).filter(|model| !model.is_empty());
        }
        row.permission_mode = permission.unwrap_or(row.permission_mode);
        Ok(())
    });
    written.await
}

/// It cannot go on. Its end was no news while it was to; now it is.
async fn failed(engine: &Engine, id: &SessionId, error: &ApiError) -> Result<(), ApiError> {
    let written = engine.ledger.write(|draft| {
        let row = draft.session(id)?;
        if row.lineage.then.is_none() || !row.status.is_ended() {
            return Ok(());
        }
        row.lineage.then = None;
        let why = format!("it was stopped to go on, and could not: {}", error.message);
        status::fail(draft, id, Status::Errored, &why)
    });
    written.await
}

pub async fn give_up(engine: &Engine, id: &SessionId) -> Result<(), ApiError> {
    let written = engine.ledger.write(|draft| {
        draft.session(id)?.lineage.then = None;
        Ok(())
    });
    written.await
}
