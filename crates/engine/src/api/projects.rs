//! Adds, lists and changes projects, and lists their branches. Trust is stored by
//! [`crate::effects::worktree::trust`]; a project is removed by [`crate::effects::worktree::leave_project`].

use crate::api::inspect_folder;
use crate::api::move_project::Move;
use crate::effects::checks::plan::{self, Plan};
use crate::effects::worktree::{allowed_commits, leave_project, trust};
use crate::facts::rules;
use crate::host::{blocking, config};
use crate::state::context::Engine;
use crate::state::requests::Effect;
use crate::state::{approvals, error, find, rule_commands};
use downbeat_forge::RemoteAddress;
use downbeat_model::{EventKind, PermissionMode, ProjectId};
use downbeat_store::ProjectRow;
use downbeat_wire::project::{AddProject, Branch, EditProject, FolderKind, FolderReport, Project, SetupPlan};
use downbeat_wire::{ApiError, Code};
use jiff::Timestamp;
use serde_json::Value;
use std::path::PathBuf;

/// Adds a project.
pub async fn add(engine: &Engine, request: AddProject) -> Result<Project, ApiError> {
    let report = repository(engine, &request).await?;
    let root = PathBuf::from(&report.path);
    let opened = root.clone();
    let look = move || downbeat_git::Repository::open(&opened)?.default_branch();
    let default_branch = blocking::in_time(&report.path, look).await?.map_err(error::git)?;
    let row = ProjectRow {
        id: ProjectId::random().map_err(|error| ApiError::failed("no randomness", error))?,
        name: name(engine, request.name.as_deref(), &report.name)?,
        path: report.path,
        default_branch,
        trusted: false,
        permission_mode: engine
            .config()
            .defaults
            .permission_mode
            .min(PermissionMode::AcceptEdits),
        approved_setup: None,
        conductors_answer: false,
        allowed_commits: None,
        repositories: None,
        completed_by: None,
        created_at: Timestamp::now(),
    };
    let id = row.id.clone();
    engine
        .ledger
        .write(|draft| {
            if draft
                .state()
                .projects
                .values()
                .any(|other| other.path == row.path)
            {
                return Err(ApiError::new(
                    Code::Exists,
                    format!("{} is already a project", row.path),
                ));
            }
            draft.event(EventKind::ProjectAdded, Some(&row.id), Value::Null);
            draft.put_project(row);
            draft.effect(Effect::Project(id.clone()));
            Ok(())
        })
        .await?;
    finish_adding(engine, &id, request.trust.unwrap_or(false)).await
}

/// Describes the repository to add; creates it first if the request says so.
async fn repository(engine: &Engine, request: &AddProject) -> Result<FolderReport, ApiError> {
    let mut report = inspect_folder::inspect(engine, &request.path).await?;
    let initialize = request.initialize.unwrap_or(false);
    if initialize && matches!(report.kind, FolderKind::PlainFolder | FolderKind::NoCommits) {
        let folder = PathBuf::from(&report.path);
        blocking::blocking(move || downbeat_git::initialize(&folder))
            .await?
            .map_err(error::git)?;
        report = inspect_folder::inspect(engine, &request.path).await?;
    }
    match report.kind {
        FolderKind::Repository => Ok(report),
        FolderKind::AlreadyAdded => Err(ApiError::new(Code::Exists, report.message)),
        FolderKind::PlainFolder | FolderKind::NoCommits => {
            Err(ApiError::new(Code::NotARepository, report.message)
                .hint("add it again with `initialize`: Downbeat creates what is missing and adds no files"))
        }
        FolderKind::Missing => Err(ApiError::new(Code::NotFound, report.message)),
        FolderKind::Bare | FolderKind::NotAFolder | FolderKind::Unreadable => {
            Err(ApiError::invalid(report.message))
        }
    }
}

/// Handles a request to add a project that is already listed: trusts it if the request says so.
pub async fn finish_adding(engine: &Engine, id: &ProjectId, is_trusted: bool) -> Result<Project, ApiError> {
    if is_trusted && !engine.project(id)?.trusted {
        trust::trust(engine, id, true).await?;
    }
    Ok(view(engine, &*engine.project(id)?).await)
}

