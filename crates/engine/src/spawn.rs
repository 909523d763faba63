//! Makes a planned session real: registers and fills its worktree, copies, hands set-up and agent
//! to a keeper. Each step is idempotent, so that after a crash at any point the next engine goes
//! through them again; a step that fails leaves a visible state with a retry, never an agent
//! without its own workspace.

use crate::engine::Engine;
use crate::lineage::Lineage;
use crate::live::Live;
use crate::point::point;
use crate::{error, launch, making, resume, transition, vouched};
use downbeat_git::{CopyPlan, CopyRecord, Programs, SetupCommand};
use downbeat_model::lines::first_line;
use downbeat_model::{EventKind, SessionId, Status, Workspace, shown};
use downbeat_store::SessionRow;
use downbeat_wire::notice::NoticeKind;
use downbeat_wire::session::{Step, StepState};
use downbeat_wire::{ApiError, Code};
use jiff::Timestamp;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// Less room than this on a disk explains a failed step.
const SCARCE: u64 = 64 << 20;

/// What the set-up step says whose commands nobody allowed.
const WAITS: &str = "waits for your approval";

/// How set-up is gone about this time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Setup {
    /// As planned.
    Run,
    /// Left out: the person said to start the agent anyway.
    Skip,
}

/// Starts making the session in the background.
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
    // Looked at between steps; each of them can be cut short, and taken up again.
    let go_on = || match cancel.is_cancelled() {
        true => Err(ApiError::new(Code::Conflict, "interrupted")),
        false => Ok(()),
    };
    let row = engine.row(id)?;
    match row.intent.as_deref() {
        Some(resume::INTENT) => {
            whole(engine, &row, cancel).await?;
            return launch::start(engine, id, live, Vec::new()).await;
        }
        Some(_) => return Ok(()),
        None if row.status != Status::Spawning => return Ok(()),
        None => {}
    }
    go_on()?;
    checkout(engine, &row, cancel).await?;
    go_on()?;
    let plan = copy(engine, &row, cancel).await?;
    go_on()?;
    let commands = commands(engine, &row, plan, setup).await?;
    go_on()?;
    launch::start(engine, id, live, commands).await
}

/// Notes what went wrong where a person sees it.
async fn failed(engine: &Engine, id: &SessionId, error: &ApiError) {
    let text = match &error.hint {
        Some(hint) => format!("{}\n{hint}", error.message),
        None => error.message.clone(),
    };
    tracing::warn!(session = %id, "spawn failed: {text}");
    let written = engine
        .ledger
        .write(|draft| {
            let mut steps = read_steps(draft.session(id)?);
            if let Some(step) = steps.iter_mut().find(|step| step.state == StepState::Running) {
                finish(step, StepState::Failed, first_line(&text));
            }
            draft.session(id)?.steps = json!(steps);
            transition::fail(draft, id, Status::SetupFailed, &text)
        })
        .await;
    if let Err(error) = written {
        tracing::error!(session = %id, "the failure could not be written down: {error}");
    }
}

async fn checkout(engine: &Engine, row: &SessionRow, cancel: &CancellationToken) -> Result<(), ApiError> {
    if row.workspace == Workspace::InPlace {
        return step(
            engine,
            &row.id,
            "checkout",
            StepState::Skipped,
            "runs in the project's own checkout",
        )
        .await;
    }
    let project = engine.project(&row.project_id)?;
    let base: downbeat_wire::session::Base = serde_json::from_value(row.base.clone())
        .map_err(|error| ApiError::failed("the session's base is unreadable", error))?;
    step(
        engine,
        &row.id,
        "checkout",
        StepState::Running,
        &format!("{} at {}", base.name, short(&base.commit)),
    )
    .await?;
    let (repo, path) = (PathBuf::from(&project.path), path_of(row)?);
    let (root, place) = (repo.clone(), path.clone());
    let (branch, reason) = (
        row.branch.clone().unwrap_or_default(),
        format!("Downbeat session {}", row.name),
    );
    let brought = Lineage::of(row).forked.and_then(|forked| forked.backup);
    let (backup, id) = (brought.clone(), row.id.clone());
    let programs = vouched::programs(&project, row).await?;
    let made = making::run(engine, &row.id, cancel, move || {
        if let Some(name) = backup {
            return from_backup(&repo, &path, &branch, &id, name, programs);
        }
        let spec = downbeat_git::WorktreeSpec {
            repo: &repo,
            path: &path,
            branch: &branch,
            base_commit: &base.commit,
            reason: &reason,
            programs,
        };
        let made = downbeat_git::register(&spec)?;
        point("spawn-registered");
        downbeat_git::checkout(&made.path, programs).map(|()| made)
    })
    .await?;
    if let Err(downbeat_git::Error::Interrupted { .. }) = made {
        take_back(&row.id, root, place.clone()).await;
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
                Lineage::change(forked, Lineage::brought);
            }
            Ok(())
        })
        .await?;
    point("spawn-noted");
    if let Some(name) = brought {
        let (repo, id) = (PathBuf::from(&project.path), row.id.clone());
        // Left behind, it is in nobody's way.
        error::blocking(move || downbeat_git::drop_backup(&repo, &name))
            .await?
            .unwrap_or_else(|error| tracing::warn!(session = %id, "a copy of work stays: {error}"));
    }
    let empty = tell_empty(engine, &row.id, place).await?;
    step(engine, &row.id, "checkout", StepState::Done, &empty).await
}

