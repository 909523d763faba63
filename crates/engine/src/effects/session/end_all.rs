//! Ends one or several sessions at the request of a person or a conductor, each with its shells. One process
//! tree is ended in [`crate::effects::process::end`].

use crate::decide::{ending, shells};
use crate::effects::process::{end, shells_end};
use crate::session::end_mode::EndMode;
use crate::state::context::Engine;
use crate::state::find;
use crate::state::known::State;
use downbeat_model::SessionId;
use downbeat_wire::session::StopSessions;
use downbeat_wire::worker::Ended;
use downbeat_wire::{ApiError, Caller};
use std::sync::Arc;

/// Ends one session and waits until its process tree is gone. A kill by the person ends its shells too.
pub async fn end(engine: &Arc<Engine>, id: &SessionId, mode: EndMode, by: &Caller) -> Result<(), ApiError> {
    let who = ending::by_whom(by);
    let noted = engine.ledger.write_or_owe(|draft| {
        let beside = match (mode, by) {
            (EndMode::Kill, Caller::Owner) => shells::note_kill(draft, id, who)?,
            _ => Vec::new(),
        };
        Ok((ending::note_or_call_off(draft, id, mode, who)?, beside))
    });
    let (is_noted, beside) = noted.await?;
    let own = async {
        match is_noted {
            true => end::carry_out(engine, id, mode, who).await,
            false => Ok(()),
        }
    };
    let (own, beside) = tokio::join!(own, shells_end::carry_out(engine, beside, who));
    own.and(beside)
}

/// Ends one session without its shells.
pub async fn end_agent(
    engine: &Arc<Engine>,
    id: &SessionId,
    mode: EndMode,
    by: &Caller,
) -> Result<(), ApiError> {
    let who = ending::by_whom(by);
    let noted = engine
        .ledger
        .write_or_owe(|draft| ending::note_or_call_off(draft, id, mode, who));
    match noted.await? {
        true => end::carry_out(engine, id, mode, who).await,
        false => Ok(()),
    }
}

/// Ends one session gracefully for a recorded next action, which any other end calls off.
pub async fn end_to_go_on(engine: &Arc<Engine>, id: &SessionId) -> Result<(), ApiError> {
    let (mode, who) = (EndMode::Stop, "to go on");
    let noted = engine.ledger.write(|draft| ending::note(draft, id, mode, who));
    match noted.await? {
        true => end::carry_out(engine, id, mode, who).await,
        false => Ok(()),
    }
}

/// Stops one session, a project's sessions, or all sessions.
pub async fn stop(engine: &Arc<Engine>, request: &StopSessions) -> Result<Ended, ApiError> {
    let _named = engine.recall_parent(request.id.as_deref()).await?;
    let state = engine.ledger.state();
    let all = |state: &State| -> Vec<_> {
        state
            .sessions
            .values()
            .chain(state.shells.values())
            .cloned()
            .collect()
    };
    let rows: Vec<_> = match (&request.id, &request.project, request.all) {
        (Some(id), None, None | Some(false)) => vec![find::terminal(&state, &Caller::Owner, id)?],
        (None, Some(project), None | Some(false)) => {
            let project = find::project(&state, project)?;
            let mut rows = all(&state);
            rows.retain(|row| row.project_id == project.id);
            rows
        }
        (None, None, Some(true)) => all(&state),
        _ => {
            return Err(
                ApiError::invalid("name one of: id, project, all").hint("set `all` to true, or leave it out")
            );
        }
    };
    end_all(
        engine,
        rows.into_iter().map(|row| row.id.clone()).collect(),
        EndMode::Stop,
        &Caller::Owner,
    )
    .await
}

/// Kills everything below a session.
pub async fn kill_workers(engine: &Arc<Engine>, caller: &Caller, id: &str) -> Result<Ended, ApiError> {
    let root = engine.find(caller, id).await?;
    let state = engine.ledger.state();
    let rows = find::below(&state, &root.id);
    end_all(
        engine,
        rows.into_iter().map(|row| row.id.clone()).collect(),
        EndMode::Kill,
        caller,
    )
    .await
}

async fn end_all(
    engine: &Arc<Engine>,
    ids: Vec<SessionId>,
    mode: EndMode,
    by: &Caller,
) -> Result<Ended, ApiError> {
    let mut tasks = tokio::task::JoinSet::new();
    for id in ids {
        let Ok(row) = engine.row(&id) else { continue };
        // A session that was just ended for a restart is stopped by calling the restart off.
        if row.status.is_ended() && engine.ledger.state().goes_on(&id).is_none() {
            continue;
        }
        let (engine, by) = (Arc::clone(engine), by.clone());
        tasks.spawn(async move { end(&engine, &id, mode, &by).await.map(|()| row.name.clone()) });
    }
    let mut sessions = Vec::new();
    let mut failed = None;
    while let Some(result) = tasks.join_next().await {
        match result {
            Ok(Ok(name)) => sessions.push(name),
            Ok(Err(error)) => failed = Some(error),
            Err(error) => failed = Some(ApiError::failed("ending a session failed unexpectedly", error)),
        }
    }
    sessions.sort();
    failed.map_or(Ok(Ended { sessions }), Err)
}
