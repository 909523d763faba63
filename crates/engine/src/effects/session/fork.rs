//! Forks a session: the new session begins with a copy of the other's conversation, in a worktree of its own
//! at the other's commit. Uncommitted work there is listed, and copied along or left as the person decides;
//! the other worktree is not touched.

use crate::decide::admission::Family;
use crate::decide::{admission, status};
use crate::effects::session::start::Setup;
use crate::effects::session::{conversation, start};
use crate::effects::worktree::{allowed_commits, approval, plan_place};
use crate::host::blocking;
use crate::host::failpoint::point;
use crate::session::copies;
use crate::state::context::Engine;
use crate::state::known::State;
use crate::state::requests::Effect;
use crate::state::{error, find};
use downbeat_git::BackupInfo;
use downbeat_model::session::Forked;
use downbeat_model::{EventKind, SessionId, Status, Workspace, name};
use downbeat_store::SessionRow;
use downbeat_wire::restore::{ConversationState, ForkSession, PlaceState};
use downbeat_wire::session::Base;
use downbeat_wire::spawn::NewSession;
use downbeat_wire::{ApiError, Caller, Code};
use serde_json::json;
use std::path::PathBuf;

/// The number of files that are named before a fork; the rest is counted.
const NAMED: usize = 5;

/// Forks the session `row` and returns the new session's id.
pub async fn fork(engine: &Engine, row: &SessionRow, request: &ForkSession) -> Result<SessionId, ApiError> {
    let conversation = to_copy(engine, row).await?;
    let definition = engine.agent(&row.agent)?;
    engine.look_for_program(&definition).await?;
    // Done before the planning lock is taken, since saving a big worktree takes time.
    let own = SessionId::random().map_err(|error| ApiError::failed("no id for the fork", error))?;
    let backup = match brings(engine, row, request).await? {
        true => saved(engine, row, &own).await?,
        false => None,
    };
    point("fork-saved");
    let made = make(engine, row, request, (own, conversation, backup.clone())).await;
    if made.is_err()
        && let Some(backup) = backup
    {
        drop_saved(engine, row, backup.name).await;
    }
    made
}

/// Drops the saved copy of uncommitted work after a fork that failed.
async fn drop_saved(engine: &Engine, row: &SessionRow, backup: String) {
    let Ok(project) = engine.project(&row.project_id) else {
        return;
    };
    let repo = PathBuf::from(&project.path);
    let dropped = blocking::blocking(move || downbeat_git::drop_backup(&repo, &backup)).await;
    if let Err(error) = dropped.and_then(|dropped| dropped.map_err(error::git)) {
        tracing::warn!(session = %row.id, "could not delete the copy for a fork that failed: {error}");
    }
}

/// Plans the fork and records it.
async fn make(
    engine: &Engine,
    row: &SessionRow,
    request: &ForkSession,
    (own, conversation, backup): (SessionId, String, Option<BackupInfo>),
) -> Result<SessionId, ApiError> {
    let planning = engine.planning.lock().await;
    let state = engine.ledger.state();
    let family = family(&state, row)?;
    admission::admit(&engine.limits(), &state, &family)?;
    let mut new = planned(engine, &state, &family, row, request).await?;
    approval::refuse_unapproved(engine, &Caller::Owner, &family.project, new.workspace).await?;
    allowed_commits::forked(&family.project, row, &mut new, backup.is_some()).await?;
    new.id = own;
    let (id, from) = (new.id.clone(), row.id.clone());
    new.lineage.forked = Some(Forked {
        id: from.clone(),
        name: row.name.clone(),
        conversation: Some(conversation),
        backup: backup.as_ref().map(|backup| backup.name.clone()),
        backup_commit: backup.map(|backup| backup.commit),
    });
    let held = engine
        .ledger
        .write(|draft| {
            let held = admission::admit(&engine.limits(), draft.state(), &family)?;
            allowed_commits::chosen(draft, &new)?;
            draft.put_session(new);
            draft.came_or_went(&id, EventKind::SessionCreated, json!({ "forkedFrom": from }));
            draft.effect(Effect::Session(id.clone()));
            if let Some(why) = &held {
                let evidence = crate::session::status::by_engine(format!("held back by {why}"), draft.now());
                status::set(draft, &id, Status::Queued, evidence)?;
            }
            Ok(held)
        })
        .await?;
    drop(planning);
    if held.is_none() {
        start::start(engine, &id, Setup::Run);
    }
    Ok(id)
}

