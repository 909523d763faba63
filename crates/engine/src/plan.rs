//! Plans a session: its names, branch, base, directory, port and permissions, before anything is
//! made. Reads git and the ports; writes nothing. Making it is [`crate::spawn`].

use crate::engine::Engine;
use crate::ledger::State;
use crate::{budgets, error, lookup, once, pause, transition};
use downbeat_model::limit::{Admission, Load, TOO_DEEP};
use downbeat_model::{PermissionMode, ProjectId, Role, SessionId, Status, Workspace, name};
use downbeat_store::{ProjectRow, SessionRow};
use downbeat_wire::session::{Base, Step, StepState};
use downbeat_wire::spawn::NewSession;
use downbeat_wire::{ApiError, Caller, Code};
use jiff::Timestamp;
use std::path::PathBuf;
use std::sync::Arc;

/// Longest task text, in bytes; longer text belongs in a file of the repository.
pub const MAX_TASK: usize = 256 * 1024;

/// Longest name of a model, in bytes.
const MAX_MODEL: usize = 256;

/// The steps of a spawn, in order.
pub const STEPS: [&str; 4] = ["checkout", "copy", "setup", "start"];

/// Who the new session belongs to, and what that allows.
pub struct Family {
    /// The project.
    pub project: Arc<ProjectRow>,
    /// The session above it.
    pub parent: Option<Arc<SessionRow>>,
    /// Levels above it.
    pub depth: u32,
}

/// Checks who asks for what, and finds the project and the parent.
pub fn family(state: &State, caller: &Caller, request: &NewSession) -> Result<Family, ApiError> {
    let parent = match (caller, &request.parent) {
        (_, Some(name)) => Some(lookup::session(state, caller, name)?),
        (Caller::Session(id), None) => Some(lookup::session(state, caller, id.as_str())?),
        (Caller::Owner, None) => None,
    };
    let project = match (&request.project_id, &parent) {
        (Some(name), None) => lookup::project(state, name)?,
        (Some(name), Some(parent)) => {
            let project = lookup::project(state, name)?;
            if project.id != parent.project_id {
                return Err(ApiError::invalid("a worker belongs to its conductor's project"));
            }
            project
        }
        (None, Some(parent)) => lookup::project(state, parent.project_id.as_str())?,
        (None, None) => return Err(ApiError::invalid("projectId is missing").hint("name the project")),
    };
    if let Some(parent) = parent.as_ref().filter(|row| row.archived_at.is_some()) {
        let text = format!(
            "{} is archived: nobody would hear from a worker of it",
            parent.name
        );
        let hint = format!("`downbeat unarchive {}` brings it back", parent.name);
        return Err(ApiError::new(Code::Conflict, text).hint(hint));
    }
    let depth = parent.as_ref().map_or(0, |parent| parent.depth + 1);
    Ok(Family {
        project,
        parent,
        depth,
    })
}

/// Decides whether a session of this family may start now.
pub fn admit(engine: &Engine, state: &State, family: &Family) -> Result<Option<String>, ApiError> {
    let parent = family.parent.as_ref().map(|row| &row.id);
    match engine.limits().admit(family.depth, load(state, parent)) {
        Admission::Start => Ok(held(state, parent, &family.project.id)),
        Admission::Queue(cap) => Ok(Some(cap.to_string())),
        Admission::QueueFull(queued) => Err(ApiError::new(
            Code::LimitReached,
            format!("{queued} workers of this conductor wait already"),
        )
        .hint("wait until some have started (`wait_for_workers`), or end some")),
        Admission::TooDeep => Err(ApiError::new(Code::LimitReached, TOO_DEEP)
            .hint("do the work in this session, one task after another (mode: sequential)")),
    }
}

/// What counts towards the limits for a session below `parent`.
pub fn load(state: &State, parent: Option<&SessionId>) -> Load {
    let all = state.sessions.values();
    let beside = |row: &&Arc<SessionRow>| parent.is_some() && row.parent.as_ref() == parent;
    let live = all.clone().filter(|row| row.status.is_live());
    let queued = all.filter(|row| row.status == Status::Queued).filter(beside);
    let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    Load {
        live: count(live.clone().count()),
        siblings: count(live.filter(beside).count()),
        queued: count(queued.count()),
    }
}

/// What else holds a new session back: somebody above it is paused, or its project's budget of today
/// is used up, by which others of it are paused.
pub fn held(state: &State, parent: Option<&SessionId>, project: &ProjectId) -> Option<String> {
    if let Some(name) = pause::above(state, parent) {
        return Some(format!("the pause of {name}"));
    }
    let used_up = parent.is_none() && budgets::day_is_over(state, project);
    used_up.then(|| "its project's budget of today".to_owned())
}

