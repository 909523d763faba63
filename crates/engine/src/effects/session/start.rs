//! Starts a planned session: makes its workspace, then hands its set-up and its agent to a keeper.

use crate::decide::{notices, start, status};
use crate::effects::process::launch;
use crate::effects::worktree::{allowed_commits, checkout};
use crate::session::row;
use crate::state::context::Engine;
use crate::state::handles::Live;
use downbeat_git::{CopyPlan, SetupCommand};
use downbeat_model::lines::first_line;
use downbeat_model::session::{Approval, Intent};
use downbeat_model::{SessionId, Status, Workspace};
use downbeat_store::SessionRow;
use downbeat_wire::notice::NoticeKind;
use downbeat_wire::session::StepState;
use downbeat_wire::{ApiError, Code};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// The set-up mode of a start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Setup {
    /// Run it as planned.
    Run,
    /// Leave it out: the person chose to start the agent anyway.
    Skip,
}

/// Starts to make the session, in the background.
pub fn start(engine: &Engine, id: &SessionId, setup: Setup) {
    let Some(engine) = engine.shared() else { return };
    let id = id.clone();
    let live = engine.runtimes.of(&id);
    let cancel = live.renew();
    tokio::spawn(async move {
        let turn = live.turn.lock().await;
        let made = make(&engine, &id, &live, setup, &cancel).await;
        if let Err(error) = made
            && !cancel.is_cancelled()
        {
            failed(&engine, &id, &error).await;
        }
        drop(turn);
    });
}

async fn make(
    engine: &Arc<Engine>,
    id: &SessionId,
    live: &Arc<Live>,
    setup: Setup,
    cancel: &CancellationToken,
) -> Result<(), ApiError> {
    // Checked between steps; each step can be cut short and repeated.
    let go_on = || match cancel.is_cancelled() {
        true => Err(ApiError::new(Code::Conflict, "interrupted")),
        false => Ok(()),
    };
    let row = engine.row(id)?;
    match row.intent {
        Some(Intent::Resume) => {
            checkout::whole(engine, &row, cancel).await?;
            return launch::start(engine, id, live, Vec::new()).await;
        }
        Some(_) => return Ok(()),
        None if row.status != Status::Spawning => return Ok(()),
        None => {}
    }
    go_on()?;
    checkout::checkout(engine, &row, cancel).await?;
    go_on()?;
    let plan = checkout::copy(engine, &row, cancel).await?;
    go_on()?;
    let commands = commands(engine, &row, plan, setup).await?;
    go_on()?;
    launch::start(engine, id, live, commands).await
}

/// Records an error in the session's steps and status, where a person sees it.
async fn failed(engine: &Engine, id: &SessionId, error: &ApiError) {
    let text = match &error.hint {
        Some(hint) => format!("{}\n{hint}", error.message),
        None => error.message.clone(),
    };
    tracing::warn!(session = %id, "spawn failed: {text}");
    let written = engine
        .ledger
        .write(|draft| {
            let now = draft.now();
            let mut steps = draft.session(id)?.steps.clone();
            if let Some(step) = steps.iter_mut().find(|step| step.state == StepState::Running) {
                start::finish(step, StepState::Failed, first_line(&text), now);
            }
            draft.session(id)?.steps = steps;
            status::fail(draft, id, Status::SetupFailed, &text)
        })
        .await;
    if let Err(error) = written {
        tracing::error!(session = %id, "could not record the failure: {error}");
    }
}

async fn commands(
    engine: &Engine,
    row: &SessionRow,
    plan: CopyPlan,
    setup: Setup,
) -> Result<Vec<SetupCommand>, ApiError> {
    if setup == Setup::Skip || row.workspace == Workspace::InPlace {
        let detail = if setup == Setup::Skip {
            "skipped on request"
        } else {
            ""
        };
        checkout::step(engine, &row.id, "setup", StepState::Skipped, detail).await?;
        return Ok(Vec::new());
    }
    let project = engine.project(&row.project_id)?;
    let setup = engine.setup_commands(&project, row::path_of(row)?, plan).await?;
    let commands = setup.commands;
    if !setup.warnings.is_empty() {
        let text = format!("set-up is incomplete: {}", setup.warnings.join("; "));
        let told = engine
            .ledger
            .write(|draft| notices::notify(draft, &row.id, NoticeKind::NeedsLook, text));
        told.await?;
    }
    if commands.is_empty() {
        let why = setup.warnings.first().map_or("nothing to set up", String::as_str);
        checkout::step(engine, &row.id, "setup", StepState::Skipped, why).await?;
    } else if !setup.approved {
        let hint = "approve the project's set-up, then retry; or start without it";
        return checkout::refused(engine, row, &commands, (Approval::Commands, "", hint)).await;
    } else if !allowed_commits::setup_stands(&project, row).await? {
        let why = (Approval::Commit, allowed_commits::why(row), allowed_commits::HINT);
        return checkout::refused(engine, row, &commands, why).await;
    }
    Ok(commands)
}
