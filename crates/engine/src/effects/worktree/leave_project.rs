//! Removes projects from the list, also those whose folder is gone. In that case no repository knows the
//! worktrees of its sessions any more, so they can be neither saved nor removed; their files stay in place.

use crate::decide::shells;
use crate::effects::worktree::{forget, trust};
use crate::host::blocking;
use crate::state::context::Engine;
use crate::state::find;
use crate::state::known::State;
use crate::state::requests::Effect;
use downbeat_model::{EventKind, SessionId, Status, Workspace};
use downbeat_plans::PlanState;
use downbeat_store::{ProjectRow, SessionRow};
use downbeat_wire::project::RemoveProject;
use downbeat_wire::{ApiError, Code};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The ways to restore a project whose folder is gone, for hints.
pub const BACK: &str =
    "put it back, or, if it was moved, say where (`downbeat project edit NAME --path NEW`)";

/// Returns the sentence that the project's folder is gone.
pub fn gone_words(project: &ProjectRow) -> String {
    format!("{} is missing", project.path)
}

/// Whether the folder of a project exists and is a checkout.
///
/// # Errors
/// If its disk does not answer.
pub async fn is_there(project: &ProjectRow) -> Result<bool, ApiError> {
    let git = Path::new(&project.path).join(".git");
    blocking::in_time(&project.path, move || git.exists()).await
}

/// Fails, with the ways out, if the folder of a project is gone: for operations that need its repository.
///
/// # Errors
/// If the folder is gone.
pub async fn refuse_gone(project: &ProjectRow) -> Result<(), ApiError> {
    match is_there(project).await? {
        true => Ok(()),
        false => Err(gone(project, String::new())),
    }
}

fn gone(project: &ProjectRow, held: String) -> ApiError {
    let name = &project.name;
    let what = format!("the folder of the project {name} is gone: {}{held}", project.path);
    ApiError::new(Code::Conflict, what).hint(format!(
        "{}; `downbeat project remove {name} --force` removes it and its sessions from the list; their files \
         stay",
        BACK.replace("NAME", name)
    ))
}

/// Refuses to remove a project while a plan of it has work under way, which would go on without the plan.
fn refuse_plans(state: &State, project: &ProjectRow) -> Result<(), ApiError> {
    let mut plans = state.plans.values().filter(|plan| plan.project == project.id);
    let open = plans.find(|plan| {
        let is_begun =
            plan.started_at.is_some() && matches!(plan.state, PlanState::Running | PlanState::Paused);
        is_begun || !plan.leaving.is_empty()
    });
    let Some(plan) = open else {
        return Ok(());
    };
    let what = format!("the plan {} of {} is not over", plan.id, project.name);
    let hint = format!(
        "`downbeat plan cancel {}` cancels it; repeat this once its workers are stopped",
        plan.id
    );
    Err(ApiError::new(Code::Conflict, what).hint(hint))
}

