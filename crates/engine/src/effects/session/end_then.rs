//! Restarts a session in place: its agent is ended gracefully and resumed in the same conversation, possibly
//! with another model or permission mode. The next action is recorded together with the intent to end, so that
//! the next engine continues if this one is killed.

use crate::decide::{go_on, status};
use crate::effects::session::{end_all, handoff, resume};
use crate::effects::worktree::restore;
use crate::host::failpoint::point;
use crate::state::context::Engine;
use crate::state::draft::Draft;
use crate::state::requests::Effect;
use crate::state::{intent_files, take_back};
use downbeat_model::effect::{EffectState, Work};
use downbeat_model::session::Then;
use downbeat_model::{PermissionMode, SessionId, Status};
use downbeat_store::SessionRow;
use downbeat_wire::{ApiError, Code};
use std::sync::Arc;

/// Ends a session's agent, if one runs, and then carries out `then`. What `also` does is recorded together with the intent.
pub async fn end_and(
    engine: &Arc<Engine>,
    row: &SessionRow,
    then: Then,
    also: impl FnOnce(&mut Draft) -> Result<(), ApiError>,
) -> Result<(), ApiError> {
    let id = &row.id;
    let busy = |row: &SessionRow| {
        let text = format!("{} is starting or ending", row.name);
        ApiError::new(Code::Conflict, text).hint("try again afterwards")
    };
    let live = engine.runtimes.of(id);
    let Ok(_going_on) = live.going_on.try_lock() else {
        return Err(busy(row));
    };
    take_back::settle(engine, id).await?;
    engine.intent_files.confirm(id)?;
    let noted = engine
        .ledger
        .write(|draft| {
            let was_to = draft.state().goes_on(id).is_some();
            let row = draft.session(id)?;
            if row.status.is_live() && !row.agent_started() {
                let text = format!("the agent of {} has not started yet", row.name);
                return Err(ApiError::new(Code::Conflict, text).hint("try again once it is running"));
            }
            if let Some(refused) = restore::under_way(row) {
                return Err(refused);
            }
            let is_busy = row.status == Status::Queued || was_to;
            if is_busy || (row.status.is_live() && row.intent.is_some()) {
                return Err(busy(row));
            }
            also(draft)?;
            go_on::request(draft, id, then);
            draft.effect(Effect::Session(id.clone()));
            Ok(())
        })
        .await;
    if let Err(error) = noted {
        // The intent of another request may be in effect.
        if !intent_files::has_intent(&engine.ledger.state(), &*engine.row(id)?) {
            engine.intent_files.clear(id);
        }
        return Err(error);
    }
    point("restart-noted");
    if let Err(error) = end_all::end_to_go_on(engine, id).await {
        take_back::take_back(engine, id, &error).await;
        return Err(error);
    }
    point("restart-ended");
    let done = go_on(engine, id).await;
    match &done {
        Ok(()) => engine.intent_files.clear(id),
        Err(error) => take_back::take_back(engine, id, error).await,
    }
    done
}

/// Finishes the restart or hand-over that an earlier engine, or a request that was cut off, began. Does
/// nothing if that is done or was called off. Fails only if it is still to be done.
pub async fn take_up(engine: &Arc<Engine>, id: &SessionId) -> Result<(), ApiError> {
    let live = engine.runtimes.of(id);
    let _going_on = live.going_on.lock().await;
    let waits = || engine.ledger.state().goes_on(id).is_some();
    if !waits() {
        return Ok(());
    }
    if !engine.intent_files.is_confirmed(id) {
        return take_back::settle(engine, id).await;
    }
    let ended = end_all::end_to_go_on(engine, id).await;
    let done = match ended {
        Ok(()) => go_on(engine, id).await,
        Err(error) => give_up(engine, id).await.and(Err(error)),
    };
    match &done {
        Ok(()) => engine.intent_files.clear(id),
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

/// Carries out the action recorded for the time after a session's end. After each step, what is still to be
/// done is on record until the session starts again. A failure is recorded in the session's status.
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

/// Applies the new settings; after that, only the resume is left to do.
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

/// Records that an ended session could not be resumed. Its end was not news while the resume was due; now it
/// is.
async fn failed(engine: &Engine, id: &SessionId, error: &ApiError) -> Result<(), ApiError> {
    let written = engine.ledger.write(|draft| {
        if !draft.session(id)?.status.is_ended() || !go_on::close(draft, id, EffectState::Dropped) {
            return Ok(());
        }
        let why = format!("it was stopped for a restart, which failed: {}", error.message);
        status::fail(draft, id, Status::Errored, &why)
    });
    written.await
}

/// Cancels the action that a session was ended for.
pub async fn give_up(engine: &Engine, id: &SessionId) -> Result<(), ApiError> {
    let written = engine.ledger.write(|draft| {
        go_on::close(draft, id, EffectState::Dropped);
        Ok(())
    });
    written.await
}
