//! Projects: what a folder is, adding it, its trust and its approvals. Taking one off the list is in
//! [`crate::leave`].

use crate::engine::Engine;
use crate::idempotency::Effect;
use crate::relocation::Move;
use crate::{error, leave, lookup, setup, vouched};
use downbeat_git::FolderKind as Kind;
use downbeat_model::{EventKind, PermissionMode, ProjectId};
use downbeat_store::ProjectRow;
use downbeat_wire::project::{AddProject, Branch, EditProject, FolderKind, FolderReport, Project, SetupPlan};
use downbeat_wire::{ApiError, Code};
use jiff::Timestamp;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Tells what a folder is.
pub async fn inspect(engine: &Engine, path: &str) -> Result<FolderReport, ApiError> {
    let home = engine.variable("HOME").or_else(|| engine.variable("USERPROFILE"));
    let folder = absolute(path, home)?;
    let asked = folder.clone();
    let shown = folder.to_string_lossy();
    let kind = error::in_time(&shown, move || downbeat_git::inspect(&asked)).await?;
    let root = match &kind {
        Kind::Repository { root } | Kind::NoCommits { root } => root.clone(),
        _ => folder,
    };
    let shown = root.to_string_lossy().into_owned();
    let name = root
        .file_name()
        .map_or_else(|| shown.clone(), |name| name.to_string_lossy().into_owned());
    let state = engine.ledger.state();
    let known = state
        .projects
        .values()
        .find(|project| Path::new(&project.path) == root);
    let (kind, message) = match (&kind, known) {
        (_, Some(project)) => (
            FolderKind::AlreadyAdded,
            format!("{shown} is the project {:?} already", project.name),
        ),
        (Kind::Repository { .. }, None) => (FolderKind::Repository, format!("{shown} is a git repository")),
        (Kind::NoCommits { .. }, None) => (
            FolderKind::NoCommits,
            format!(
                "{shown} has no commit yet; worktrees need one. Commit something, or let Downbeat make an empty first commit"
            ),
        ),
        (Kind::PlainFolder, None) => (
            FolderKind::PlainFolder,
            format!(
                "{shown} is not a git repository. Downbeat can make it one (git init and an empty first commit)"
            ),
        ),
        (Kind::Bare, None) => (
            FolderKind::Bare,
            format!("{shown} is a bare repository, without files to work in; clone it and add the clone"),
        ),
        (Kind::Embedded, None) => (
            FolderKind::Bare,
            format!(
                "{shown} is no checkout: the git directory that it leads to is not a `.git` of its own, but files that \
                 somebody may have committed or copied there, with a configuration that could run anything; add the \
                 repository around it, or clone it"
            ),
        ),
        (Kind::Missing, None) => (FolderKind::Missing, format!("{shown} does not exist")),
        (Kind::NotAFolder, None) => (
            FolderKind::NotAFolder,
            format!("{shown} is a file; add the folder it is in"),
        ),
        (Kind::NotOrdinary { reason }, None) => (FolderKind::Unreadable, reason.clone()),
        (Kind::Refused { reason }, None) => (
            FolderKind::Unreadable,
            format!(
                "{shown} cannot be opened as a repository ({reason}); Downbeat reads repositories with SHA-1 objects and references \
                 as files, and every configuration of git's has to be readable"
            ),
        ),
        (Kind::Unreadable, None) => (
            FolderKind::Unreadable,
            format!("{shown} cannot be read; check its permissions and its owner"),
        ),
    };
    Ok(FolderReport {
        kind,
        path: shown,
        name,
        message,
        project_id: known.map(|project| project.id.clone()),
    })
}

/// The root of the repository at `path`; refuses any other folder.
pub async fn root_at(engine: &Engine, path: &str) -> Result<PathBuf, ApiError> {
    let report = inspect(engine, path).await?;
    match report.kind {
        FolderKind::Repository | FolderKind::AlreadyAdded => Ok(PathBuf::from(report.path)),
        FolderKind::Missing => Err(ApiError::new(Code::NotFound, report.message)),
        _ => Err(ApiError::invalid(report.message)),
    }
}

