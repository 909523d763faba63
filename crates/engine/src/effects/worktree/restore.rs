//! Recreates removed worktrees: with the saved work or, if nothing had to be saved, from the branch, or from
//! the commit if the branch is gone. Removal is in [`crate::effects::worktree::remove`].

use crate::decide::notices;
use crate::effects::worktree::{allowed_commits, checkout, record, remove};
use crate::host::blocking;
use crate::host::failpoint::point;
use crate::session::copies;
use crate::state::context::Engine;
use crate::state::requests::Effect;
use crate::state::{error, take_back};
use downbeat_git::{BackupInfo, CopyRecord, Programs};
use downbeat_model::session::{Intent, PinnedBackup, Removed};
use downbeat_model::{EventKind, SessionId};
use downbeat_store::SessionRow;
use downbeat_wire::notice::NoticeKind;
use downbeat_wire::workspace::{Backup, RestoreWork};
use downbeat_wire::{ApiError, Code};
use serde_json::json;
use std::path::{Path, PathBuf};

/// The name to request instead of a backup, for a worktree without saved work.
const WITHOUT: &str = "none";

/// Recreates the worktree of a session. The intent is recorded first, so that a half-made worktree never goes
/// unnoticed.
pub async fn restore(engine: &Engine, row: &SessionRow, request: &RestoreWork) -> Result<(), ApiError> {
    record_and_recreate(engine, row, request, Some(Effect::Session(row.id.clone()))).await
}

async fn record_and_recreate(
    engine: &Engine,
    row: &SessionRow,
    request: &RestoreWork,
    effect: Option<Effect>,
) -> Result<(), ApiError> {
    let live = engine.runtimes.of(&row.id);
    let _turn = live.turn.lock().await;
    take_back::settle(engine, &row.id).await?;
    let row = &*engine.row(&row.id)?;
    if row.workspace_path.is_some() || row.intent.is_some() {
        return Err(refusal(row));
    }
    let backup = chosen(engine, row, request.backup.as_deref()).await?;
    let intent = Intent::Restore {
        backup: backup.clone(),
    };
    engine.intent_files.confirm(&row.id)?;
    let noted = engine
        .ledger
        .write(|draft| {
            draft.session(&row.id)?.intent = Some(intent);
            if let Some(effect) = effect {
                draft.effect(effect);
            }
            Ok(())
        })
        .await;
    if let Err(error) = noted {
        engine.intent_files.clear(&row.id);
        return Err(error);
    }
    point("restore-noted");
    carry_out(engine, row, backup.as_ref()).await
}

/// Makes sure that a session that is about to be resumed has its worktree, or a plan for one.
pub async fn for_resume(engine: &Engine, row: &SessionRow) -> Result<(), ApiError> {
    if row.workspace_path.is_some() || row.intent.is_some() || !row.status.is_ended() {
        return Ok(());
    }
    if row.was_up() || was_made(row) {
        let request = RestoreWork {
            id: row.id.to_string(),
            backup: None,
        };
        // The request is to resume, so it is not completed by this.
        return record_and_recreate(engine, row, &request, None).await;
    }
    // The session was removed before its worktree was made, so its plan still holds.
    let project = engine.project(&row.project_id)?;
    let config = engine.project_config(&project).await?;
    let place = place(engine.worktree_root(&project, &config), row);
    engine
        .ledger
        .write(|draft| {
            let row = draft.session(&row.id)?;
            row.workspace_path = Some(place.to_string_lossy().into_owned());
            row.copies = None;
            Ok(())
        })
        .await
}

/// Returns the way out for a session whose folder was deleted by hand.
pub fn folder_gone(row: &SessionRow, then: &str) -> String {
    let name = &row.name;
    format!(
        "`downbeat remove {name}` removes what is left of it, then `downbeat {then} {name}` recreates it from its branch"
    )
}

