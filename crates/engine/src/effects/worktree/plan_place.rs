//! Plans a session's row and the place of its worktree; creates neither.

use crate::decide::admission::Family;
use crate::decide::{new_session, one_shot};
use crate::host::blocking;
use crate::host::config::ProjectConfig;
use crate::session::status;
use crate::state::context::Engine;
use crate::state::error;
use crate::state::known::State;
use downbeat_model::{Role, SessionId, Workspace};
use downbeat_store::{ProjectRow, SessionRow};
use downbeat_wire::session::Base;
use downbeat_wire::spawn::NewSession;
use downbeat_wire::{ApiError, Code};
use jiff::Timestamp;
use std::path::PathBuf;

/// Plans the row of a new session.
pub async fn row(
    engine: &Engine,
    state: &State,
    family: &Family,
    request: &NewSession,
) -> Result<SessionRow, ApiError> {
    new_session::check_text(request)?;
    let project = &family.project;
    let config = engine.project_config(project).await?;
    let agent = agent(engine, &config, family, request)?;
    let definition = engine.agent(&agent)?;
    let task = request.prompt.clone().unwrap_or_default();
    let title = new_session::title(request, &task, &definition.name);
    let wanted = new_session::wanted_name(request, &title, config.session_prefix.as_deref())?;
    let taken = engine.ledger.store();
    let taken = taken
        .names_beginning(&project.id, new_session::beginning(&wanted))
        .await;
    let name = new_session::free_name(state, &project.id, &wanted, &taken.map_err(error::store)?);
    let workspace = request.workspace.unwrap_or_default();
    let conductor = request.conductor.unwrap_or(false);
    let mode = new_session::permission(project, family, request, config.permission_mode);
    one_shot::check(&engine.known_agents(), project, request, &definition, mode)?;
    if conductor && !definition.can_conduct() {
        return Err(ApiError::invalid(format!(
            "{} cannot be a conductor: it accepts no tools",
            definition.name
        ))
        .hint("choose an agent that can, like Claude Code, or leave conductor off"));
    }
    let id = SessionId::random().map_err(|error| ApiError::failed("no randomness", error))?;
    let place = place(engine, state, project, request, &config, &name, workspace).await?;
    let asked = status::by_engine("asked for", Timestamp::now());
    Ok(SessionRow {
        name,
        title,
        role: match (&family.parent, conductor) {
            (Some(_), _) => Role::Worker,
            (None, true) => Role::Conductor,
            (None, false) => Role::Session,
        },
        parent: family.parent.as_ref().map(|row| row.id.clone()),
        depth: family.depth,
        agent: definition.id.clone(),
        model: request.model.clone(),
        permission_mode: mode,
        task,
        workspace,
        workspace_path: Some(place.path.to_string_lossy().into_owned()),
        branch: place.branch,
        base: place.base,
        port: engine.free_port(state),
        token: engine.new_token()?,
        conducts: conductor,
        one_shot: request.once.unwrap_or(false),
        ..SessionRow::new(id, project.id.clone(), asked)
    })
}

/// Returns the agent of a new session: the one that the request names, or that of its project, its parent, or the person.
///
/// # Errors
/// Fails if there is none.
pub fn agent(
    engine: &Engine,
    config: &ProjectConfig,
    family: &Family,
    request: &NewSession,
) -> Result<String, ApiError> {
    let named = request.agent.clone().or_else(|| config.agent.clone());
    let named = named.or_else(|| family.parent.as_ref().map(|parent| parent.agent.clone()));
    named.map_or_else(|| engine.default_agent(), Ok)
}

/// The path, branch and base planned for a session.
pub(crate) struct Place {
    pub(crate) path: PathBuf,
    pub(crate) branch: Option<String>,
    pub(crate) base: Option<Base>,
}

/// Refuses options that only a session in a worktree can have.
fn refuse_in_place(request: &NewSession, workspace: Workspace) -> Result<(), ApiError> {
    let asked = match (workspace, &request.branch, &request.base) {
        (Workspace::InPlace, Some(_), _) => "branch",
        (Workspace::InPlace, None, Some(_)) => "base",
        _ => return Ok(()),
    };
    let what = format!("an in-place session works on what is checked out, so it cannot have a {asked}");
    Err(ApiError::invalid(what).hint(format!(
        "leave the {asked} out, or give the session its own worktree"
    )))
}

