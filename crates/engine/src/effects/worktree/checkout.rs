//! Makes the worktree of a planned session: registers and fills it, and copies files into it. Each step is
//! idempotent, so that after a crash at any point the next engine can repeat them. A step that fails leaves a
//! visible state with a retry, never an agent without its own workspace.

use crate::decide::{notices, start};
use crate::effects::worktree::{allowed_commits, interruptible};
use crate::host::blocking;
use crate::host::failpoint::point;
use crate::session::{copies, row};
use crate::state::context::Engine;
use crate::state::draft::Draft;
use crate::state::error;
use downbeat_git::{CopyPlan, CopyRecord, Programs, SetupCommand, WorktreeMade};
use downbeat_model::session::Approval;
use downbeat_model::{SessionId, Workspace, shown};
use downbeat_store::SessionRow;
use downbeat_wire::notice::NoticeKind;
use downbeat_wire::session::StepState;
use downbeat_wire::{ApiError, Code};
use std::path::{Path, PathBuf};
use tokio_util::sync::CancellationToken;

/// The free space in bytes below which a failed step is blamed on the disk.
const SCARCE: u64 = 64 << 20;

pub(crate) async fn checkout(
    engine: &Engine,
    row: &SessionRow,
    cancel: &CancellationToken,
) -> Result<(), ApiError> {
    if row.workspace == Workspace::InPlace {
        let why = "runs in the project's own checkout";
        return step(engine, &row.id, "checkout", StepState::Skipped, why).await;
    }
    let project = engine.project(&row.project_id)?;
    let base = row.base.as_ref().ok_or_else(|| {
        ApiError::failed(
            "it cannot be checked out",
            format!("{} has no commit to start from", row.name),
        )
    })?;
    let what = format!("{} at {}", base.name, row::short(&base.commit));
    step(engine, &row.id, "checkout", StepState::Running, &what).await?;
    let (repo, place) = (PathBuf::from(&project.path), row::path_of(row)?);
    let forked = row.lineage.forked.as_ref();
    let brought = forked.and_then(|forked| forked.backup.clone());
    let programs = allowed_commits::programs(&project, row).await?;
    let places = (repo.clone(), place.clone());
    let made = make(engine, row, places, (&base.commit, programs), cancel).await?;
    if let Err(downbeat_git::Error::Interrupted { .. }) = made {
        take_back(engine, &row.id, repo.clone(), place.clone()).await;
    }
    let made = made.map_err(|error| scarce(error::git(error), &place))?;
    point("spawn-checked-out");
    let real = made.branch;
    engine
        .ledger
        .write(|draft| {
            let row = draft.session(&row.id)?;
            row.branch = Some(real);
            if let Some(forked) = brought.is_some().then_some(row) {
                forked.lineage.brought();
            }
            Ok(())
        })
        .await?;
    point("spawn-noted");
    if let Some(name) = brought {
        let id = row.id.clone();
        // A copy that is left behind does no harm.
        blocking::blocking(move || downbeat_git::drop_backup(&repo, &name))
            .await?
            .unwrap_or_else(|error| tracing::warn!(session = %id, "could not delete the copy of the uncommitted work: {error}"));
    }
    let left_out = allowed_commits::left_out(&project, programs).filter(|_| row.lineage.forked.is_some());
    notify(engine, &row.id, left_out).await?;
    let empty = tell_empty(engine, &row.id, place).await?;
    step(engine, &row.id, "checkout", StepState::Done, &empty).await
}

/// Makes the worktree of a session: of a fork with the uncommitted work that is copied along, otherwise from `commit`.
async fn make(
    engine: &Engine,
    row: &SessionRow,
    (repo, path): (PathBuf, PathBuf),
    (commit, programs): (&str, Programs),
    cancel: &CancellationToken,
) -> Result<Result<WorktreeMade, downbeat_git::Error>, ApiError> {
    let (branch, reason) = (
        row.branch.clone().unwrap_or_default(),
        format!("session {}", row.name),
    );
    let forked = row.lineage.forked.as_ref();
    let backup = forked.and_then(|forked| forked.backup.clone());
    let pinned = forked.and_then(|forked| forked.backup_commit.clone());
    let (commit, id) = (commit.to_owned(), row.id.clone());
    let work = move || {
        if let Some(name) = backup {
            return from_backup((&repo, &path), &branch, &id, (name, pinned), programs);
        }
        let spec = downbeat_git::WorktreeSpec {
            repo: &repo,
            path: &path,
            branch: &branch,
            base_commit: &commit,
            reason: &reason,
            programs,
        };
        let made = downbeat_git::register(&spec)?;
        point("spawn-registered");
        downbeat_git::checkout(&made.path, programs).map(|()| made)
    };
    interruptible::run(engine, &row.id, cancel, work).await
}

/// Notifies the person of submodules that stayed empty in a worktree. Returns the same text.
pub async fn tell_empty(engine: &Engine, id: &SessionId, worktree: PathBuf) -> Result<String, ApiError> {
    let empty = blocking::blocking(move || downbeat_git::empty_submodules(&worktree)).await?;
    // Nothing depends on this: what cannot be read shows when it is used.
    let text = empty.unwrap_or_default().join("; ");
    notify(engine, id, Some(text.clone()).filter(|text| !text.is_empty())).await?;
    Ok(text)
}

/// Asks the person to look at a session, if there is a `text`.
async fn notify(engine: &Engine, id: &SessionId, text: Option<String>) -> Result<(), ApiError> {
    let Some(text) = text else { return Ok(()) };
    let told = engine
        .ledger
        .write(|draft| notices::notify(draft, id, NoticeKind::NeedsLook, text));
    told.await
}

