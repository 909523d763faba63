//! Removes worktrees; [`crate::effects::worktree::restore`] makes them again. Unsaved work is named first and
//! always saved. The intent is recorded before anything is deleted, so that the next engine finishes the
//! removal after a crash.

use crate::decide::{merge, notices, shells};
use crate::effects::process::shells_end;
use crate::effects::worktree::clear::Cleared;
use crate::effects::worktree::{clear, leave_project, record};
use crate::host::blocking;
use crate::host::failpoint::point;
use crate::state::context::Engine;
use crate::state::draft::Draft;
use crate::state::{error, take_back};
use downbeat_model::session::{Intent, RemovalChoices, Removed};
use downbeat_model::{EventKind, SessionId, Status, Workspace};
use downbeat_store::SessionRow;
use downbeat_wire::notice::NoticeKind;
use downbeat_wire::workspace::{Backup, Removal, RemoveWorkspace, WorkspaceState};
use downbeat_wire::{ApiError, Caller, Code};
use serde_json::json;
use std::path::PathBuf;

/// Removes a workspace as requested.
pub async fn remove(
    engine: &Engine,
    caller: &Caller,
    row: &SessionRow,
    request: &RemoveWorkspace,
) -> Result<Removal, ApiError> {
    let live = engine.runtimes.of(&row.id);
    let _turn = live.turn.lock().await;
    take_back::settle(engine, &row.id).await?;
    let row = &*engine.row(&row.id)?;
    if row.status == Status::Queued && !request.forget.unwrap_or(false) {
        let name = &row.name;
        let why = format!("{name} is queued and has no worktree yet");
        return Err(ApiError::new(Code::Conflict, why).hint(format!(
            "`downbeat kill {name}` removes it from the queue, `downbeat remove --forget {name}` from the list"
        )));
    }
    merge::refuse_landing(row)?;
    reachable(row)?;
    if row.workspace == Workspace::Worktree && row.workspace_path.is_some() {
        leave_project::refuse_gone(&*engine.project(&row.project_id)?).await?;
    }
    let held = record::state(engine, row).await?;
    if let Some(why) = held.blocked {
        return Err(ApiError::new(
            Code::Conflict,
            format!("the workspace of {} cannot be removed: {why}", row.name),
        ));
    }
    let force = request.force.unwrap_or(false) && *caller == Caller::Owner;
    if !force {
        refuse_work(engine, caller, row, &held).await?;
    }
    let choices = RemovalChoices {
        delete_branch: request.delete_branch.unwrap_or(false),
        // Only the person may remove a session from the list, as in
        // [`crate::effects::worktree::forget::forget`].
        forget: request.forget.unwrap_or(false) && *caller == Caller::Owner,
        force,
    };
    let removed = match row.intent {
        // A removal that has begun recorded what it saved, and may have taken the folder.
        Some(Intent::Remove(_)) => None,
        _ => record::removed(row, &held).await?,
    };
    note(engine, &row.id, removed, choices).await?;
    point("remove-noted");
    carry_out(engine, &row.id, choices).await
}

/// Records that a workspace is being removed, and what was in it.
async fn note(
    engine: &Engine,
    id: &SessionId,
    removed: Option<Removed>,
    choices: RemovalChoices,
) -> Result<(), ApiError> {
    engine.intent_files.confirm(id)?;
    let noted = engine
        .ledger
        .write(|draft| {
            let row = draft.session(id)?;
            if let Some(why) = record::blocked(row) {
                return Err(ApiError::new(
                    Code::Conflict,
                    format!("{} cannot be removed: {why}", row.name),
                ));
            }
            if let Some(removed) = removed {
                let kept = row.removed.take().and_then(|before| before.kept);
                row.removed = Some(Removed { kept, ..removed });
            }
            row.intent = Some(Intent::Remove(choices));
            Ok(())
        })
        .await;
    if noted.is_err() {
        engine.intent_files.clear(id);
    }
    noted
}

/// Fails if the folder around the worktree is missing too. Then its disk is probably not mounted: the work
/// could not be saved now, and no repository would know it once the disk is back.
fn reachable(row: &SessionRow) -> Result<(), ApiError> {
    let path = row.workspace_path.as_ref().map(PathBuf::from);
    let away = path.filter(|path| !path.parent().is_some_and(std::path::Path::is_dir));
    match away {
        None => Ok(()),
        Some(path) => Err(ApiError::new(
            Code::Conflict,
            format!("the folder of {} cannot be reached: {}", row.name, path.display()),
        )
        .hint("reconnect its disk; or, if it is gone for good, recreate the folder above it")),
    }
}