fn name(engine: &Engine, wanted: Option<&str>, folder: &str) -> Result<String, ApiError> {
    let state = engine.ledger.state();
    let taken = |name: &str| state.projects.values().any(|project| project.name == name);
    match wanted.map(str::trim).filter(|name| !name.is_empty()) {
        Some(name) if name.chars().count() > 80 || name.chars().any(char::is_control) => Err(
            ApiError::invalid("a project's name is one line of at most 80 characters"),
        ),
        Some(name) if taken(name) => Err(ApiError::new(
            Code::Exists,
            format!("a project named {name:?} already exists"),
        )),
        Some(name) => Ok(name.to_owned()),
        None => {
            let mut candidate = folder.to_owned();
            let mut number = 2;
            while taken(&candidate) {
                candidate = format!("{folder}-{number}");
                number += 1;
            }
            Ok(candidate)
        }
    }
}

/// Changes a project.
pub async fn edit(engine: &Engine, request: EditProject) -> Result<Project, ApiError> {
    let project = find::project(&engine.ledger.state(), &request.id)?;
    if request.permission_mode == Some(PermissionMode::Bypass) {
        return Err(ApiError::invalid(
            "bypass is chosen for one session at a time, never as a project's default",
        ));
    }
    refuse_changed(engine, &project, &request).await?;
    let tips = match &request.approve_setup {
        Some(_) => allowed_commits::tips(&project).await,
        None => Vec::new(),
    };
    let name = new_name(engine, &project, request.name.as_deref())?;
    // Prevents sessions from being planned at the old path meanwhile.
    let _planning = match request.path {
        Some(_) => Some(engine.planning.lock().await),
        None => None,
    };
    // Archived sessions have paths there, too.
    let _sessions = match request.path {
        Some(_) => Some(engine.recall_project(&project.id).await?),
        None => None,
    };
    let moved = match &request.path {
        Some(path) => Move::prepare(engine, &project, path).await?,
        None => None,
    };
    engine
        .ledger
        .write(|draft| {
            if let Some(moved) = &moved {
                moved.write(draft, &project.id)?;
            }
            let row = draft.project(&project.id)?;
            if let Some(name) = name {
                row.name = name;
            }
            change(row, &request, tips);
            draft.event(EventKind::ProjectChanged, Some(&project.id), Value::Null);
            Ok(())
        })
        .await?;
    if let Some(moved) = moved.filter(|_| project.trusted) {
        trust::trust_at(engine, moved.from().to_owned(), false).await?;
    }
    if let Some(yes) = request
        .trust
        .or((request.path.is_some() && project.trusted).then_some(true))
    {
        trust::trust(engine, &project.id, yes).await?;
    }
    if request.approve_reactions.is_some() {
        rules::react_again_in(engine, &project.id).await;
    }
    Ok(view(engine, &*engine.project(&project.id)?).await)
}

/// Fails if commands that the person approves are not those that were shown.
async fn refuse_changed(
    engine: &Engine,
    project: &ProjectRow,
    request: &EditProject,
) -> Result<(), ApiError> {
    let changed = |what: &str| {
        ApiError::new(
            Code::Conflict,
            format!("{what} have changed since they were shown"),
        )
        .hint("review them again, then approve")
    };
    if let Some(hash) = &request.approve_setup
        && setup_plan(engine, project).await?.hash != *hash
    {
        return Err(changed("the set-up commands"));
    }
    if let Some(hash) = &request.approve_checks
        && Plan::of(engine, project).await?.hash != *hash
    {
        return Err(changed("the checks"));
    }
    if let Some(hash) = &request.approve_reactions
        && reaction_commands(engine, project).await?.hash != *hash
    {
        return Err(changed("the commands of reactions"));
    }
    Ok(())
}

/// Returns the name that a project is to get, if it is another one.
fn new_name(engine: &Engine, project: &ProjectRow, wanted: Option<&str>) -> Result<Option<String>, ApiError> {
    match wanted {
        Some(wanted) if wanted.trim().is_empty() => {
            Err(ApiError::invalid("a project's name cannot be empty")
                .hint("leave the name out to keep the current one"))
        }
        Some(wanted) if wanted != project.name => name(engine, Some(wanted), &project.name).map(Some),
        _ => Ok(None),
    }
}

/// Applies what does not need a look at the disk. `tips` are the commits that an approval of set-up commands allows.
fn change(row: &mut ProjectRow, request: &EditProject, tips: Vec<String>) {
    if let Some(mode) = request.permission_mode {
        row.permission_mode = mode;
    }
    if let Some(hash) = &request.approve_setup {
        approvals::approve(row, hash);
        allowed_commits::add(row, tips);
    }
    if request.trust == Some(false) {
        plan::forget(row);
        rule_commands::forget(row);
    }
    if let Some(hash) = &request.approve_reactions {
        approvals::approve(row, hash);
    }
    if let Some(hash) = &request.approve_checks {
        plan::approve(row, hash);
    }
    if let Some(yes) = request.conductors_answer {
        row.conductors_answer = yes;
    }
}

