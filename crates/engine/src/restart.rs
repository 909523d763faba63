//! Restart in place: a live session's agent is ended gracefully and resumed in the same conversation,
//! perhaps with another model or permission mode. What is to happen after the end is written down
//! with the wish to end, so that the next engine goes on where this one was killed.

use crate::ending;
use crate::engine::Engine;
use crate::idempotency::Effect;
use crate::lineage::{Lineage, Then};
use crate::point::point;
use crate::{lookup, plan, resume, successor, transition, wishes};
use downbeat_model::{PermissionMode, SessionId, Status};
use downbeat_store::SessionRow;
use downbeat_wire::restore::RestartSession;
use downbeat_wire::{ApiError, Code};
use std::sync::Arc;

/// Restarts a session; one that is over is resumed.
pub async fn restart(engine: &Arc<Engine>, id: &SessionId, request: &RestartSession) -> Result<(), ApiError> {
    let row = engine.row(id)?;
    if let Some(model) = &request.model {
        plan::check_model(model)?;
    }
    let definition = engine.agent(&row.agent)?;
    if !definition.can_resume() {
        let what = format!("{} cannot take up a conversation again", definition.name);
        let hint = format!("stop {0}, then `downbeat resume {0}` starts it anew", row.name);
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
    end_and(engine, &row, then).await
}

/// A worker never may more than who it works for.
fn refuse_above(parent: &SessionRow, wanted: PermissionMode) -> Result<(), ApiError> {
    if parent.permission_mode.cap(wanted) == wanted {
        return Ok(());
    }
    let what = format!("that is more than {}, which it works for, may do", parent.name);
    Err(ApiError::new(Code::Conflict, what).hint(format!("restart {} with that mode first", parent.name)))
}

/// Nor by its conductor being given less, either.
fn refuse_below_workers(
    engine: &Engine,
    row: &SessionRow,
    permission: PermissionMode,
) -> Result<(), ApiError> {
    let state = engine.ledger.state();
    let workers = lookup::below(&state, &row.id);
    let above = workers.iter().filter(|worker| {
        worker.status.is_live() && permission.cap(worker.permission_mode) != worker.permission_mode
    });
    let names: Vec<&str> = above.map(|worker| worker.name.as_str()).collect();
    if names.is_empty() {
        return Ok(());
    }
    let what = format!(
        "workers of {} may do more than that: {}",
        row.name,
        names.join(", ")
    );
    Err(ApiError::new(Code::Conflict, what).hint("stop them first, or restart them with no more than that"))
}

/// Ends a session's agent, where one runs, and does what is to happen then.
pub async fn end_and(engine: &Arc<Engine>, row: &SessionRow, then: Then) -> Result<(), ApiError> {
    let id = &row.id;
    wishes::settle(engine, id).await?;
    engine.wishes.stand(id)?;
    let wished = engine
        .ledger
        .write(|draft| {
            let row = draft.session(id)?;
            if row.status.is_live() && !crate::begun::agent_started(row) {
                let text = format!("the agent of {} did not start yet", row.name);
                return Err(ApiError::new(Code::Conflict, text).hint("ask again once it is up"));
            }
            let is_busy = row.status == Status::Queued || Lineage::of(row).then.is_some();
            if is_busy || (row.status.is_live() && row.intent.is_some()) {
                let text = format!("{} is being started or ended", row.name);
                return Err(ApiError::new(Code::Conflict, text).hint("ask again once that is over"));
            }
            Lineage::change(row, |lineage| lineage.then = Some(then));
            draft.effect(Effect::Session(id.clone()));
            Ok(())
        })
        .await;
    if let Err(error) = wished {
        // Another request's may stand.
        if Lineage::of(&*engine.row(id)?).then.is_none() {
            engine.wishes.done(id);
        }
        return Err(error);
    }
    point("restart-wished");
    if let Err(error) = ending::end_to_go_on(engine, id).await {
        wishes::take_back(engine, id, &error).await;
        return Err(error);
    }
    point("restart-ended");
    let done = go_on(engine, id).await;
    match &done {
        Ok(()) => engine.wishes.done(id),
        Err(error) => wishes::take_back(engine, id, error).await,
    }
    done
}

/// Ends and goes on as the last engine was about to.
pub fn finish(engine: &Arc<Engine>, id: &SessionId) {
    let (engine, id) = (Arc::clone(engine), id.clone());
    tokio::spawn(async move {
        let ended = ending::end_to_go_on(&engine, &id).await;
        let done = match ended {
            Ok(()) => go_on(&engine, &id).await,
            Err(error) => give_up(&engine, &id).await.and(Err(error)),
        };
        match &done {
            Ok(()) => engine.wishes.done(&id),
            Err(error) => wishes::take_back(&engine, &id, error).await,
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
    let then = Lineage::of(&row).then.filter(|_| row.status.is_ended());
    let Some(then) = then else {
        return Err(called_off(&row));
    };
    let done = async {
        match &then {
            Then::Resume { model, permission } => changed(engine, id, model.as_deref(), *permission).await?,
            Then::HandOver { .. } => successor::change(engine, &row, &then).await?,
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

/// What is said where somebody stopped it meanwhile.
pub fn called_off(row: &SessionRow) -> ApiError {
    let text = format!(
        "{} was stopped meanwhile: it is {}",
        row.name,
        row.status.as_str()
    );
    ApiError::new(Code::Conflict, text).hint(format!("`downbeat resume {}` starts it again", row.name))
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
        only_goes_on(row)?;
        if let Some(model) = model {
            row.model = Some(model.to_owned()).filter(|model| !model.is_empty());
        }
        row.permission_mode = permission.unwrap_or(row.permission_mode);
        Ok(())
    });
    written.await
}

/// Of what was to happen after its end nothing is left but that it goes on: a crash behind this does
/// nothing twice. Refused where it was called off.
pub fn only_goes_on(row: &mut SessionRow) -> Result<(), ApiError> {
    if Lineage::of(row).then.is_none() {
        return Err(called_off(row));
    }
    let rest = Then::Resume {
        model: None,
        permission: None,
    };
    Lineage::change(row, |lineage| lineage.then = Some(rest));
    Ok(())
}

/// It cannot go on. Its end was no news while it was to; now it is.
async fn failed(engine: &Engine, id: &SessionId, error: &ApiError) -> Result<(), ApiError> {
    let written = engine.ledger.write(|draft| {
        let row = draft.session(id)?;
        if Lineage::of(row).then.is_none() || !row.status.is_ended() {
            return Ok(());
        }
        Lineage::change(row, |lineage| lineage.then = None);
        let why = format!("it was stopped to go on, and could not: {}", error.message);
        transition::fail(draft, id, Status::Errored, &why)
    });
    written.await
}

pub async fn give_up(engine: &Engine, id: &SessionId) -> Result<(), ApiError> {
    let written = engine.ledger.write(|draft| {
        Lineage::change(draft.session(id)?, |lineage| lineage.then = None);
        Ok(())
    });
    written.await
}
