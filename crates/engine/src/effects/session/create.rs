//! Creates a session that somebody asked for, or a rule. Its workspace is made afterwards, by `start`.

use crate::decide::admission::Family;
use crate::decide::{access, admission, status, tracking};
use crate::effects::pulls::issue;
use crate::effects::session::start::{self, Setup};
use crate::effects::worktree::{allowed_commits, approval, plan_place};
use crate::host::failpoint::point;
use crate::state::context::Engine;
use crate::state::draft::Draft;
use crate::state::requests::Effect;
use downbeat_model::{EventKind, SessionId, Status};
use downbeat_store::SessionRow;
use downbeat_wire::spawn::NewSession;
use downbeat_wire::{ApiError, Caller};

/// Creates a session for a caller, and starts it unless a limit holds it back. `chooser` chose the commit that it begins at:
/// what the person chose may run. What `also` does is recorded together with the session.
///
/// # Errors
/// Fails if the request asks for something that is not there or not allowed, or if nothing can be recorded.
pub async fn create(
    engine: &Engine,
    (caller, chooser): (&Caller, &Caller),
    request: NewSession,
    also: impl FnOnce(&mut Draft, &mut SessionRow) -> Result<(), ApiError>,
) -> Result<SessionId, ApiError> {
    let _parent = engine.recall_parent(request.parent.as_deref()).await?;
    let family = admission::family(&engine.ledger.state(), caller, &request)?;
    if request.issue.is_some() {
        refuse(engine, caller, &family, &request).await?;
    }
    let (request, issue) = issue::filled(engine, caller, &family.project, request).await?;
    let planning = engine.planning.lock().await;
    let state = engine.ledger.state();
    let family = admission::family(&state, caller, &request)?;
    admission::admit(&engine.limits(), &state, &family)?;
    let mut row = plan_place::row(engine, &state, &family, &request).await?;
    row.issue = issue;
    access::may_lead(&state, caller)?;
    access::may_spawn(caller, &engine.known_agents(), (&row.agent, row.workspace))?;
    access::may_conduct(caller, &row, engine.limits().max_depth)?;
    let agent = engine.agent(&row.agent)?;
    engine.look_for_program(&agent).await?;
    approval::refuse_unapproved(engine, caller, &family.project, row.workspace).await?;
    allowed_commits::planned(&state, chooser, &family.project, &mut row).await?;
    let id = row.id.clone();
    let written = engine.ledger.write(|draft| {
        let held = admission::admit(&engine.limits(), draft.state(), &family)?;
        if *chooser == Caller::Owner {
            allowed_commits::chosen(draft, &row)?;
        }
        also(draft, &mut row)?;
        tracking::begun(draft, &row);
        draft.put_session(row);
        draft.came_or_went(&id, EventKind::SessionCreated, serde_json::Value::Null);
        draft.effect(Effect::Session(id.clone()));
        if let Some(why) = &held {
            let evidence = crate::session::status::by_engine(format!("held back by {why}"), draft.now());
            status::set(draft, &id, Status::Queued, evidence)?;
        }
        Ok(held)
    });
    let held = written.await?;
    drop(planning);
    point("spawn-created");
    if held.is_none() {
        start::start(engine, &id, Setup::Run);
    }
    Ok(id)
}

/// Refuses what follows from a request alone, so that no issue is read for a session that nobody gets.
async fn refuse(
    engine: &Engine,
    caller: &Caller,
    family: &Family,
    request: &NewSession,
) -> Result<(), ApiError> {
    let config = engine.project_config(&family.project).await?;
    let agent = plan_place::agent(engine, &config, family, request)?;
    let workspace = request.workspace.unwrap_or_default();
    access::may_spawn(caller, &engine.known_agents(), (&agent, workspace))?;
    approval::refuse_unapproved(engine, caller, &family.project, workspace).await
}
