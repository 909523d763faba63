//! Finds the session or project that a person or an agent names, and holds agents to their own
//! subtree. Pure over the [`State`].

use crate::ledger::State;
use crate::shells;
use downbeat_model::{ProjectId, SessionId};
use downbeat_store::{ProjectRow, SessionRow};
use downbeat_wire::{ApiError, Caller, Code};
use std::sync::Arc;

/// How many letters may be wrong in a name that was meant.
const MEANT: usize = 3;

/// Names that are listed where none was meant.
const LISTED: usize = 8;

/// The session called `name` (id or readable name) that `caller` may touch. For who acts as a session,
/// the id of a shell beside it stands for the session: that is what such a shell's environment names.
///
/// # Errors
/// `not_found` (also for a session outside the caller's subtree whose name the caller cannot
/// know), `ambiguous` with the candidates, `forbidden` for an id outside the subtree, `conflict` for an
/// extra shell.
pub fn session(state: &State, caller: &Caller, name: &str) -> Result<Arc<SessionRow>, ApiError> {
    let id = SessionId::parse(name);
    let around = match caller {
        Caller::Session(own) => id
            .as_ref()
            .and_then(|id| shells::around(state, id))
            .filter(|id| id == own),
        Caller::Owner => None,
    };
    if let Some(row) = around.or(id).and_then(|id| state.sessions.get(&id)) {
        return allowed(state, caller, row).map(|()| Arc::clone(row));
    }
    if *caller == Caller::Owner
        && let Some(shell) = shells::named(state, name)?
    {
        return Err(ApiError::new(
            Code::Conflict,
            format!("{} is a shell beside a session, not a session", shell.name),
        )
        .hint("its terminal can be attached to, read and typed into, and it can be killed; name its session for all else"));
    }
    let own = match caller {
        Caller::Session(id) => state.sessions.get(id).map(|row| row.project_id.clone()),
        Caller::Owner => None,
    };
    let named = state.sessions.values().filter(|row| {
        row.name == name
            && own.as_ref().is_none_or(|project| *project == row.project_id)
            && allowed(state, caller, row).is_ok()
    });
    match named.collect::<Vec<_>>().as_slice() {
        [] => Err(ApiError::not_found("session", name).hint(near(state, caller, name))),
        [row] => Ok(Arc::clone(row)),
        rows => Err(ambiguous(
            "session",
            name,
            rows.iter().map(|row| describe(state, row)),
        )),
    }
}

/// The session or the extra shell called `name`. Extra shells are the person's alone.
///
/// # Errors
/// As [`session`].
pub fn terminal(state: &State, caller: &Caller, name: &str) -> Result<Arc<SessionRow>, ApiError> {
    match caller {
        Caller::Owner => match shells::named(state, name)? {
            Some(shell) => Ok(shell),
            None => session(state, caller, name),
        },
        Caller::Session(_) => session(state, caller, name),
    }
}

/// The project called `name` (id or name).
pub fn project(state: &State, name: &str) -> Result<Arc<ProjectRow>, ApiError> {
    if let Some(row) = ProjectId::parse(name).and_then(|id| state.projects.get(&id)) {
        return Ok(Arc::clone(row));
    }
    let named = state
        .projects
        .values()
        .filter(|row| row.name == name)
        .collect::<Vec<_>>();
    match named.as_slice() {
        [] => Err(ApiError::not_found("project", name).hint("`downbeat project list` shows all projects")),
        [row] => Ok(Arc::clone(row)),
        rows => Err(ambiguous(
            "project",
            name,
            rows.iter().map(|row| format!("{} ({})", row.id, row.path)),
        )),
    }
}

/// Whether `row` is `root` or somewhere below it.
pub fn is_within(state: &State, row: &SessionRow, root: &SessionId) -> bool {
    let mut at = Some(&row.id);
    while let Some(id) = at {
        if id == root {
            return true;
        }
        at = state.sessions.get(id).and_then(|row| row.parent.as_ref());
    }
    false
}

/// Everything below `root`, deepest last, without `root`.
pub fn below(state: &State, root: &SessionId) -> Vec<Arc<SessionRow>> {
    let within = |row: &&Arc<SessionRow>| row.id != *root && is_within(state, row, root);
    let mut rows: Vec<_> = state.sessions.values().filter(within).cloned().collect();
    rows.sort_by_key(|row| row.depth);
    rows
}

fn allowed(state: &State, caller: &Caller, row: &SessionRow) -> Result<(), ApiError> {
    match caller {
        Caller::Owner => Ok(()),
        Caller::Session(id) if is_within(state, row, id) => Ok(()),
        Caller::Session(_) => Err(ApiError::new(
            Code::Forbidden,
            format!("the session {} is not among this session's workers", row.id),
        )
        .hint("list_workers shows the sessions that may be touched")),
    }
}

fn ambiguous(kind: &str, name: &str, candidates: impl Iterator<Item = String>) -> ApiError {
    let list = candidates.collect::<Vec<_>>().join(", ");
    ApiError::new(Code::Ambiguous, format!("several {kind}s are called {name:?}"))
        .hint(format!("use an id: {list}"))
}

fn describe(state: &State, row: &SessionRow) -> String {
    let project = state
        .projects
        .get(&row.project_id)
        .map_or("?", |project| project.name.as_str());
    format!("{} (in {project})", row.id)
}

/// The word that was probably meant.
pub fn nearest<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let far = |other: &str| strsim::damerau_levenshtein(other, word);
    known
        .filter(|other| far(other) <= MEANT)
        .min_by_key(|other| far(other))
}

fn near(state: &State, caller: &Caller, name: &str) -> String {
    let mut names: Vec<_> = state
        .sessions
        .values()
        .filter(|row| allowed(state, caller, row).is_ok())
        .map(|row| row.name.as_str())
        .collect();
    names.sort_unstable();
    match nearest(name, names.iter().copied()) {
        Some(near) => format!("did you mean {near:?}?"),
        None if names.is_empty() => "there are no sessions yet".into(),
        None => {
            names.sort_by_key(|other| strsim::damerau_levenshtein(other, name));
            names.truncate(LISTED);
            format!("there are: {}", names.join(", "))
        }
    }
}