/// Fails if a workspace holds work that is not saved, or if programs run in its shells.
async fn refuse_work(
    engine: &Engine,
    caller: &Caller,
    row: &SessionRow,
    held: &WorkspaceState,
) -> Result<(), ApiError> {
    let beside = shells::held(&engine.ledger.state(), caller, &row.id);
    let only_shells = record::held_nothing(held) && !beside.is_empty();
    let what: Vec<String> = [record::held_words(held), beside].into();
    let what = what
        .into_iter()
        .filter(|words| !words.is_empty())
        .collect::<Vec<_>>()
        .join(", ");
    if what.is_empty() {
        return Ok(());
    }
    if matches!(caller, Caller::Session(_)) {
        let text = format!("its conductor wants to remove its worktree, which contains {what}");
        engine
            .ledger
            .write(|draft| notices::notify(draft, &row.id, NoticeKind::NeedsInput, text))
            .await?;
        return Err(ApiError::new(
            Code::UnsavedWork,
            format!("{} contains {what}; only the person can remove it", row.name),
        )
        .hint(match only_shells {
            true => "the person was notified; leave the worktree: it can be removed once they have closed it",
            false => {
                "the person was notified; leave the worktree, or have the work committed and pushed first"
            }
        }));
    }
    let way = match held.unreadable {
        Some(_) => clear::WAY,
        None => {
            "confirm (force) to remove the worktree; what can be saved is saved first and can be restored"
        }
    };
    Err(ApiError::new(Code::UnsavedWork, format!("{} contains {what}", row.name)).hint(way))
}

/// Carries out a recorded removal. Each part may already have been done.
pub async fn carry_out(
    engine: &Engine,
    id: &SessionId,
    choices: RemovalChoices,
) -> Result<Removal, ApiError> {
    let RemovalChoices {
        delete_branch,
        forget,
        force,
    } = choices;
    let row = engine.row(id)?;
    let repo = PathBuf::from(&engine.project(&row.project_id)?.path);
    let ended = shells_end::end_beside(engine, id).await;
    let cleared = match &ended {
        Ok(_) => clear::clear(engine, &row, repo.clone(), force).await,
        Err(error) => Err(error.clone()),
    };
    let cleared = match cleared {
        Ok(cleared) => cleared,
        Err(error) => {
            take_back::take_back(engine, id, &error).await;
            return Err(error);
        }
    };
    let branch = row.branch.clone().filter(|_| delete_branch);
    let deleted = delete(repo, branch).await;
    point("remove-branch-deleted");
    engine
        .ledger
        .write(|draft| {
            // The intent stays on record until its last part is done.
            if !forget || deleted.is_err() {
                draft.session(id)?.intent = None;
            }
            note_removed(draft, id, &cleared, deleted.as_ref().ok().cloned().flatten())
        })
        .await?;
    point("remove-written");
    let removal = Removal {
        id: id.clone(),
        backup: cleared.backup.map(record::as_backup),
        deleted_branch: deleted?,
        shells: ended?,
        left: cleared.left,
    };
    if forget {
        crate::effects::worktree::forget::forget_held(engine, id, json!(removal)).await?;
    }
    engine.intent_files.clear(id);
    Ok(removal)
}

/// Writes down that a workspace is gone, with what was saved and what was left. `branch` was deleted with it.
fn note_removed(
    draft: &mut Draft,
    id: &SessionId,
    cleared: &Cleared,
    branch: Option<String>,
) -> Result<(), ApiError> {
    let row = draft.session(id)?;
    row.has_backup = cleared.has_backup;
    row.run.taken_up = 0;
    if let Some(kept) = &cleared.kept {
        let removed = row.removed.get_or_insert_default();
        removed.kept = Some(kept.to_string_lossy().into_owned());
    }
    if let Some(left) = cleared.left.clone() {
        notices::notify(draft, id, NoticeKind::NeedsLook, left)?;
    }
    if draft.session(id)?.workspace_path.take().is_some() {
        let backup = cleared.backup.as_ref().map(|backup| &backup.name);
        draft.session_event(
            id,
            EventKind::WorkspaceRemoved,
            json!({ "backup": backup, "branch": branch }),
        );
    }
    Ok(())
}

/// Deletes the branch of a removed workspace. Returns its name.
async fn delete(repo: PathBuf, branch: Option<String>) -> Result<Option<String>, ApiError> {
    let Some(branch) = branch else { return Ok(None) };
    blocking::blocking(move || downbeat_git::delete_branch(&repo, &branch).map(|()| Some(branch)))
        .await?
        .map_err(|error| error::git(error).hint("the worktree is removed; its branch stays"))
}

/// Lists the saved work of a session, newest first.
pub async fn backups(engine: &Engine, row: &SessionRow) -> Result<Vec<Backup>, ApiError> {
    let (repo, id) = (
        PathBuf::from(&engine.project(&row.project_id)?.path),
        row.id.clone(),
    );
    let found = blocking::blocking(move || downbeat_git::backups(&repo, &id))
        .await?
        .map_err(error::git)?;
    let mut found: Vec<Backup> = found.into_iter().map(record::as_backup).collect();
    // Includes what the last removal saved, even if no reference names it any more.
    let saved = row
        .removed
        .as_ref()
        .and_then(|removed| Some((removed.backup.clone()?, removed.backup_commit.clone())));
    if let Some((name, commit)) = saved
        && found.iter().all(|backup| backup.name != name)
    {
        found.push(Backup {
            name,
            commit: commit.unwrap_or_default(),
            files: 0,
            at: row.created_at,
            damaged: true,
        });
    }
    Ok(found)
}