/// Makes a fork's worktree with the uncommitted work that is copied along.
fn from_backup(
    (repo, path): (&Path, &Path),
    branch: &str,
    id: &SessionId,
    (name, pinned): (String, Option<String>),
    programs: Programs,
) -> Result<WorktreeMade, downbeat_git::Error> {
    let backups = downbeat_git::backups(repo, id)?;
    let is_meant = |commit: &String| pinned.as_ref().is_none_or(|pinned| pinned == commit);
    let mut backups = backups.into_iter();
    let backup = backups.find(|backup| backup.name == name && is_meant(&backup.commit));
    let near = Vec::new();
    let backup = backup.ok_or(downbeat_git::Error::UnknownRef { name, near })?;
    downbeat_git::bring(repo, path, branch, &backup, programs)
}

/// Rolls back a worktree whose creation was cut short, unless it holds somebody's work; in that case it
/// stays, and is completed when the session is resumed.
async fn take_back(engine: &Engine, id: &SessionId, repo: PathBuf, path: PathBuf) {
    let work = move || downbeat_git::roll_back(&repo, &path, None);
    let undone = interruptible::take_back(engine, id, work).await;
    if let Err(error) = undone.and_then(|undone| undone.map_err(error::git)) {
        tracing::info!(session = %id, "could not remove its half-made worktree: {error}");
    }
}

/// Completes the worktree of a session that is resumed, since its creation may have failed.
pub(crate) async fn whole(
    engine: &Engine,
    row: &SessionRow,
    cancel: &CancellationToken,
) -> Result<(), ApiError> {
    if row.workspace == Workspace::InPlace {
        return Ok(());
    }
    let path = row::path_of(row)?;
    let place = path.clone();
    let programs = allowed_commits::programs(&*engine.project(&row.project_id)?, row).await?;
    let work = move || downbeat_git::checkout(&path, programs);
    interruptible::run(engine, &row.id, cancel, work)
        .await?
        .map_err(|error| scarce(error::git(error), &place))
}

pub(crate) async fn copy(
    engine: &Engine,
    row: &SessionRow,
    cancel: &CancellationToken,
) -> Result<CopyPlan, ApiError> {
    let empty = CopyPlan {
        copies: Vec::new(),
        links: Vec::new(),
    };
    if row.workspace == Workspace::InPlace {
        step(engine, &row.id, "copy", StepState::Skipped, "").await?;
        return Ok(empty);
    }
    if row.copies.is_some() {
        // Copied before a crash or a retry; the files may have been changed since.
        step(engine, &row.id, "copy", StepState::Done, "").await?;
        let copied = copies::copied(row)?;
        return Ok(copied.plan());
    }
    let project = engine.project(&row.project_id)?;
    let config = engine.project_config(&project).await?;
    step(engine, &row.id, "copy", StepState::Running, "").await?;
    let (repo, path) = (PathBuf::from(&project.path), row::path_of(row)?);
    let place = path.clone();
    let (plan, record) = interruptible::run(engine, &row.id, cancel, move || {
        let plan = downbeat_git::plan_copies(&repo, &config.copy, &config.symlink)?;
        let record: CopyRecord = downbeat_git::copy(&repo, &path, &plan)?;
        Ok((plan, record))
    })
    .await?
    .map_err(|error| scarce(error::git(error), &place))?;
    point("spawn-copied");
    let record = copies::recorded(&record)?;
    engine
        .ledger
        .write(|draft| {
            draft.session(&row.id)?.copies = Some(record);
            Ok(())
        })
        .await?;
    let count = plan.copies.len() + plan.links.len();
    let state = if count == 0 {
        StepState::Skipped
    } else {
        StepState::Done
    };
    let detail = match count {
        0 => "nothing to copy".to_owned(),
        1 => "1 file".to_owned(),
        n => format!("{n} files"),
    };
    step(engine, &row.id, "copy", state, &detail).await?;
    Ok(plan)
}

/// Adds a hint if a step failed on a nearly full disk: git only reports that it could not write.
fn scarce(error: ApiError, place: &Path) -> ApiError {
    let there = place.ancestors().find(|folder| folder.exists());
    let free = there.and_then(|folder| fs4::available_space(folder).ok());
    match free {
        Some(free) if free < SCARCE && error.hint.is_none() => error.hint(format!(
            "only {} KB are free on the disk that holds {}: make room, then retry",
            free >> 10,
            place.display()
        )),
        _ => error,
    }
}

/// Builds the error for a set-up that nobody has allowed yet, with its commands.
pub(crate) async fn refused(
    engine: &Engine,
    row: &SessionRow,
    commands: &[SetupCommand],
    (approval, why, hint): (Approval, &str, &str),
) -> Result<Vec<SetupCommand>, ApiError> {
    let waits = |draft: &mut Draft| start::waits_for(draft, &row.id, "setup", approval);
    engine.ledger.write(waits).await?;
    let list = commands.iter().map(|command| shown::command(&command.argv));
    let list = list.collect::<Vec<_>>().join("; ");
    let what = format!("set-up wants to run: {list}{why}");
    Err(ApiError::new(Code::ApprovalNeeded, what).hint(hint))
}

/// Records the state of a step.
pub async fn step(
    engine: &Engine,
    id: &SessionId,
    name: &str,
    state: StepState,
    detail: &str,
) -> Result<(), ApiError> {
    engine
        .ledger
        .write(|draft| start::note_step(draft, id, name, state, detail))
        .await
}