/// Wraps an error of git about a branch or base: the caller's mistake, unless the project chose the base.
fn misnamed(error: downbeat_git::Error, request: &NewSession) -> ApiError {
    let is_of_project = request.base.is_none() && matches!(error, downbeat_git::Error::UnknownRef { .. });
    match is_of_project {
        true => ApiError::new(Code::Conflict, error.to_string())
            .hint("it is the base of the project: name another one in its downbeat.yaml (`base`), or for this session"),
        false => error::git_as_asked(error),
    }
}

async fn place(
    engine: &Engine,
    state: &State,
    project: &ProjectRow,
    request: &NewSession,
    config: &crate::host::config::ProjectConfig,
    name: &str,
    workspace: Workspace,
) -> Result<Place, ApiError> {
    refuse_in_place(request, workspace)?;
    let root = PathBuf::from(&project.path);
    let base_name = request
        .base
        .clone()
        .or_else(|| config.base.clone())
        .unwrap_or_else(|| project.default_branch.clone());
    let wanted = request.branch.clone().unwrap_or_else(|| config.branch_for(name));
    let at_rest = engine.ledger.store().places_at_rest(&project.id).await;
    let at_rest = at_rest.map_err(error::store)?;
    let taken: Vec<String> = state
        .sessions
        .values()
        .filter(|row| row.project_id == project.id && row.workspace_path.is_some())
        .filter_map(|row| row.branch.clone())
        .chain(at_rest.iter().filter_map(|place| place.branch.clone()))
        .collect();
    let in_place = workspace == Workspace::InPlace;
    let folder = root.clone();
    let look = move || match in_place {
        true => Ok((downbeat_git::Repository::open(&folder)?.current_branch(), None)),
        false => {
            let (branch, base) = branch_and_base(&folder, &wanted, &base_name, &taken)?;
            Ok((Some(branch), Some(base)))
        }
    };
    let (branch, base) = blocking::in_time(&project.path, look)
        .await?
        .map_err(|error| misnamed(error, request))?;
    let path = if in_place {
        root
    } else {
        let is_planned = |path: &std::path::Path| {
            let in_use = state.sessions.values();
            let in_use = in_use.filter_map(|row| row.workspace_path.as_deref());
            let mut planned = in_use.chain(at_rest.iter().map(|place| place.path.as_str()));
            planned.any(|other| std::path::Path::new(other) == path)
        };
        let folder = engine.worktree_root(project, config);
        downbeat_git::check_place(&PathBuf::from(&project.path), &folder).map_err(error::git)?;
        free_folder(&folder, name, is_planned)
    };
    Ok(Place { path, branch, base })
}

/// Returns a branch that neither exists nor is `taken`, and the base that it starts from.
fn branch_and_base(
    folder: &std::path::Path,
    wanted: &str,
    base: &str,
    taken: &[String],
) -> Result<(String, Base), downbeat_git::Error> {
    let repository = downbeat_git::Repository::open(folder)?;
    downbeat_git::require_git()?;
    let base = repository.base(base)?;
    let mut branch = repository.free_branch(wanted)?;
    let mut number = 2;
    while taken.contains(&branch) {
        branch = repository.free_branch(&format!("{wanted}-{number}"))?;
        number += 1;
    }
    let base = Base {
        name: base.name,
        commit: base.commit,
        behind: base.behind,
    };
    Ok((branch, base))
}

/// Returns a folder path that does not exist yet, so that left-overs of others are never touched, and that no
/// session is planned for.
fn free_folder(root: &std::path::Path, name: &str, is_planned: impl Fn(&std::path::Path) -> bool) -> PathBuf {
    let mut path = root.join(name);
    let mut number = 2;
    while path.symlink_metadata().is_ok() || is_planned(&path) {
        path = root.join(format!("{name}-{number}"));
        number += 1;
    }
    path
}

#[cfg(test)]
mod tests {
    use super::free_folder;

    #[test]
    fn two_sessions_are_never_planned_for_one_folder() {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir(root.path().join("a")).unwrap();
        let queued = root.path().join("a-2");
        let path = free_folder(root.path(), "a", |path| path == queued);
        assert_eq!(path, root.path().join("a-3"));
    }
}
