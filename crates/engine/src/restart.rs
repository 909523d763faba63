//! Restart in place: a live session's agent is ended gracefully and resumed in the same conversation,
//! perhaps with another model or permission mode. What is to happen after the end is written down
//! with the wish to end, so that the next engine goes on where this one was killed.

use crate::ending::{self, Wish};
use crate::engine::Engine;
use crate::lineage::{Lineage, Then};
use crate::point::point;
use crate::{plan, resume, successor};
use downbeat_model::SessionId;
use downbeat_store::SessionRow;
use downbeat_wire::restore::RestartSession;
use downbeat_wire::session::ResumeSession;
use downbeat_wire::{ApiError, Caller, Code};
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
        let hint = format!("stop {0}, then `downbeat restore {0}` starts it anew", row.name);
        return Err(ApiError::new(Code::Conflict, what).hint(hint));
    }
    engine.look_for_program(&definition).await?;
    let parent = row.parent.as_ref().and_then(|id| engine.ledger.session(id));
    let permission = request.permission_mode.map(|wanted| match &parent {
        Some(parent) => parent.permission_mode.cap(wanted),
        None => wanted,
    });
    let then = Then::Resume {
        model: request.model.clone(),
        permission,
    };
    end_and(engine, &row, then).await
}

/// Ends a session's agent, where one runs, and does what is to happen then.
pub async fn end_and(engine: &Arc<Engine>, row: &SessionRow, then: Then) -> Result<(), ApiError> {
    let id = &row.id;
    engine
        .ledger
        .write(|draft| {
            let row = draft.session(id)?;
            if row.status.is_live() && !crate::begun::agent_started(row) {
                let text = format!("the agent of {} did not start yet", row.name);
                return Err(ApiError::new(Code::Conflict, text).hint("ask again once it is up"));
            }
            if row.status == downbeat_model::Status::Queued || (row.status.is_live() && row.intent.is_some())
            {
                let text = format!("{} is being started or ended", row.name);
                return Err(ApiError::new(Code::Conflict, text).hint("ask again once that is over"));
            }
            Lineage::change(row, |lineage| lineage.then = Some(then));
            Ok(())
        })
        .await?;
    point("restart-wished");
    if let Err(error) = ending::end(engine, id, Wish::Stop, &Caller::Owner).await {
        give_up(engine, id).await?;
        return Err(error);
    }
    point("restart-ended");
    go_on(engine, id).await
}

/// Ends and goes on as the last engine was about to.
pub fn finish(engine: &Arc<Engine>, id: &SessionId) {
    let (engine, id) = (Arc::clone(engine), id.clone());
    tokio::spawn(async move {
        let ended = ending::end(&engine, &id, Wish::Stop, &Caller::Owner).await;
        let done = match ended {
            Ok(()) => go_on(&engine, &id).await,
            Err(error) => give_up(&engine, &id).await.and(Err(error)),
        };
        if let Err(error) = done {
            tracing::warn!(session = %id, "a restart could not be finished: {error}");
        }
    });
}

/// Does what was to happen after the end of a session, where something was.
pub async fn go_on(engine: &Arc<Engine>, id: &SessionId) -> Result<(), ApiError> {
    let row = engine.row(id)?;
    let Some(then) = Lineage::of(&row).then else {
        return Ok(());
    };
    if !row.status.is_ended() {
        return Ok(());
    }
    let ready = match &then {
        Then::Resume { model, permission } => changed(engine, id, model.as_deref(), *permission).await,
        Then::HandOver { .. } => successor::change(engine, &row, &then).await,
    };
    give_up(engine, id).await?;
    ready?;
    let request = ResumeSession {
        id: id.to_string(),
        fresh: None,
        remake: None,
    };
    resume::resume(engine, id, &request).await
}

async fn changed(
    engine: &Engine,
    id: &SessionId,
    model: Option<&str>,
    permission: Option<downbeat_model::PermissionMode>,
) -> Result<(), ApiError> {
    let written = engine.ledger.write(|draft| {
        let row = draft.session(id)?;
        if let Some(model) = model {
            row.model = Some(model.to_owned()).filter(|model| !model.is_empty());
        }
        row.permission_mode = permission.unwrap_or(row.permission_mode);
        Ok(())
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