/// Adds a project.
pub async fn add(engine: &Engine, request: AddProject) -> Result<Project, ApiError> {
    let mut report = inspect(engine, &request.path).await?;
    let initialize = request.initialize.unwrap_or(false);
    if initialize && matches!(report.kind, FolderKind::PlainFolder | FolderKind::NoCommits) {
        let folder = PathBuf::from(&report.path);
        error::blocking(move || downbeat_git::initialize(&folder))
            .await?
            .map_err(error::git)?;
        report = inspect(engine, &request.path).await?;
    }
    match report.kind {
        FolderKind::Repository => {}
        FolderKind::AlreadyAdded => return Err(ApiError::new(Code::Exists, report.message)),
        FolderKind::PlainFolder | FolderKind::NoCommits => {
            return Err(ApiError::new(Code::NotARepository, report.message)
                .hint("add it again with `initialize`: Downbeat makes what is missing, and adds no file"));
        }
        FolderKind::Missing => return Err(ApiError::new(Code::NotFound, report.message)),
        FolderKind::Bare | FolderKind::NotAFolder | FolderKind::Unreadable => {
            return Err(ApiError::invalid(report.message));
        }
    }
    let root = PathBuf::from(&report.path);
    let opened = root.clone();
    let look = move || downbeat_git::Repository::open(&opened)?.default_branch();
    let default_branch = error::in_time(&report.path, look).await?.map_err(error::git)?;
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
        vouched: None,
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
                    format!("{} is a project already", row.path),
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

/// What is left to do for a project that is on the list: trust it, where that was asked for.
pub async fn finish_adding(engine: &Engine, id: &ProjectId, is_trusted: bool) -> Result<Project, ApiError> {
    if is_trusted && !engine.project(id)?.trusted {
        trust(engine, id, true).await?;
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
            format!("a project is called {name:?} already"),
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
    let project = lookup::project(&engine.ledger.state(), &request.id)?;
    if request.permission_mode == Some(PermissionMode::Bypass) {
        return Err(ApiError::invalid(
            "bypass is chosen for one session at a time, never as a project's default",
        ));
    }
    if let Some(hash) = &request.approve_setup {
        let plan = setup_plan(engine, &project).await?;
        if plan.hash != *hash {
            return Err(ApiError::new(
                Code::Conflict,
                "the set-up commands changed since they were shown",
            )
            .hint("look at them again, then approve"));
        }
    }
    let tips = match &request.approve_setup {
        Some(_) => vouched::tips(&project).await,
        None => Vec::new(),
    };
    let name = match &request.name {
        Some(wanted) if wanted.trim().is_empty() => {
            return Err(ApiError::invalid("a project's name is not empty")
                .hint("leave the name out to keep the one that it has"));
        }
        Some(wanted) if *wanted != project.name => Some(name(engine, Some(wanted), &project.name)?),
        _ => None,
    };
    // No session is planned in the old place meanwhile.
    let _planning = match request.path {
        Some(_) => Some(engine.planning.lock().await),
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
            if let Some(mode) = request.permission_mode {
                row.permission_mode = mode;
            }
            if let Some(hash) = request.approve_setup {
                setup::approve(row, &hash);
                vouched::add(row, tips);
            }
            if let Some(yes) = request.conductors_answer {
                row.conductors_answer = yes;
            }
            draft.event(EventKind::ProjectChanged, Some(&project.id), Value::Null);
            Ok(())
        })
        .await?;
    if let Some(moved) = moved.filter(|_| project.trusted) {
        trust_at(engine, moved.from().to_owned(), false).await?;
    }
    if let Some(yes) = request
        .trust
        .or((request.path.is_some() && project.trusted).then_some(true))
    {
        trust(engine, &project.id, yes).await?;
    }
    Ok(view(engine, &*engine.project(&project.id)?).await)
}

/// Writes the answer to the trust question, here and in the agent's own settings.
pub async fn trust(engine: &Engine, id: &ProjectId, yes: bool) -> Result<(), ApiError> {
    let project = engine.project(id)?;
    let tips = match yes {
        true => vouched::tips(&project).await,
        false => Vec::new(),
    };
    trust_at(engine, PathBuf::from(&project.path), yes).await?;
    engine
        .ledger
        .write(|draft| {
            let project = draft.project(id)?;
            project.trusted = yes;
            vouched::add(project, tips);
            draft.event(EventKind::ProjectChanged, Some(id), Value::Null);
            Ok(())
        })
        .await
}

/// Writes the answer into the agent's own settings. It looks for the repository that a worktree belongs to,
/// so one entry covers them all.
async fn trust_at(engine: &Engine, root: PathBuf, yes: bool) -> Result<(), ApiError> {
    let files = engine.agent_files();
    error::blocking(move || match (files, yes) {
        (Some(files), true) => downbeat_agents::grant_trust(&files, &root),
        (Some(files), false) => downbeat_agents::revoke_trust(&files, &root),
        (None, _) => Ok(()),
    })
    .await?
    .map_err(error::agent)
}

/// A project as it travels.
pub async fn view(engine: &Engine, row: &ProjectRow) -> Project {
    let config = engine.project_config(row).await.err().map(|error| error.message);
    // Nothing more is asked of a disk that does not answer.
    let (setup, problem) = match config {
        Some(_) => (SetupPlan::default(), None),
        None => match looked_at(engine, row).await {
            Ok(setup) => (setup, None),
            Err(error) => (SetupPlan::default(), Some(error.message)),
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
        created_at: row.created_at,
    }
}

/// What a worktree of a project needs; an error where its folder cannot be looked at.
async fn looked_at(engine: &Engine, row: &ProjectRow) -> Result<SetupPlan, ApiError> {
    let root = PathBuf::from(&row.path);
    match error::in_time(&row.path, move || root.is_dir()).await? {
        true => setup_plan(engine, row).await,
        false => Err(ApiError::new(
            Code::NotFound,
            format!(
                "{}: {}",
                leave::gone_words(row),
                leave::BACK.replace("NAME", &row.name)
            ),
        )),
    }
}

async fn setup_plan(engine: &Engine, row: &ProjectRow) -> Result<SetupPlan, ApiError> {
    let none = downbeat_git::CopyPlan {
        copies: Vec::new(),
        links: Vec::new(),
    };
    let setup = engine.setup_commands(row, PathBuf::from(&row.path), none).await?;
    Ok(crate::setup::plan(&setup.commands, setup.approved))
}

/// The branches that a session can start from.
pub async fn branches(row: &ProjectRow) -> Result<Vec<Branch>, ApiError> {
    let (root, default) = (PathBuf::from(&row.path), row.default_branch.clone());
    let read = move || downbeat_git::Repository::open(&root)?.branches();
    let found = error::in_time(&row.path, read).await?.map_err(error::git)?;
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

/// The path of a folder; one that begins with `~/`, as people type it, is in the home directory.
fn absolute(path: &str, home: Option<&str>) -> Result<PathBuf, ApiError> {
    if path.is_empty() || path.contains('\0') {
        return Err(ApiError::invalid("path is empty or holds a NUL character"));
    }
    let below_home = if path == "~" {
        Some("")
    } else {
        path.strip_prefix("~/")
    };
    let path = match below_home.zip(home) {
        Some((rest, home)) => Path::new(home).join(rest.trim_start_matches('/')),
        None => PathBuf::from(path),
    };
    if !path.is_absolute() {
        return Err(
            ApiError::invalid(format!("{} is not an absolute path", path.display()))
                .hint("give the whole path of the folder"),
        );
    }
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(unix)]
    fn a_path_is_absolute_or_begins_at_home() {
        let read = |path| absolute(path, Some("/home/ada")).map(|path| path.display().to_string());
        assert_eq!(read("/srv/app").unwrap(), "/srv/app");
        assert_eq!(read("~/code/app").unwrap(), "/home/ada/code/app");
        assert_eq!(read("~//etc").unwrap(), "/home/ada/etc");
        for bad in ["", "code", "./~/code", "~other/code"] {
            assert!(read(bad).is_err(), "{bad}");
        }
        assert!(absolute("~/code", None).is_err());
    }
}
