//! Removes workspaces; [`crate::bring_back`] makes them again. What is not safe yet is named first and saved always;
//! the wish is written down before anything is deleted, so that a crash in between finishes it.

use crate::bring_back::Removed;
use crate::clearing::{self, Cleared};
use crate::engine::Engine;
use crate::point::point;
use crate::{begun, error, leave, shells, transition, wishes};
use downbeat_git::CopyRecord;
use downbeat_model::{EventKind, SessionId, Status, Workspace};
use downbeat_store::SessionRow;
use downbeat_wire::notice::NoticeKind;
use downbeat_wire::session::Base;
use downbeat_wire::workspace::{Backup, IgnoredWork, Removal, RemoveWorkspace, WorkspaceState};
use downbeat_wire::{ApiError, Caller, Code};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::path::PathBuf;

/// Files that are named before a removal; the rest is counted.
const NAMED: usize = 50;

/// The wish to remove, as it is written down; what else was ticked follows a colon.
const INTENT: &str = "remove";

/// What a workspace holds that is not safe yet.
pub async fn state(engine: &Engine, row: &SessionRow) -> Result<WorkspaceState, ApiError> {
    let mut out = WorkspaceState {
        id: row.id.clone(),
        path: row.workspace_path.clone(),
        branch: row.branch.clone(),
        dirty: Vec::new(),
        dirty_count: 0,
        unpushed: 0,
        changed_copies: Vec::new(),
        ignored: Vec::new(),
        ignored_count: 0,
        unreadable: None,
        blocked: blocked(row),
        bytes: 0,
    };
    let Some(path) = row.workspace_path.as_ref().map(PathBuf::from) else {
        return Ok(out);
    };
    if row.workspace == Workspace::InPlace {
        return Ok(out);
    }
    let repo = PathBuf::from(&engine.project(&row.project_id)?.path);
    let base: Option<Base> = serde_json::from_value(row.base.clone()).ok();
    let copies = copies(row);
    let (shown, place) = (path.display().to_string(), path.clone());
    let work = error::within(error::WORK, &shown, move || {
        downbeat_git::work_state(
            &repo,
            &path,
            base.as_ref().map_or("", |base| base.commit.as_str()),
            &copies,
        )
    })
    .await?;
    let work = match work {
        Err(error) if error.is_unreadable() => {
            out.unreadable = Some(error.to_string());
            return Ok(out);
        }
        work => work.map_err(error::git)?,
    };
    out.dirty = work.dirty.into_iter().take(NAMED).collect();
    out.dirty_count = u32::try_from(work.dirty_count).unwrap_or(u32::MAX);
    out.unpushed = work.unpushed;
    let made = begun::made(row);
    let agents = |name: &String| !made.holds(&place, name);
    out.changed_copies = work.changed_copies.into_iter().filter(agents).collect();
    out.ignored_count = u32::try_from(work.ignored.len()).unwrap_or(u32::MAX);
    out.ignored = work.ignored.into_iter().take(NAMED).map(ignored).collect();
    out.bytes = work.bytes;
    if work.blocked.is_some() {
        out.blocked = work.blocked;
    }
    Ok(out)
}

fn blocked(row: &SessionRow) -> Option<String> {
    if row.workspace == Workspace::InPlace {
        return Some("it runs in the project's own checkout, which is never removed".into());
    }
    row.status
        .is_live()
        .then(|| format!("it is still {}: kill or stop it first", row.status.as_str()))
}

