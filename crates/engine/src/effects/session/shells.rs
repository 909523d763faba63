//! Opens and closes the side shells of a session.

use crate::decide::{shells, start, status};
use crate::effects::process::end::SEEN;
use crate::effects::process::{clear_shell, launch};
use crate::effects::session::end_all;
use crate::facts::foreground;
use crate::host::failpoint::point;
use crate::session::end_mode::EndMode;
use crate::session::row;
use crate::state::context::Engine;
use crate::state::draft::Draft;
use crate::state::find;
use crate::state::requests::Effect;
use downbeat_agents::SHELL;
use downbeat_model::{EventKind, SessionId, Status, Workspace};
use downbeat_store::SessionRow;
use downbeat_wire::shell::{CloseShell, Shell};
use downbeat_wire::{ApiError, Caller, Code};
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;

/// Opens a side shell for a session, and waits until its terminal can be attached to.
pub async fn open(engine: &Arc<Engine>, session: &SessionId) -> Result<Shell, ApiError> {
    let definition = engine.agent(SHELL)?;
    engine.look_for_program(&definition).await?;
    let around = engine.runtimes.of(session);
    // Keeps the workspace from being created or removed meanwhile.
    let Ok(_turn) = tokio::time::timeout(SEEN, around.turn.lock()).await else {
        let name = &engine.row(session)?.name;
        return Err(
            ApiError::new(Code::Conflict, format!("the workspace of {name} is busy"))
                .hint("try again in a moment"),
        );
    };
    has_place(&*engine.row(session)?)?;
    point("shell-asked");
    let id = SessionId::random().map_err(|error| ApiError::failed("no randomness", error))?;
    let planned = engine.ledger.write(|draft| {
        if draft.session(session)?.status.is_ended() {
            start::own_port(draft, session, |state| engine.free_port(state))?;
        }
        let beside = draft.session(session)?.clone();
        // Archiving does not take the turn, so it may have happened in between.
        shells::is_listed(&beside)?;
        let row = shells::planned(draft.state(), &beside, id.clone(), draft.now())?;
        draft.put_session(row);
        draft.session_event(&id, EventKind::SessionCreated, Value::Null);
        draft.effect(Effect::Shell(id.clone()));
        Ok(())
    });
    planned.await?;
    point("shell-planned");
    let live = engine.runtimes.of(&id);
    let turn = live.turn.lock().await;
    let started = launch::start(engine, &id, &live, Vec::new()).await;
    drop(turn);
    if let Err(error) = started {
        let why = error.message.clone();
        let fail = |draft: &mut Draft| status::fail(draft, &id, Status::Errored, &why);
        engine.ledger.write(fail).await?;
        clear_shell::clear(engine, &id).await;
        return Err(error);
    }
    point("shell-started");
    match engine.row(&id) {
        Ok(row) if !row.status.is_ended() => Ok(find::view(&row)),
        row => Err(at_once(row.ok().or_else(|| live.last()).as_deref())),
    }
}

/// Builds the error for a shell that ended as soon as it was open, for example by `exit` in its start-up
/// file.
fn at_once(row: Option<&SessionRow>) -> ApiError {
    let how = row
        .and_then(|row| row.exit_code)
        .map(|code| format!(": exit code {code}"));
    let said = row.and_then(|row| row.error.as_deref()?.split_once('\n'));
    let said = said.map(|(_, lines)| format!("\n{lines}")).unwrap_or_default();
    let what = format!("the shell exited immediately{}{said}", how.unwrap_or_default());
    ApiError::new(Code::Failed, what).hint("check the shell's start-up file")
}

/// Fails if there is no directory to open a shell in.
fn has_place(row: &SessionRow) -> Result<(), ApiError> {
    shells::is_listed(row)?;
    let refused = |what: String| ApiError::new(Code::Conflict, what);
    let name = &row.name;
    let made = |path: &str| match row.workspace {
        Workspace::Worktree => Path::new(path).join(".git").exists(),
        Workspace::InPlace => Path::new(path).is_dir(),
    };
    match &row.workspace_path {
        Some(path) if made(path) => Ok(()),
        Some(_) if row.status == Status::Queued => {
            Err(refused(format!("{name} has not started: it has no worktree yet")))
        }
        Some(path) => Err(refused(format!("the directory of {name} is missing: {path}"))),
        None => Err(refused(format!("the worktree of {name} was removed"))
            .hint(format!("`downbeat restore-work {name}` recreates it"))),
    }
}

/// Closes one shell of a session. A shell with a running program is closed only with `force`.
pub async fn close(engine: &Arc<Engine>, session: &SessionRow, request: &CloseShell) -> Result<(), ApiError> {
    let row = find::of_session(&engine.ledger.state(), session, &request.shell)?;
    if !request.force.unwrap_or(false) {
        if let Some(link) = engine.runtimes.of(&row.id).link() {
            foreground::look(engine, &row.id, &link).await;
        }
        let row = engine.row(&row.id)?;
        if let Some(program) = row::program(&row) {
            return Err(
                ApiError::new(Code::Conflict, format!("{} runs {program}", row.name))
                    .hint("end that first, or close the shell with `force`, which ends it too"),
            );
        }
    }
    end_all::end(engine, &row.id, EndMode::Kill, &Caller::Owner).await
}
