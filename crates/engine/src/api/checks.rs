//! Requests runs of a project's checks, cancels them, and reads their output.

use crate::decide::checks as decide;
use crate::effects::checks::output;
use crate::effects::checks::plan::Plan;
use crate::state::context::Engine;
use crate::state::requests::Effect;
use downbeat_model::session::{CheckedFor, Unchecked};
use downbeat_model::{SessionId, Workspace};
use downbeat_store::SessionRow;
use downbeat_wire::check::CheckOutput;
use downbeat_wire::session::Session;
use downbeat_wire::{ApiError, Caller, Code};

/// Requests a run on the newest commit of a session.
pub async fn request(engine: &Engine, caller: &Caller, row: &SessionRow) -> Result<Session, ApiError> {
    let project = engine.project(&row.project_id)?;
    Plan::of(engine, &project).await?.refuse_unusable(&project)?;
    let by = match is_own(caller, row) {
        true => CheckedFor::Session,
        false => CheckedFor::Caller,
    };
    let run = new_run()?;
    let written = engine.ledger.write(|draft| {
        decide::request(draft, &row.id, run, by)?;
        draft.effect(Effect::Session(row.id.clone()));
        Ok(())
    });
    written.await?;
    engine.shown(&row.id)
}

/// Returns the identifier of the run that follows a worker's report that its task is done, or why none follows. A report is
/// never refused because of the checks.
pub async fn run_after_report(
    engine: &Engine,
    id: &SessionId,
) -> Result<Result<SessionId, Unchecked>, ApiError> {
    let row = engine.row(id)?;
    let project = engine.project(&row.project_id)?;
    if row.workspace == Workspace::InPlace {
        return Ok(Err(Unchecked::InPlace));
    }
    if row.workspace_path.is_none() {
        return Ok(Err(Unchecked::NoWorktree));
    }
    match Plan::of(engine, &project).await {
        Err(_) => Ok(Err(Unchecked::Unreadable)),
        Ok(plan) if plan.checks.is_empty() => Ok(Err(Unchecked::NoChecks)),
        Ok(plan) if !plan.approved => Ok(Err(Unchecked::NotApproved)),
        Ok(_) => new_run().map(Ok),
    }
}

fn new_run() -> Result<SessionId, ApiError> {
    SessionId::random().map_err(|error| ApiError::failed("no randomness", error))
}

fn is_own(caller: &Caller, row: &SessionRow) -> bool {
    matches!(caller, Caller::Session(id) if *id == row.id)
}

/// Cancels the run that waits or is under way. A session cannot escape its own checks.
pub async fn cancel(engine: &Engine, caller: &Caller, row: &SessionRow) -> Result<Session, ApiError> {
    if is_own(caller, row) {
        let what = format!("{} cannot cancel its own checks", row.name);
        return Err(ApiError::new(Code::Forbidden, what).hint("ask your conductor or the person"));
    }
    let written = engine.ledger.write(|draft| {
        if !decide::cancel(draft, &row.id)? {
            let what = format!("the checks of {} are not running", row.name);
            return Err(ApiError::new(Code::Conflict, what));
        }
        draft.effect(Effect::Session(row.id.clone()));
        Ok(())
    });
    written.await?;
    engine.shown(&row.id)
}

/// Sends the failures of the last run to the session's agent.
pub async fn send(engine: &Engine, row: &SessionRow) -> Result<Session, ApiError> {
    let written = engine.ledger.write(|draft| {
        decide::send_last(draft, &row.id)?;
        draft.effect(Effect::Session(row.id.clone()));
        Ok(())
    });
    written.await?;
    engine.shown(&row.id)
}

/// Reads the output of one check of the last run.
pub async fn output(engine: &Engine, row: &SessionRow, check: &str) -> Result<CheckOutput, ApiError> {
    let name = &row.name;
    let last = row.checks.last.as_ref();
    let names: Vec<&str> = last
        .into_iter()
        .flat_map(|last| &last.checks)
        .map(|check| check.name.as_str())
        .collect();
    let Some(number) = names.iter().position(|name| *name == check) else {
        let error = ApiError::not_found("check", check);
        return Err(match names.is_empty() {
            true => error.hint(format!(
                "no checks have run yet: `downbeat check {name}` runs them"
            )),
            false => error.hint(format!("the checks of {name} are: {}", names.join(", "))),
        });
    };
    let text = output::read(engine.paths.check_output(&row.project_id, &row.id), number).await?;
    let text = text.ok_or_else(|| {
        ApiError::new(Code::NotFound, format!("the output of {check} is gone"))
            .hint(format!("`downbeat check {name}` runs it again"))
    })?;
    Ok(CheckOutput {
        check: check.to_owned(),
        text,
    })
}