/// Removes a workspace, as asked.
pub async fn remove(
    engine: &Engine,
    caller: &Caller,
    row: &SessionRow,
    request: &RemoveWorkspace,
) -> Result<Removal, ApiError> {
    let live = engine.runtimes.of(&row.id);
    let _turn = live.turn.lock().await;
    wishes::settle(engine, &row.id).await?;
    let row = &*engine.row(&row.id)?;
    if row.status == Status::Queued && !request.forget.unwrap_or(false) {
        let name = &row.name;
        let why = format!("{name} is queued and has no worktree yet");
        return Err(ApiError::new(Code::Conflict, why).hint(format!(
            "`downbeat kill {name}` takes it off the queue, `downbeat remove --forget {name}` off the list"
        )));
    }
    reachable(row)?;
    if row.workspace == Workspace::Worktree && row.workspace_path.is_some() {
        leave::refuse_gone(&*engine.project(&row.project_id)?).await?;
    }
    let held = state(engine, row).await?;
    if let Some(why) = held.blocked {
        return Err(ApiError::new(
            Code::Conflict,
            format!("the workspace of {} cannot be removed: {why}", row.name),
        ));
    }
    let beside = shells::held(&engine.ledger.state(), caller, &row.id);
    let only_shells = held_nothing(&held) && !beside.is_empty();
    let what: Vec<String> = [held_words(&held), beside].into();
    let what = what
        .into_iter()
        .filter(|words| !words.is_empty())
        .collect::<Vec<_>>()
        .join(", ");
    let force = request.force.unwrap_or(false) && *caller == Caller::Owner;
    if !what.is_empty() && !force {
        let way = match held.unreadable {
            Some(_) => clearing::WAY,
            None => {
                "say yes (force) to remove the worktree; what can be saved is saved first and can be brought back"
            }
        };
        return refuse(engine, caller, row, &what, (only_shells, way)).await;
    }
    let ticks = Ticks(
        request.delete_branch.unwrap_or(false),
        // As [`crate::forget::forget`], this is the person's.
        request.forget.unwrap_or(false) && *caller == Caller::Owner,
        force,
    );
    let removed = Removed::of(row, held_nothing(&held)).await?;
    engine.wishes.stand(&row.id)?;
    let wished = engine
        .ledger
        .write(|draft| {
            let row = draft.session(&row.id)?;
            if let Some(why) = blocked(row) {
                return Err(ApiError::new(
                    Code::Conflict,
                    format!("{} cannot be removed: {why}", row.name),
                ));
            }
            if let Some(removed) = removed {
                removed.note(row);
            }
            row.intent = Some(format!("{INTENT}:{}", json!(ticks)));
            Ok(())
        })
        .await;
    if let Err(error) = wished {
        engine.wishes.done(&row.id);
        return Err(error);
    }
    point("remove-wished");
    carry_out(engine, &row.id, ticks).await
}

/// Refuses where not only the worktree is missing but all that is around it: its disk is away, not
/// its work, which nobody could save now and no repository would know when it comes back.
fn reachable(row: &SessionRow) -> Result<(), ApiError> {
    let path = row.workspace_path.as_ref().map(PathBuf::from);
    let away = path.filter(|path| !path.parent().is_some_and(std::path::Path::is_dir));
    match away {
        None => Ok(()),
        Some(path) => Err(ApiError::new(
            Code::Conflict,
            format!("the folder of {} cannot be reached: {}", row.name, path.display()),
        )
        .hint("bring its disk back; or, where it is gone for good, make the folder above it again")),
    }
}

async fn refuse(
    engine: &Engine,
    caller: &Caller,
    row: &SessionRow,
    what: &str,
    (only_shells, way): (bool, &str),
) -> Result<Removal, ApiError> {
    if matches!(caller, Caller::Session(_)) {
        let text = format!("its conductor wants to remove its worktree, which holds {what}");
        engine
            .ledger
            .write(|draft| transition::tell(draft, &row.id, NoticeKind::NeedsInput, text))
            .await?;
        return Err(ApiError::new(
            Code::UnsavedWork,
            format!("{} holds {what}; only the person can remove it", row.name),
        )
        .hint(match only_shells {
            true => "the person was told; leave the worktree: it can be removed once they have closed that",
            false => "the person was told; leave the worktree, or have the work committed and pushed first",
        }));
    }
    Err(ApiError::new(Code::UnsavedWork, format!("{} holds {what}", row.name)).hint(way))
}

/// Whether nothing will have to be saved.
fn held_nothing(held: &WorkspaceState) -> bool {
    held.dirty_count == 0 && held.unpushed == 0 && held.changed_copies.is_empty() && held.ignored_count == 0
}

/// What a removal needs a yes for; empty where it needs none.
fn held_words(held: &WorkspaceState) -> String {
    let mut words = Vec::new();
    if let Some(why) = &held.unreadable {
        words.push(format!(
            "files that cannot be saved, as git cannot read the worktree ({why})"
        ));
    }
    let mut say = |count: usize, one: &str, many: &str| match count {
        0 => {}
        1 => words.push(format!("1 {one}")),
        n => words.push(format!("{n} {many}")),
    };
    say(held.dirty_count as usize, "uncommitted file", "uncommitted files");
    say(
        held.unpushed as usize,
        "commit that is nowhere else",
        "commits that are nowhere else",
    );
    say(held.changed_copies.len(), "changed copy", "changed copies");
    let lost: Vec<_> = held.ignored.iter().filter(|place| !place.saved).collect();
    for place in &lost {
        words.push(format!(
            "{} ({}, ignored by git and too large to save)",
            place.path,
            size(place.bytes)
        ));
    }
    // What is lost is named first, so nothing that is not named is saved.
    let unnamed = (held.ignored_count as usize).saturating_sub(held.ignored.len());
    if unnamed > 0 && lost.len() == held.ignored.len() {
        words.push(format!("up to {unnamed} more places like that"));
    }
    words.join(", ")
}