/// Tells of submodules that stayed empty in a worktree; the same in words.
pub async fn tell_empty(engine: &Engine, id: &SessionId, worktree: PathBuf) -> Result<String, ApiError> {
    let empty = error::blocking(move || downbeat_git::empty_submodules(&worktree)).await?;
    // Nobody waits for this: what cannot be read shows when it is used.
    let text = empty.unwrap_or_default().join("; ");
    if !text.is_empty() {
        let words = text.clone();
        let told =
            |draft: &mut crate::ledger::Draft| transition::tell(draft, id, NoticeKind::NeedsLook, words);
        engine.ledger.write(told).await?;
    }
    Ok(text)
}

/// Makes a fork's worktree with the uncommitted work that comes along.
fn from_backup(
    repo: &Path,
    path: &Path,
    branch: &str,
    id: &SessionId,
    name: String,
    programs: Programs,
) -> Result<downbeat_git::WorktreeMade, downbeat_git::Error> {
    let backups = downbeat_git::backups(repo, id)?;
    let backup = backups.into_iter().find(|backup| backup.name == name);
    let near = Vec::new();
    let backup = backup.ok_or(downbeat_git::Error::UnknownRef { name, near })?;
    downbeat_git::bring(repo, path, branch, &backup, programs)
}

/// Undoes a worktree that was cut short, where nothing of anybody's is in it; else it stays, and
/// is made whole when the session is resumed.
async fn take_back(id: &SessionId, repo: PathBuf, path: PathBuf) {
    let undone = error::blocking(move || downbeat_git::roll_back(&repo, &path, None).map_err(error::git));
    if let Err(error) = undone.await.and_then(|undone| undone) {
        tracing::info!(session = %id, "its worktree stays half-made: {error}");
    }
}

/// Sees to it that a worktree which is taken up again is whole: its making may have failed.
async fn whole(engine: &Engine, row: &SessionRow, cancel: &CancellationToken) -> Result<(), ApiError> {
    if row.workspace == Workspace::InPlace {
        return Ok(());
    }
    let path = path_of(row)?;
    let place = path.clone();
    let programs = vouched::programs(&*engine.project(&row.project_id)?, row).await?;
    let work = move || downbeat_git::checkout(&path, programs);
    making::run(engine, &row.id, cancel, work)
        .await?
        .map_err(|error| scarce(error::git(error), &place))
}

