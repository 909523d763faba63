//! Decides the title, name, model and permission mode of a new session by its request. Its place is planned
//! in [`crate::effects::worktree::plan_place`].

use crate::decide::admission::Family;
use crate::state::known::State;
use downbeat_model::{PermissionMode, ProjectId, name};
use downbeat_store::ProjectRow;
use downbeat_wire::ApiError;
use downbeat_wire::spawn::NewSession;
use std::collections::BTreeSet;

/// The longest task text, in bytes; longer text belongs in a file of the repository.
pub const MAX_TASK: usize = 256 * 1024;

/// The longest name of a model, in bytes.
const MAX_MODEL: usize = 256;

pub(crate) fn check_text(request: &NewSession) -> Result<(), ApiError> {
    let long = |field: &str, text: &Option<String>, most: usize| match text {
        Some(text) if text.len() > most => Err(ApiError::invalid(format!(
            "{field} is {} bytes long; the maximum is {most}",
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
            "prompt contains a NUL character, which no terminal accepts",
        ));
    }
    if request
        .prompt
        .as_deref()
        .is_some_and(|text| text.trim().is_empty())
    {
        return Err(ApiError::invalid("prompt: it is empty")
            .hint("describe the task, or leave `prompt` out to start without one"));
    }
    request.model.as_deref().map_or(Ok(()), check_model)
}

/// Refuses a text that cannot be the name of a model.
pub fn check_model(model: &str) -> Result<(), ApiError> {
    match model.starts_with('-') || model.len() > MAX_MODEL || model.chars().any(char::is_control) {
        true => Err(ApiError::invalid(format!("{model:?} is not a model name"))),
        false => Ok(()),
    }
}

/// Returns the title that people see: the requested title, else the requested name (a conductor refers to its
/// workers by name), else the first line of the task.
pub(crate) fn title(request: &NewSession, task: &str, agent: &str) -> String {
    let given = [&request.title, &request.name]
        .into_iter()
        .flatten()
        .map(|text| name::title(text))
        .find(|title| !title.is_empty());
    let derived = || Some(name::title(task)).filter(|title| !title.is_empty());
    given.or_else(derived).unwrap_or_else(|| agent.to_owned())
}

/// Returns the name that a session should get; empty if its title has nothing to make a slug of.
pub(crate) fn wanted_name(
    request: &NewSession,
    title: &str,
    prefix: Option<&str>,
) -> Result<String, ApiError> {
    Ok(match &request.name {
        Some(name) => name::slug(name).ok_or_else(|| {
            ApiError::invalid(format!("{name:?} contains no letter or digit to form a name"))
        })?,
        None => match (name::slug(title), prefix) {
            (Some(slug), Some(prefix)) => name::slug(&format!("{prefix} {slug}")).unwrap_or(slug),
            (Some(slug), None) => slug,
            (None, _) => String::new(),
        },
    })
}

/// Returns the beginning that all names have that [`free_name`] may return.
pub(crate) fn beginning(wanted: &str) -> &str {
    let wanted = if wanted.is_empty() { NUMBERED } else { wanted };
    let end = wanted.char_indices().map(|(at, _)| at).nth(BEGINNING);
    let start = &wanted[..end.unwrap_or(wanted.len())];
    start.split_once('-').map_or(start, |(word, _)| word)
}

/// Returns a name that no session of the project has: neither one in memory nor one of those that are
/// `taken`.
pub(crate) fn free_name(
    state: &State,
    project: &ProjectId,
    wanted: &str,
    taken: &BTreeSet<String>,
) -> String {
    let in_memory: BTreeSet<&str> = state
        .sessions
        .values()
        .filter(|row| row.project_id == *project)
        .map(|row| row.name.as_str())
        .collect();
    let taken = |name: &str| taken.contains(name) || in_memory.contains(name);
    match wanted {
        "" => name::unique(&numbered(taken), taken),
        wanted => name::unique(wanted, taken),
    }
}

/// The beginning of names that are made of a number.
const NUMBERED: &str = "session";

/// The number of letters of a name that are never cut when a number is appended.
const BEGINNING: usize = 8;

/// Returns the name of a session whose title has nothing to make a slug of: `session-1`, `session-2` …
fn numbered(taken: impl Fn(&str) -> bool) -> String {
    let mut number = 1;
    while taken(&format!("{NUMBERED}-{number}")) {
        number += 1;
    }
    format!("{NUMBERED}-{number}")
}

pub(crate) fn permission(
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

#[cfg(test)]
#[path = "new_session_tests.rs"]
mod tests;