/// Plans the row of a new session.
pub async fn row(
    engine: &Engine,
    state: &State,
    family: &Family,
    request: &NewSession,
) -> Result<SessionRow, ApiError> {
    check_text(request)?;
    let project = &family.project;
    let config = engine.project_config(project).await?;
    let agent = request
        .agent
        .clone()
        .or_else(|| config.agent.clone())
        .or_else(|| family.parent.as_ref().map(|parent| parent.agent.clone()))
        .map_or_else(|| engine.default_agent(), Ok)?;
    let definition = engine.agent(&agent)?;
    let task = request.prompt.clone().unwrap_or_default();
    let title = title(request, &task, &definition.name);
    let name = readable_name(state, project, request, &title, config.session_prefix.as_deref())?;
    let workspace = request.workspace.unwrap_or_default();
    let conductor = request.conductor.unwrap_or(false);
    let mode = permission(project, family, request, config.permission_mode);
    once::check(engine, project, request, &definition, mode)?;
    if conductor && !definition.can_conduct() {
        return Err(ApiError::invalid(format!(
            "{} cannot be a conductor: it takes no tools",
            definition.name
        ))
        .hint("choose an agent that can, like Claude Code, or leave conductor off"));
    }
    let id = SessionId::random().map_err(|error| ApiError::failed("no randomness", error))?;
    let place = place(engine, state, project, request, &config, &name, workspace).await?;
    let now = Timestamp::now();
    Ok(SessionRow {
        title,
        project_id: project.id.clone(),
        role: match (&family.parent, conductor) {
            (Some(_), _) => Role::Worker,
            (None, true) => Role::Conductor,
            (None, false) => Role::Session,
        },
        parent: family.parent.as_ref().map(|row| row.id.clone()),
        depth: family.depth,
        agent,
        model: request.model.clone(),
        permission_mode: mode,
        task,
        status: Status::Spawning,
        observed: None,
        status_evidence: transition::by_engine("asked for", now),
        status_since: now,
        error: None,
        workspace,
        workspace_path: Some(place.path.to_string_lossy().into_owned()),
        branch: place.branch,
        base: serde_json::to_value(&place.base).unwrap_or_default(),
        port: engine.free_port(state),
        steps: steps(),
        created_at: now,
        last_activity_at: now,
        exit_code: None,
        conversation: None,
        token: engine.new_token()?,
        keeper: None,
        copies: serde_json::Value::Null,
        setup: serde_json::Value::Null,
        has_backup: false,
        told: 0,
        intent: None,
        removed: serde_json::Value::Null,
        result: serde_json::Value::Null,
        lineage: serde_json::Value::Null,
        archived_at: None,
        last_prompt: None,
        beside: None,
        hold: serde_json::Value::Null,
        request: serde_json::to_value(request).unwrap_or_default(),
        name,
        id,
    })
}

/// The steps of a spawn, none begun.
pub fn steps() -> serde_json::Value {
    let step = |name: &&str| Step {
        name: (*name).to_owned(),
        state: StepState::Waiting,
        detail: String::new(),
        started_at: None,
        milliseconds: None,
    };
    serde_json::to_value(STEPS.iter().map(step).collect::<Vec<_>>()).unwrap_or_default()
}

fn check_text(request: &NewSession) -> Result<(), ApiError> {
    let long = |field: &str, text: &Option<String>, most: usize| match text {
        Some(text) if text.len() > most => Err(ApiError::invalid(format!(
            "{field} is {} bytes long; at most {most} are taken",
            text.len()
        ))),
        _ => Ok(()),
    };
    long("prompt", &request.prompt, MAX_TASK)?;
    long("title", &request.title, MAX_TASK)?;
    long("name", &request.name, 1024)?;
    long("branch", &request.branch, 1024)?;
    long("base", &request.base, 1024)?;
    long("model", &request.model, MAX_MODEL)?;
    if request.prompt.as_deref().is_some_and(|text| text.contains('\0')) {
        return Err(ApiError::invalid(
            "prompt holds a NUL character, which no terminal takes",
        ));
    }
    if request
        .prompt
        .as_deref()
        .is_some_and(|text| text.trim().is_empty())
    {
        return Err(ApiError::invalid("prompt: it is empty")
            .hint("say what is to be done; without `prompt` a session starts without a task"));
    }
    request.model.as_deref().map_or(Ok(()), check_model)
}

/// Refuses what cannot be the name of a model.
pub fn check_model(model: &str) -> Result<(), ApiError> {
    match model.starts_with('-') || model.len() > MAX_MODEL || model.chars().any(char::is_control) {
        true => Err(ApiError::invalid(format!("{model:?} is no name of a model"))),
        false => Ok(()),
    }
}