/// Returns the error for other requests while a session's worktree is being removed or recreated.
pub fn under_way(row: &SessionRow) -> Option<ApiError> {
    let name = &row.name;
    let what = format!("the worktree of {name} is being removed or recreated");
    let hint = format!("try again afterwards; `downbeat remove {name}` finishes an interrupted removal");
    let is_busy = row.intent.as_ref().is_some_and(Intent::is_of_worktree);
    is_busy.then(|| ApiError::new(Code::Conflict, what).hint(hint))
}

fn refusal(row: &SessionRow) -> ApiError {
    let gone = row
        .workspace_path
        .as_deref()
        .filter(|path| !Path::new(path).is_dir());
    if let Some(busy) = under_way(row) {
        return busy;
    }
    match gone {
        Some(path) => ApiError::new(
            Code::Conflict,
            format!("the directory of {} is gone: {path}", row.name),
        )
        .hint(folder_gone(row, "restore-work")),
        None => ApiError::new(Code::Conflict, format!("{} still has its worktree", row.name))
            .hint("remove it first, or look at the saved work with `git show <backup>`"),
    }
}

fn was_made(row: &SessionRow) -> bool {
    row.has_backup
        || row
            .removed
            .as_ref()
            .is_none_or(|removed| removed.commit.is_some())
}

/// Chooses the backup: the named one, or what the last removal saved; `None` for a clean worktree.
async fn chosen(
    engine: &Engine,
    row: &SessionRow,
    named: Option<&str>,
) -> Result<Option<PinnedBackup>, ApiError> {
    if named == Some(WITHOUT) {
        return Ok(None);
    }
    let removed = row.removed.clone().unwrap_or_default();
    let saved = remove::backups(engine, row).await?;
    let mut saved = saved.into_iter().filter(|backup| !backup.damaged);
    let Some(wanted) = named.or(removed.backup.as_deref()) else {
        // The removal was cut short by a crash or done by an older Downbeat: take the newest backup.
        return Ok(saved.next().map(pinned).filter(|_| !removed.clean));
    };
    let found = saved.find(|backup| backup.name == wanted);
    let name = &row.name;
    match found {
        Some(backup) if named.is_none() => match removed.backup_commit {
            Some(commit) if commit != backup.commit => Err(replaced(row, &backup, &commit)),
            _ => Ok(Some(pinned(backup))),
        },
        Some(backup) => Ok(Some(pinned(backup))),
        None if named.is_none() => Err(missing(row, wanted, removed.backup_commit.as_deref())),
        None => Err(
            ApiError::new(Code::NotFound, format!("{wanted} is not saved work of {name}")).hint(format!(
                "`downbeat restore-work {name} --list` shows what was saved"
            )),
        ),
    }
}

fn pinned(backup: Backup) -> PinnedBackup {
    PinnedBackup {
        name: backup.name,
        commit: Some(backup.commit),
    }
}

/// Builds the error for a backup reference that points at another commit than was saved.
fn replaced(row: &SessionRow, backup: &Backup, commit: &str) -> ApiError {
    let (session, name, now) = (&row.name, &backup.name, &backup.commit);
    let why = format!(
        "the saved work of {session} was replaced: {name} is at {now}, and what was saved is commit {commit}"
    );
    ApiError::new(Code::Conflict, why).hint(format!(
        "`git update-ref {name} {commit}` in the repository restores the \
         reference; `downbeat restore-work {session} --backup {name}` uses what is there now"
    ))
}

/// Builds the error for a last removal whose saved work cannot be found.
fn missing(row: &SessionRow, backup: &str, commit: Option<&str>) -> ApiError {
    let (name, commit_words) = (&row.name, commit.map(|commit| format!(" (commit {commit})")));
    let why = format!(
        "the saved work of {name} is missing or damaged: {backup}{}",
        commit_words.unwrap_or_default()
    );
    let repair = match commit {
        Some(commit) => {
            format!("if the commit still exists, run `git update-ref {backup} {commit}` in the repository; ")
        }
        None => String::new(),
    };
    ApiError::new(Code::Conflict, why).hint(format!(
        "{repair}`downbeat restore-work {name} --backup {WITHOUT}` recreates the worktree without it"
    ))
}

