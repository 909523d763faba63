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
use downbeat_model::effect::{EffectState, Work};
use downbeat_model::session::Then;
use downbeat_model::{PermissionMode, SessionId, Status};
use downbeat_store::SessionRow;
use downbeat_wire::{ApiError, Code};
use std::sync::Arc;

/// Ends a session's agent, where one runs, and does what is to happen then.
pub async fn end_and(engine: &Arc<Engine>, row: &SessionRow, then: Then) -> Result<(), ApiError> {
    let id = &row.id;
    let busy = |row: &SessionRow| {
        let text = format!("{} is being started or ended", row.name);
        ApiError::new(Code::Conflict, text).hint("ask again once that is over")
    };
    let live = engine.runtimes.of(id);
    let Ok(_going_on) = live.going_on.try_lock() else {
        return Err(busy(row));
    };
    take_back::settle(engine, id).await?;
    engine.wishes.stand(id)?;
    let wished = engine
        .ledger
        .write(|draft| {
            let was_to = draft.state().goes_on(id).is_some();
            let row = draft.session(id)?;
            if row.status.is_live() && !row.agent_started() {
                let text = format!("the agent of {} did not start yet", row.name);
                return Err(ApiError::new(Code::Conflict, text).hint("ask again once it is up"));
            }
            if let Some(refused) = restore::under_way(row) {
                return Err(refused);
            }
            let is_busy = row.status == Status::Queued || was_to;
            if is_busy || (row.status.is_live() && row.intent.is_some()) {
                return Err(busy(row));
            }
            go_on::wish(draft, id, then);
            draft.effect(Effect::Session(id.clone()));
            Ok(())
        })
        .await;
    if let Err(error) = wished {
        // Another request's may stand.
        if !wishes::is_wished(&engine.ledger.state(), &*engine.row(id)?) {
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

/// Ends and goes on as somebody before was about to: an engine, or a request that was cut off. Does nothing where that
/// was done, or called off. An error only where it is still to be done.
pub async fn take_up(engine: &Arc<Engine>, id: &SessionId) -> Result<(), ApiError> {
    let live = engine.runtimes.of(id);
    let _going_on = live.going_on.lock().await;
    let waits = || engine.ledger.state().goes_on(id).is_some();
    if !waits() {
        return Ok(());
    }
    if !engine.wishes.stands(id) {
        return take_back::settle(engine, id).await;
    }
    let ended = end_all::end_to_go_on(engine, id).await;
    let done = match ended {
        Ok(()) => go_on(engine, id).await,
        Err(error) => give_up(engine, id).await.and(Err(error)),
    };
    match &done {
        Ok(()) => engine.wishes.done(id),
        Err(error) => take_back::take_back(engine, id, error).await,
    }
    match done {
        Err(error) if waits() => Err(error),
        Err(error) => {
            tracing::warn!(session = %id, "a restart could not be finished: {error}");
            Ok(())
        }
        Ok(()) => Ok(()),
    }
}

/// Does what was to happen after the end of a session. Each step leaves written down what is still
/// to be done, until it starts again; where it cannot, that is told.
async fn go_on(engine: &Arc<Engine>, id: &SessionId) -> Result<(), ApiError> {
    let row = engine.row(id)?;
    let effect = engine.ledger.state().goes_on(id).cloned();
    let then = effect
        .filter(|_| row.status.is_ended())
        .map(|effect| effect.work.clone());
    let Some(Work::GoOn(then)) = then else {
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
        go_on::only_goes_on(draft, id)?;
        let row = draft.session(id)?;
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
        if !draft.session(id)?.status.is_ended() || !go_on::close(draft, id, EffectState::Dropped) {
            return Ok(());
        }
        let why = format!("it was stopped to go on, and could not: {}", error.message);
        status::fail(draft, id, Status::Errored, &why)
    });
    written.await
}

/// What it was ended for does not happen.
pub async fn give_up(engine: &Engine, id: &SessionId) -> Result<(), ApiError> {
    let written = engine.ledger.write(|draft| {
        go_on::close(draft, id, EffectState::Dropped);
        Ok(())
    });
    written.await
}