/// Removes a project from the list. `force` is needed if a program runs in a shell of one of its sessions, or
/// if its folder is gone while sessions have worktrees, which are then left as they are.
pub async fn remove(engine: &Engine, request: &RemoveProject) -> Result<(), ApiError> {
    // Keeps new sessions from being planned meanwhile.
    let _planning = engine.planning.lock().await;
    let project = find::project(&engine.ledger.state(), &request.id)?;
    // Archived sessions may keep a worktree too.
    let _sessions = engine.recall_project(&project.id).await?;
    let state = engine.ledger.state();
    refuse_plans(&state, &project)?;
    let force = request.force.unwrap_or(false);
    let own: Vec<_> = state
        .sessions
        .values()
        .filter(|row| row.project_id == project.id)
        .collect();
    let is_over = |row: &SessionRow| row.status.is_ended() || row.status == Status::Queued;
    let held = |row: &SessionRow| !is_over(row) || has_worktree(row);
    let holding: Vec<_> = own
        .iter()
        .filter(|row| held(row))
        .map(|row| row.name.clone())
        .collect();
    let is_gone = !holding.is_empty() && !is_there(&project).await?;
    let all_over = own.iter().all(|row| is_over(row));
    match (is_gone, holding.is_empty()) {
        (_, true) => {}
        (true, _) if all_over && force => {}
        (true, _) if all_over => return Err(gone(&project, left(&own))),
        (true, _) => return Err(still_runs(&project, &holding)),
        (false, _) => return Err(still_held(&project, &holding)),
    }
    if !force {
        own.iter().try_for_each(|row| shells::refuse_held(&state, row))?;
    }
    if project.trusted {
        trust::trust(engine, &project.id, false).await?;
    }
    for row in own {
        if is_gone && has_worktree(row) {
            leave_worktree(engine, &row.id).await?;
        }
        forget::forget(engine, &row.id, true).await?;
    }
    clear_checks(engine, &project).await;
    engine
        .ledger
        .write(|draft| {
            draft.event(EventKind::ProjectRemoved, Some(&project.id), Value::Null);
            draft.drop_project(&project.id);
            draft.effect(Effect::Answer(json!({})));
            Ok(())
        })
        .await
}

fn has_worktree(row: &SessionRow) -> bool {
    row.workspace == Workspace::Worktree && row.workspace_path.is_some()
}

/// Lists the worktrees of the sessions, and whether files are left in them.
fn left(own: &[&Arc<SessionRow>]) -> String {
    let paths = own.iter().filter(|row| has_worktree(row));
    let worktree = |row: &&Arc<SessionRow>| {
        let path = row.workspace_path.as_deref().unwrap_or_default();
        let state = match Path::new(path).is_dir() {
            true => "its files are still in",
            false => "nothing is left in",
        };
        format!("\n  {}: {state} {path}", row.name)
    };
    let lines: String = paths.map(worktree).collect();
    format!("; the commits of its worktrees are lost with it{lines}")
}

fn still_runs(project: &ProjectRow, holding: &[String]) -> ApiError {
    let name = &project.name;
    let what = format!(
        "the folder of {name} is gone, and some of its sessions are still running: {}",
        holding.join(", ")
    );
    ApiError::new(Code::Conflict, what).hint(format!(
        "end them (`downbeat stop -p {name}`), then `downbeat project remove {name} --force`"
    ))
}

fn still_held(project: &ProjectRow, holding: &[String]) -> ApiError {
    let name = &project.name;
    let what = format!(
        "{name} still has running sessions or sessions with a worktree: {}",
        holding.join(", ")
    );
    ApiError::new(Code::Conflict, what).hint(format!(
        "stop them (`downbeat stop -p {name}`), then run `downbeat remove --ended -p {name}`; removing a project \
         deletes no files"
    ))
}

/// Forgets a session's worktree whose repository is gone.
async fn leave_worktree(engine: &Engine, id: &SessionId) -> Result<(), ApiError> {
    let written = engine.ledger.write(|draft| {
        draft.session(id)?.workspace_path = None;
        draft.session_event(id, EventKind::SessionChanged, Value::Null);
        Ok(())
    });
    written.await
}

/// Removes the worktree of a project's checks and everything beside it.
async fn clear_checks(engine: &Engine, project: &ProjectRow) {
    let (repo, folder) = (PathBuf::from(&project.path), engine.paths.checks(&project.id));
    let removed = blocking::blocking(move || remove_all(&repo, &folder)).await;
    if let Ok(Err(error)) = removed {
        tracing::warn!("the files of a project's checks stay: {error}");
    }
}

fn remove_all(repo: &Path, folder: &Path) -> Result<(), downbeat_git::Error> {
    if !folder.exists() {
        return Ok(());
    }
    if repo.exists() {
        downbeat_git::remove_check_tree(repo, &folder.join("tree"))?;
    }
    downbeat_git::remove_tree(folder)
}