async fn copy(engine: &Engine, row: &SessionRow, cancel: &CancellationToken) -> Result<CopyPlan, ApiError> {
    let empty = CopyPlan {
        copies: Vec::new(),
        links: Vec::new(),
    };
    if row.workspace == Workspace::InPlace {
        step(engine, &row.id, "copy", StepState::Skipped, "").await?;
        return Ok(empty);
    }
    if !row.copies.is_null() {
        // Copied before a crash or a retry: what is there may have been changed since.
        step(engine, &row.id, "copy", StepState::Done, "").await?;
        let copied: CopyRecord = serde_json::from_value(row.copies.clone()).unwrap_or_default();
        return Ok(copied.plan());
    }
    let project = engine.project(&row.project_id)?;
    let config = engine.project_config(&project).await?;
    step(engine, &row.id, "copy", StepState::Running, "").await?;
    let (repo, path) = (PathBuf::from(&project.path), path_of(row)?);
    let place = path.clone();
    let (plan, record) = making::run(engine, &row.id, cancel, move || {
        let plan = downbeat_git::plan_copies(&repo, &config.copy, &config.symlink)?;
        let record: CopyRecord = downbeat_git::copy(&repo, &path, &plan)?;
        Ok((plan, record))
    })
    .await?
    .map_err(|error| scarce(error::git(error), &place))?;
    point("spawn-copied");
    let record = serde_json::to_value(&record).map_err(|error| ApiError::failed("copies", error))?;
    engine
        .ledger
        .write(|draft| {
            draft.session(&row.id)?.copies = record;
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

/// Adds the way out where a step failed on a disk with hardly any room: git only says that it
/// could not write.
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

async fn commands(
    engine: &Engine,
    row: &SessionRow,
    plan: CopyPlan,
    setup: Setup,
) -> Result<Vec<SetupCommand>, ApiError> {
    if setup == Setup::Skip || row.workspace == Workspace::InPlace {
        let detail = if setup == Setup::Skip {
            "left out on request"
        } else {
            ""
        };
        step(engine, &row.id, "setup", StepState::Skipped, detail).await?;
        return Ok(Vec::new());
    }
    let project = engine.project(&row.project_id)?;
    let setup = engine.setup_commands(&project, path_of(row)?, plan).await?;
    let commands = setup.commands;
    if !setup.warnings.is_empty() {
        let text = format!("not all of its set-up runs: {}", setup.warnings.join("; "));
        let told = engine
            .ledger
            .write(|draft| transition::tell(draft, &row.id, NoticeKind::NeedsLook, text));
        told.await?;
    }
    if commands.is_empty() {
        let why = setup.warnings.first().map_or("nothing to set up", String::as_str);
        step(engine, &row.id, "setup", StepState::Skipped, why).await?;
    } else if !setup.approved {
        let hint = "approve the project's set-up, then retry; or start without it";
        return refused(engine, row, &commands, (WAITS, "", hint)).await;
    } else if !vouched::stands(&project, row).await? {
        let why = (vouched::WAITS, vouched::WHY, vouched::HINT);
        return refused(engine, row, &commands, why).await;
    }
    Ok(commands)
}

/// The error of a set-up that nobody allowed yet, with its commands.
async fn refused(
    engine: &Engine,
    row: &SessionRow,
    commands: &[SetupCommand],
    (waits, why, hint): (&str, &str, &str),
) -> Result<Vec<SetupCommand>, ApiError> {
    step(engine, &row.id, "setup", StepState::Failed, waits).await?;
    let list = commands.iter().map(|command| shown::command(&command.argv));
    let list = list.collect::<Vec<_>>().join("; ");
    let what = format!("set-up wants to run: {list}{why}");
    Err(ApiError::new(Code::ApprovalNeeded, what).hint(hint))
}

/// The directory that a session is planned for.
pub fn path_of(row: &SessionRow) -> Result<PathBuf, ApiError> {
    let path = row.workspace_path.as_ref().map(PathBuf::from);
    path.ok_or_else(|| {
        ApiError::new(
            Code::Conflict,
            format!("the workspace of {} was removed", row.name),
        )
        .hint(format!("`downbeat resume {}` makes it again", row.name))
    })
}

/// Notes how far a step is.
pub async fn step(
    engine: &Engine,
    id: &SessionId,
    name: &str,
    state: StepState,
    detail: &str,
) -> Result<(), ApiError> {
    engine
        .ledger
        .write(|draft| note_step(draft, id, name, state, detail))
        .await
}

/// Notes how far a step is, as part of another change.
pub fn note_step(
    draft: &mut crate::ledger::Draft,
    id: &SessionId,
    name: &str,
    state: StepState,
    detail: &str,
) -> Result<(), ApiError> {
    let mut steps = read_steps(draft.session(id)?);
    if let Some(step) = steps.iter_mut().find(|step| step.name == name) {
        match state {
            StepState::Running => {
                step.state = state;
                step.started_at.get_or_insert(draft.now());
                step.milliseconds = None;
                detail.clone_into(&mut step.detail);
            }
            _ => finish(step, state, detail),
        }
    }
    draft.session(id)?.steps = json!(steps);
    draft.session_event(
        id,
        EventKind::SessionStep,
        json!({ "step": name, "state": state }),
    );
    Ok(())
}

fn finish(step: &mut Step, state: StepState, detail: &str) {
    step.state = state;
    if !detail.is_empty() {
        detail.clone_into(&mut step.detail);
    }
    let took = step
        .started_at
        .map(|at| Timestamp::now().duration_since(at).as_millis());
    step.milliseconds = took.and_then(|ms| u64::try_from(ms).ok());
}

fn read_steps(row: &SessionRow) -> Vec<Step> {
    serde_json::from_value(row.steps.clone()).unwrap_or_default()
}

fn short(commit: &str) -> &str {
    commit.get(..8).unwrap_or(commit)
}