/// Returns the conversation that a fork of the session begins with.
async fn to_copy(engine: &Engine, row: &SessionRow) -> Result<String, ApiError> {
    let definition = engine.agent(&row.agent)?;
    let refused = |what: String| ApiError::new(Code::Conflict, what);
    if !definition.can_fork() {
        let what = format!(
            "{} cannot copy a conversation, so {} cannot be forked",
            definition.name, row.name
        );
        return Err(refused(what).hint("`downbeat new --base BRANCH` starts a new session from its branch"));
    }
    let said = conversation::conversation(engine, row).await?;
    match row
        .conversation
        .clone()
        .filter(|_| said == ConversationState::Kept)
    {
        Some(conversation) => Ok(conversation),
        None => {
            let what = format!("{} has no conversation to copy: it is empty or lost", row.name);
            Err(refused(what).hint("`downbeat new --base BRANCH` starts a new session from its branch"))
        }
    }
}

/// Returns the place of a fork: the top level, since it belongs to the person and not to a conductor.
fn family(state: &State, row: &SessionRow) -> Result<Family, ApiError> {
    Ok(Family {
        project: find::project(state, row.project_id.as_str())?,
        parent: None,
        depth: 0,
    })
}

async fn planned(
    engine: &Engine,
    state: &State,
    family: &Family,
    row: &SessionRow,
    request: &ForkSession,
) -> Result<SessionRow, ApiError> {
    let path = directory(row)?;
    let shown = path.display().to_string();
    let head = blocking::in_time(&shown, move || downbeat_git::head(&path)).await?;
    let head = head.ok_or_else(|| {
        ApiError::new(
            Code::Conflict,
            format!("{} has no commit to start a fork from", row.name),
        )
    })?;
    let given = request
        .title
        .as_deref()
        .map(name::title)
        .filter(|title| !title.is_empty());
    let wanted = NewSession {
        project_id: None,
        title: Some(given.unwrap_or_else(|| format!("{} (fork)", row.title))),
        name: request.name.clone(),
        prompt: request.prompt.clone(),
        agent: Some(row.agent.clone()),
        model: row.model.clone(),
        conductor: Some(row.conducts),
        once: None,
        parent: None,
        permission_mode: Some(row.permission_mode),
        branch: None,
        base: Some(head.commit.clone()),
        workspace: Some(Workspace::Worktree),
        issue: None,
    };
    let mut new = plan_place::row(engine, state, family, &wanted).await?;
    let base = Base {
        name: head.branch.unwrap_or_else(|| row.name.clone()),
        commit: head.commit,
        behind: 0,
    };
    new.base = Some(base);
    new.issue = row.issue.clone();
    // It has the same conversation, so what it was asked for, too.
    new.goal_to_plan = row.goal_to_plan.clone();
    Ok(new)
}

/// Whether uncommitted work is copied along. Fails if there is some and the request does not say.
async fn brings(engine: &Engine, row: &SessionRow, request: &ForkSession) -> Result<bool, ApiError> {
    let path = directory(row)?;
    let repo = PathBuf::from(&engine.project(&row.project_id)?.path);
    let shown = path.display().to_string();
    let look = move || downbeat_git::summary(&repo, &path, None);
    let work = blocking::within(blocking::CHANGES, &shown, look).await?;
    let work = work.map_err(error::git)?;
    let files = work.status;
    match request.bring {
        // Holds also if git sees no changes: copied files that were changed come along.
        Some(bring) => Ok(bring),
        None if files.is_empty() => Ok(false),
        None => {
            let names: Vec<&str> = files.iter().take(NAMED).map(|line| line.trim()).collect();
            let more = match work.files.saturating_sub(NAMED) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            let what = format!(
                "{} contains uncommitted work: {}{more}",
                row.name,
                names.join(", ")
            );
            let hint = "say whether to copy it (`bring`: true or false; --bring, --leave)";
            Err(ApiError::new(Code::UnsavedWork, what).hint(hint))
        }
    }
}

/// Saves uncommitted work for the new session; the worktree of `row` stays as it is.
async fn saved(engine: &Engine, row: &SessionRow, new: &SessionId) -> Result<Option<BackupInfo>, ApiError> {
    let repo = PathBuf::from(&engine.project(&row.project_id)?.path);
    let (path, id) = (directory(row)?, new.clone());
    let copies = copies::copied(row)?;
    let saved = blocking::blocking(move || downbeat_git::save(&repo, &path, &id, &copies));
    saved.await?.map_err(error::git)
}

fn directory(row: &SessionRow) -> Result<PathBuf, ApiError> {
    let there = conversation::place(row) == PlaceState::There;
    let path = row.workspace_path.as_ref().map(PathBuf::from).filter(|_| there);
    path.ok_or_else(|| {
        ApiError::new(Code::Conflict, format!("the worktree of {} is gone", row.name))
            .hint(format!("`downbeat restore-work {}` recreates it", row.name))
    })
}