/// Bytes as a person reads them.
fn size(bytes: u64) -> String {
    match bytes / 1_000_000 {
        0 => format!("{} kB", bytes.div_ceil(1_000)),
        megabytes => format!("{megabytes} MB"),
    }
}

fn ignored(work: downbeat_git::IgnoredWork) -> IgnoredWork {
    IgnoredWork {
        path: work.path,
        files: u32::try_from(work.files).unwrap_or(u32::MAX),
        bytes: work.bytes,
        saved: work.is_saved,
    }
}

/// What was ticked with a removal: whether the branch goes too, whether the session goes off the list, and
/// whether the person said yes to what would be lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ticks(bool, bool, #[serde(default)] bool);

/// A wish to remove that was written down: what was ticked with it.
pub fn wish(row: &SessionRow) -> Option<Ticks> {
    let ticks = row.intent.as_deref()?.strip_prefix(INTENT)?.strip_prefix(':')?;
    serde_json::from_str(ticks).ok()
}

/// Carries out a removal that is written down. Each part may have been done before.
pub async fn carry_out(engine: &Engine, id: &SessionId, ticks: Ticks) -> Result<Removal, ApiError> {
    let Ticks(delete_branch, forget, force) = ticks;
    let row = engine.row(id)?;
    let repo = PathBuf::from(&engine.project(&row.project_id)?.path);
    let ended = shells::end_beside(engine, id).await;
    let cleared = match &ended {
        Ok(_) => clearing::clear(engine, &row, repo.clone(), force).await,
        Err(error) => Err(error.clone()),
    };
    let Cleared {
        backup,
        has_backup,
        left,
    } = match cleared {
        Ok(cleared) => cleared,
        Err(error) => {
            wishes::take_back(engine, id, &error).await;
            return Err(error);
        }
    };
    let branch = row.branch.clone().filter(|_| delete_branch);
    let deleted = delete(repo, branch).await;
    point("remove-branch-deleted");
    let backup = backup.map(as_backup);
    let name = backup.as_ref().map(|backup| backup.name.clone());
    engine
        .ledger
        .write(|draft| {
            let row = draft.session(id)?;
            // The wish stays until the last part of it is done.
            if !forget || deleted.is_err() {
                row.intent = None;
            }
            row.has_backup = has_backup;
            if let Some(left) = left.clone() {
                transition::tell(draft, id, NoticeKind::NeedsLook, left)?;
            }
            let row = draft.session(id)?;
            if row.workspace_path.take().is_some() {
                let branch = deleted.as_ref().ok().cloned().flatten();
                draft.session_event(
                    id,
                    EventKind::WorkspaceRemoved,
                    json!({ "backup": name, "branch": branch }),
                );
            }
            Ok(())
        })
        .await?;
    point("remove-written");
    let removal = Removal {
        id: id.clone(),
        backup,
        deleted_branch: deleted?,
        shells: ended?,
        left,
    };
    if forget {
        crate::forget::forget_held(engine, id, json!(removal)).await?;
    }
    engine.wishes.done(id);
    Ok(removal)
}

/// Deletes the branch of a workspace that is removed; gives its name.
async fn delete(repo: PathBuf, branch: Option<String>) -> Result<Option<String>, ApiError> {
    let Some(branch) = branch else { return Ok(None) };
    error::blocking(move || downbeat_git::delete_branch(&repo, &branch).map(|()| Some(branch)))
        .await?
        .map_err(|error| error::git(error).hint("the worktree is removed; its branch stays"))
}

/// Saved work of a session, newest first.
pub async fn backups(engine: &Engine, row: &SessionRow) -> Result<Vec<Backup>, ApiError> {
    let (repo, id) = (
        PathBuf::from(&engine.project(&row.project_id)?.path),
        row.id.clone(),
    );
    let found = error::blocking(move || downbeat_git::backups(&repo, &id))
        .await?
        .map_err(error::git)?;
    let mut found: Vec<Backup> = found.into_iter().map(as_backup).collect();
    // What the last removal saved and nothing names any more.
    if let Some((name, commit)) = Removed::saved(row)
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

/// What was copied into the worktree of a session.
pub fn copies(row: &SessionRow) -> CopyRecord {
    serde_json::from_value(row.copies.clone()).unwrap_or_default()
}

fn as_backup(info: downbeat_git::BackupInfo) -> Backup {
    Backup {
        name: info.name,
        commit: info.commit,
        files: info.files,
        at: info.at,
        damaged: info.is_damaged,
    }
}