/// Carries out a recorded restore, which may have been started before.
pub async fn carry_out(
    engine: &Engine,
    row: &SessionRow,
    backup: Option<&PinnedBackup>,
) -> Result<(), ApiError> {
    let again = match recreate(engine, row, backup).await {
        Ok(again) => again,
        Err(error) => {
            take_back::take_back(engine, &row.id, &error).await;
            return Err(error);
        }
    };
    let (path, place) = (again.path.clone(), again.path.clone());
    let noted = note(engine, row, backup, again).await;
    match &noted {
        Ok(()) => {
            engine.intent_files.clear(&row.id);
            if let Err(error) = checkout::tell_empty(engine, &row.id, place).await {
                tracing::warn!(session = %row.id, "could not report empty submodules: {error}");
            }
        }
        // The next engine records it.
        Err(error) if error.code == Code::Unavailable => {}
        Err(error) => {
            // An unrecorded worktree would go unnoticed, and its sources are all still there.
            clear_away(engine, row, path).await;
            take_back::take_back(engine, &row.id, error).await;
        }
    }
    noted
}

/// Removes a restored worktree that could not be recorded.
async fn clear_away(engine: &Engine, row: &SessionRow, worktree: PathBuf) {
    let Ok(project) = engine.project(&row.project_id) else {
        return;
    };
    let repo = PathBuf::from(&project.path);
    let gone = blocking::blocking(move || downbeat_git::remove(&repo, &worktree)).await;
    if let Err(error) = gone.and_then(|gone| gone.map_err(error::git)) {
        tracing::warn!(session = %row.id, "could not remove a worktree that could not be recorded: {error}");
    }
}

/// Records that a session has its worktree again.
async fn note(
    engine: &Engine,
    row: &SessionRow,
    backup: Option<&PinnedBackup>,
    again: Again,
) -> Result<(), ApiError> {
    let copied = copies::recorded(&again.copied)?;
    engine
        .ledger
        .write(|draft| {
            let session = draft.session(&row.id)?;
            session.intent = None;
            session.workspace_path = Some(again.path.to_string_lossy().into_owned());
            session.branch = again.branch;
            session.copies = Some(copied);
            session.run.taken_up = 0;
            if let Some(removed) = &mut session.removed {
                removed.brought_back();
            }
            if let Some(kept) = record::kept(session) {
                notices::notify(draft, &row.id, NoticeKind::NeedsLook, kept)?;
            }
            if let Some(text) = again.left_out {
                notices::notify(draft, &row.id, NoticeKind::NeedsLook, text)?;
            }
            let backup = backup.map(|backup| &backup.name);
            draft.session_event(&row.id, EventKind::WorkRestored, json!({ "backup": backup }));
            Ok(())
        })
        .await
}

/// A recreated worktree.
pub(crate) struct Again {
    pub(crate) path: PathBuf,
    /// The branch of the session.
    pub(crate) branch: Option<String>,
    /// The record of the files that were copied into it; a backup holds only those that were changed.
    pub(crate) copied: CopyRecord,
    /// A sentence about what was left out of it.
    pub(crate) left_out: Option<String>,
}