/// Returns all projects, the oldest first.
pub async fn list(engine: &Engine) -> Vec<Project> {
    let mut rows: Vec<_> = engine.ledger.state().projects.values().cloned().collect();
    rows.sort_by_key(|row| row.created_at);
    // Concurrently, so that an unreadable project does not delay the others.
    let views = rows.iter().map(|row| view(engine, row));
    futures_util::future::join_all(views).await
}

/// Returns one project.
pub async fn get(engine: &Engine, id: &str) -> Result<Project, ApiError> {
    let row = find::project(&engine.ledger.state(), id)?;
    Ok(view(engine, &row).await)
}

/// Converts a project to its wire type.
pub async fn view(engine: &Engine, row: &ProjectRow) -> Project {
    let checks = Plan::of(engine, row).await;
    let config = checks.as_ref().err().map(|error| error.message.clone());
    // A disk that does not answer is not queried further.
    let ((setup, forge), problem) = match config {
        Some(_) => (Default::default(), None),
        None => match looked_at(engine, row).await {
            Ok(seen) => (seen, None),
            Err(error) => (Default::default(), Some(error.message)),
        },
    };
    Project {
        id: row.id.clone(),
        name: row.name.clone(),
        path: row.path.clone(),
        default_branch: row.default_branch.clone(),
        trusted: row.trusted,
        permission_mode: row.permission_mode,
        conductors_answer: row.conductors_answer,
        problem: problem.or(config),
        setup,
        checks: checks.map(|plan| plan.shown()).unwrap_or_default(),
        reaction_commands: reaction_commands(engine, row).await.unwrap_or_default(),
        forge,
        created_at: row.created_at,
    }
}

/// Returns what a new worktree of a project needs, and its repository on a forge. Fails if the project's folder cannot be
/// read.
async fn looked_at(engine: &Engine, row: &ProjectRow) -> Result<(SetupPlan, Option<String>), ApiError> {
    let root = PathBuf::from(&row.path);
    let look = move || {
        let remotes = downbeat_git::remotes(&root).unwrap_or_default();
        // A fork's pull requests go to its upstream.
        let upstream = remotes.iter().filter(|remote| remote.name == "upstream");
        let mut all = upstream.chain(&remotes);
        let found = all.find_map(|remote| RemoteAddress::parse(&remote.url).ok());
        (root.is_dir(), found.map(|address| address.to_string()))
    };
    match blocking::in_time(&row.path, look).await? {
        (true, forge) => Ok((setup_plan(engine, row).await?, forge)),
        (false, _) => Err(ApiError::new(
            Code::NotFound,
            format!(
                "{}: {}",
                leave_project::gone_words(row),
                leave_project::BACK.replace("NAME", &row.name)
            ),
        )),
    }
}

/// Returns the commands that the reactions of a project's file run, also before the person trusts the project.
async fn reaction_commands(engine: &Engine, row: &ProjectRow) -> Result<SetupPlan, ApiError> {
    let config = engine.project_config(row).await?;
    let rules = config::reaction_rules(&config.reactions);
    let file = config.reactions_file.unwrap_or(config::FILE);
    Ok(rule_commands::shown(&rules, row, file))
}

async fn setup_plan(engine: &Engine, row: &ProjectRow) -> Result<SetupPlan, ApiError> {
    let none = downbeat_git::CopyPlan {
        copies: Vec::new(),
        links: Vec::new(),
    };
    let setup = engine.setup_commands(row, PathBuf::from(&row.path), none).await?;
    Ok(crate::effects::worktree::setup::plan(
        &setup.commands,
        setup.approved,
    ))
}

/// Returns the branches that a session can start from.
pub async fn branches(engine: &Engine, id: &str) -> Result<Vec<Branch>, ApiError> {
    let row = find::project(&engine.ledger.state(), id)?;
    let (root, default) = (PathBuf::from(&row.path), row.default_branch.clone());
    let read = move || downbeat_git::Repository::open(&root)?.branches();
    let found = blocking::in_time(&row.path, read).await?.map_err(error::git)?;
    let branch = |info: downbeat_git::BranchInfo| Branch {
        is_default: info.name == default,
        name: info.name,
        commit: info.commit,
        summary: info.summary,
        is_remote: info.is_remote,
        checked_out_at: info
            .checked_out_at
            .map(|path| path.to_string_lossy().into_owned()),
    };
    Ok(found.into_iter().map(branch).collect())
}