/// What people see it called: its title, else the name that it was given (a conductor speaks of its
/// workers by those), else the first line of its task.
fn title(request: &NewSession, task: &str, agent: &str) -> String {
    let given = [&request.title, &request.name]
        .into_iter()
        .flatten()
        .map(|text| name::title(text))
        .find(|title| !title.is_empty());
    let derived = || Some(name::title(task)).filter(|title| !title.is_empty());
    given.or_else(derived).unwrap_or_else(|| agent.to_owned())
}

fn readable_name(
    state: &State,
    project: &ProjectRow,
    request: &NewSession,
    title: &str,
    prefix: Option<&str>,
) -> Result<String, ApiError> {
    let taken = |candidate: &str| {
        state
            .sessions
            .values()
            .any(|row| row.project_id == project.id && row.name == candidate)
    };
    let wanted = match &request.name {
        Some(name) => name::slug(name)
            .ok_or_else(|| ApiError::invalid(format!("{name:?} has no letter or digit to make a name of")))?,
        None => match (name::slug(title), prefix) {
            (Some(slug), Some(prefix)) => name::slug(&format!("{prefix} {slug}")).unwrap_or(slug),
            (Some(slug), None) => slug,
            (None, _) => numbered(taken),
        },
    };
    Ok(name::unique(&wanted, taken))
}

/// `session-1`, `session-2` …: the name of a session whose title has nothing to make a slug of.
fn numbered(taken: impl Fn(&str) -> bool) -> String {
    let mut number = 1;
    while taken(&format!("session-{number}")) {
        number += 1;
    }
    format!("session-{number}")
}

fn permission(
    project: &ProjectRow,
    family: &Family,
    request: &NewSession,
    configured: Option<PermissionMode>,
) -> PermissionMode {
    // A repository's file may tighten what the person chose for the project, never loosen it.
    let default = configured.map_or(project.permission_mode, |mode| mode.min(project.permission_mode));
    let wanted = request.permission_mode.unwrap_or(match &family.parent {
        Some(parent) => parent.permission_mode,
        None => default,
    });
    family
        .parent
        .as_ref()
        .map_or(wanted, |parent| parent.permission_mode.cap(wanted))
}

/// Where a session will stand.
struct Place {
    path: PathBuf,
    branch: Option<String>,
    base: Option<Base>,
}

/// Refuses what only a worktree of its own can have.
fn refuse_in_place(request: &NewSession, workspace: Workspace) -> Result<(), ApiError> {
    let asked = match (workspace, &request.branch, &request.base) {
        (Workspace::InPlace, Some(_), _) => "branch",
        (Workspace::InPlace, None, Some(_)) => "base",
        _ => return Ok(()),
    };
    let what = format!("a session in place works on what is checked out there, and takes no {asked}");
    Err(ApiError::invalid(what).hint(format!(
        "leave the {asked} out, or let it have a worktree of its own"
    )))
}

async fn place(
    engine: &Engine,
    state: &State,
    project: &ProjectRow,
    request: &NewSession,
    config: &crate::config::ProjectConfig,
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
    let taken: Vec<String> = state
        .sessions
        .values()
        .filter(|row| row.project_id == project.id && row.workspace_path.is_some())
        .filter_map(|row| row.branch.clone())
        .collect();
    let in_place = workspace == Workspace::InPlace;
    let folder = root.clone();
    let look = move || -> Result<_, downbeat_git::Error> {
        let repository = downbeat_git::Repository::open(&folder)?;
        if in_place {
            return Ok((repository.current_branch(), None));
        }
        downbeat_git::require_git()?;
        let base = repository.base(&base_name)?;
        let mut branch = repository.free_branch(&wanted)?;
        let mut number = 2;
        while taken.contains(&branch) {
            branch = repository.free_branch(&format!("{wanted}-{number}"))?;
            number += 1;
        }
        Ok((
            Some(branch),
            Some(Base {
                name: base.name,
                commit: base.commit,
                behind: base.behind,
            }),
        ))
    };
    let (branch, base) = error::in_time(&project.path, look).await?.map_err(error::git)?;
    let path = if in_place {
        root
    } else {
        let is_planned = |path: &std::path::Path| {
            let mut planned = state
                .sessions
                .values()
                .filter_map(|row| row.workspace_path.as_deref());
            planned.any(|other| std::path::Path::new(other) == path)
        };
        let folder = engine.worktree_root(project, config);
        downbeat_git::check_place(&PathBuf::from(&project.path), &folder).map_err(error::git)?;
        free_folder(&folder, name, is_planned)
    };
    Ok(Place { path, branch, base })
}

/// A folder that nothing stands in, left-overs of others are never touched, and that no session is
/// planned for.
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
    use super::*;

    #[test]
    fn two_sessions_are_never_planned_for_one_folder() {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir(root.path().join("a")).unwrap();
        let queued = root.path().join("a-2");
        let path = free_folder(root.path(), "a", |path| path == queued);
        assert_eq!(path, root.path().join("a-3"));
    }
}