async fn recreate(
    engine: &Engine,
    row: &SessionRow,
    backup: Option<&PinnedBackup>,
) -> Result<Again, ApiError> {
    let project = engine.project(&row.project_id)?;
    let config = engine.project_config(&project).await?;
    let worktree = place(engine.worktree_root(&project, &config), row);
    let removed = row.removed.clone().unwrap_or_default();
    let own = row.branch.clone().unwrap_or_else(|| config.branch_for(&row.name));
    let clean = backup.is_none();
    let (repo, id, branch, backup) = (
        PathBuf::from(&project.path),
        row.id.clone(),
        row.branch.clone(),
        backup.cloned(),
    );
    let allowed = allowed_commits::allowed_again(&project, row);
    let made = blocking::blocking(move || -> Result<_, downbeat_git::Error> {
        let mut programs = Programs::Skip;
        let mut decide = |commit: &str| {
            programs = allowed.programs(&repo, commit)?;
            Ok(programs)
        };
        let (made, on_branch) = match (backup, removed.detached()) {
            (Some(pinned), _) => {
                let backup = recorded_backup(&repo, &id, &pinned)?;
                let was = backup.branch.clone().or(removed.branch).unwrap_or(own);
                let programs = backup.base.as_deref().map_or(Ok(Programs::Skip), &mut decide)?;
                let made = downbeat_git::restore(&repo, &worktree, &was, &backup, programs)?;
                let head = downbeat_git::head(&made.path);
                (made, head.is_none_or(|head| head.branch.is_some()))
            }
            (None, Some(commit)) => {
                let programs = decide(commit)?;
                let made = downbeat_git::recreate_detached(&repo, &worktree, &own, commit, programs)?;
                (made, false)
            }
            (None, None) => {
                let was = removed.branch.unwrap_or(own);
                let commit = removed.commit.as_deref();
                let made = downbeat_git::recreate(&repo, &worktree, &was, commit, &mut decide)?;
                (made, true)
            }
        };
        let plan = downbeat_git::plan_copies(&repo, &config.copy, &config.symlink)?;
        let copied = downbeat_git::copy(&repo, &made.path, &plan)?;
        let branch = if on_branch { Some(made.branch) } else { branch };
        Ok(Again {
            path: made.path,
            branch,
            copied,
            left_out: allowed_commits::left_out(&project, programs),
        })
    })
    .await?;
    made.map_err(|error| match error {
        downbeat_git::Error::UnknownRef { name, .. } if clean => nothing_left(row, &name),
        error => error::git(error),
    })
}

/// Finds the backup that was recorded.
fn recorded_backup(
    repo: &Path,
    id: &SessionId,
    pinned: &PinnedBackup,
) -> Result<BackupInfo, downbeat_git::Error> {
    let is_recorded = |backup: &BackupInfo| {
        let is_commit = |commit: &String| backup.commit == *commit;
        backup.name == pinned.name && pinned.commit.as_ref().is_none_or(is_commit)
    };
    let found = downbeat_git::backups(repo, id)?.into_iter().find(is_recorded);
    found.ok_or_else(|| downbeat_git::Error::UnknownRef {
        name: pinned.name.clone(),
        near: Vec::new(),
    })
}

fn nothing_left(row: &SessionRow, sought: &str) -> ApiError {
    let name = &row.name;
    let gone = match (
        row.removed.as_ref().and_then(Removed::detached),
        is_commit(sought),
    ) {
        (Some(commit), _) => format!("its commit {commit}"),
        (None, true) => format!("the commit {sought} that it was at"),
        (None, false) => format!("its branch {sought}"),
    };
    if !row.was_up() && !was_made(row) {
        return ApiError::new(Code::NotFound, format!("{name} never had a worktree"))
            .hint(format!("`downbeat resume {name}` starts it"));
    }
    let why = format!("the worktree of {name} cannot be recreated: {gone} is gone, and no work was saved");
    ApiError::new(Code::NotFound, why).hint("start a new session with `downbeat new`")
}

/// Whether the name that was sought is a full commit id.
fn is_commit(sought: &str) -> bool {
    sought.len() == 40 && sought.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Returns the path where a session's worktree stood or would have stood.
fn place(root: PathBuf, row: &SessionRow) -> PathBuf {
    match &row.removed {
        Some(removed) if !removed.path.is_empty() => PathBuf::from(&removed.path),
        _ => root.join(&row.name),
    }
}
