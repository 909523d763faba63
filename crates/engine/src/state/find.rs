//! Finds the session or project that a person or an agent names, and confines agents to their own subtree.
//! Pure over the [`crate::state::known::State`].

use crate::session::row;
use crate::session::row::INFIX;
use crate::state::known::State;
use downbeat_model::{ProjectId, SessionId};
use downbeat_store::{ProjectRow, SessionRow};
use downbeat_wire::shell::Shell;
use downbeat_wire::{ApiError, Caller, Code};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The largest number of wrong letters in a name that still counts as a typing mistake.
const MEANT: usize = 3;

/// The number of names that are listed if no similar name is found.
const LISTED: usize = 8;

/// Finds the session called `name` (id or readable name) that `caller` may touch. For a session as caller,
/// the id of one of its shells stands for the session itself: that is the id in such a shell's environment.
///
/// # Errors
/// `not_found` (also for a session outside the caller's subtree whose name the caller cannot know),
/// `ambiguous` with the candidates, `forbidden` for an id outside the subtree, `conflict` for a side shell.
pub fn session(state: &State, caller: &Caller, name: &str) -> Result<Arc<SessionRow>, ApiError> {
    let id = SessionId::parse(name);
    let around = match caller {
        Caller::Session(own) => id
            .as_ref()
            .and_then(|id| self::around(state, id))
            .filter(|id| id == own),
        Caller::Owner => None,
    };
    if let Some(row) = around.or(id).and_then(|id| state.sessions.get(&id)) {
        return allowed(state, caller, row).map(|()| Arc::clone(row));
    }
    if *caller == Caller::Owner
        && let Some(shell) = self::named(state, name)?
    {
        return Err(ApiError::new(
            Code::Conflict,
            format!("{} is a side shell, not a session", shell.name),
        )
        .hint("a side shell can be attached to, read, typed into and killed; for everything else, name its session"));
    }
    let own = match caller {
        Caller::Session(id) => state.sessions.get(id).map(|row| row.project_id.clone()),
        Caller::Owner => None,
    };
    let reachable = |row: &&Arc<SessionRow>| {
        own.as_ref().is_none_or(|project| *project == row.project_id) && allowed(state, caller, row).is_ok()
    };
    let sessions = || state.sessions.values().filter(reachable);
    let mut named: Vec<_> = sessions().filter(|row| row.name == name).collect();
    if named.is_empty() {
        let in_project = in_projects(state, name);
        let is_it = |row: &&Arc<SessionRow>| in_project.contains(&(&row.project_id, row.name.as_str()));
        named = sessions().filter(is_it).collect();
    }
    match named.as_slice() {
        [] => Err(ApiError::not_found("session", name).hint(near(state, caller, name))),
        [row] => Ok(Arc::clone(row)),
        rows => Err(ambiguous(
            "session",
            name,
            rows.iter().map(|row| describe(state, row)),
        )),
    }
}

/// Returns what `name` means if a project's name is in front of a session's: `shop-fix-login` is `fix-login` in `shop`.
pub fn in_projects<'a>(state: &'a State, name: &'a str) -> Vec<(&'a ProjectId, &'a str)> {
    let split = |project: &'a Arc<ProjectRow>| {
        let session = name.strip_prefix(project.name.as_str())?.strip_prefix('-')?;
        Some((&project.id, session)).filter(|_| !session.is_empty())
    };
    state.projects.values().filter_map(split).collect()
}

/// Finds the session or the side shell called `name`. Side shells are reserved for the person.
///
/// # Errors
/// As [`session`].
pub fn terminal(state: &State, caller: &Caller, name: &str) -> Result<Arc<SessionRow>, ApiError> {
    match caller {
        Caller::Owner => match named(state, name)? {
            Some(shell) => Ok(shell),
            None => session(state, caller, name),
        },
        Caller::Session(_) => session(state, caller, name),
    }
}

/// Finds the project called `name` (id or name).
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

/// Reports whether `row` is `root` or below it.
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

/// Returns all sessions below `root`, deepest last, without `root`.
pub fn below(state: &State, root: &SessionId) -> Vec<Arc<SessionRow>> {
    let within = |row: &&Arc<SessionRow>| row.id != *root && is_within(state, row, root);
    let mut rows: Vec<_> = state.sessions.values().filter(within).cloned().collect();
    rows.sort_by_key(|row| row.depth);
    rows
}

/// The workers of each session of a state, indexed for many lookups.
pub struct Children<'a> {
    state: &'a State,
    of: BTreeMap<&'a SessionId, Vec<&'a Arc<SessionRow>>>,
}

impl<'a> Children<'a> {
    /// Indexes the sessions of a state.
    pub fn of(state: &'a State) -> Self {
        let mut of: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for row in state.sessions.values() {
            if let Some(parent) = &row.parent {
                of.entry(parent).or_default().push(row);
            }
        }
        Self { state, of }
    }

    /// Returns the number of direct workers of a session, at rest or not.
    pub fn count(&self, id: &SessionId) -> usize {
        self.of.get(id).map_or(0, Vec::len) + self.state.workers_at_rest(id)
    }

    /// Returns a session, if it exists, and all sessions below it.
    pub fn family(&self, id: &SessionId) -> Vec<&'a Arc<SessionRow>> {
        let mut family: Vec<_> = self.state.sessions.get(id).into_iter().collect();
        let mut next = 0;
        while let Some(row) = family.get(next) {
            family.extend(self.of.get(&row.id).into_iter().flatten());
            next += 1;
        }
        family
    }
}

fn allowed(state: &State, caller: &Caller, row: &SessionRow) -> Result<(), ApiError> {
    match caller {
        Caller::Owner => Ok(()),
        Caller::Session(id) if is_within(state, row, id) => Ok(()),
        Caller::Session(_) => Err(ApiError::new(
            Code::Forbidden,
            format!("the session {} is not among this session's workers", row.id),
        )
        .hint("list_workers shows the sessions that you can use")),
    }
}

fn ambiguous(kind: &str, name: &str, candidates: impl Iterator<Item = String>) -> ApiError {
    let list = candidates.collect::<Vec<_>>().join(", ");
    ApiError::new(Code::Ambiguous, format!("several {kind}s are named {name:?}"))
        .hint(format!("use an id: {list}"))
}

fn describe(state: &State, row: &SessionRow) -> String {
    let project = state
        .projects
        .get(&row.project_id)
        .map_or("?", |project| project.name.as_str());
    format!("{} (in {project})", row.id)
}

/// Returns the known word that was probably meant.
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

/// Returns the open shells of a session.
pub(crate) fn open_beside<'a>(
    state: &'a State,
    session: &'a SessionId,
) -> impl Iterator<Item = &'a Arc<SessionRow>> {
    let own = |row: &&Arc<SessionRow>| row.side_shell_of.as_ref() == Some(session) && !row.status.is_ended();
    state.shells.values().filter(own)
}

/// Returns the session that a shell belongs to.
pub fn around(state: &State, shell: &SessionId) -> Option<SessionId> {
    state.shells.get(shell)?.side_shell_of.clone()
}

/// Finds the open shell called `name`: its id, its name, or its session's id with its number.
///
/// # Errors
/// `ambiguous` if several projects have such a session.
pub fn named(state: &State, name: &str) -> Result<Option<Arc<SessionRow>>, ApiError> {
    if let Some(row) = SessionId::parse(name).and_then(|id| state.shells.get(&id)) {
        return Ok((!row.status.is_ended()).then(|| Arc::clone(row)));
    }
    let Some((session, number)) = name.rsplit_once(INFIX) else {
        return Ok(None);
    };
    let session = self::session(state, &Caller::Owner, session)?;
    let own = |row: &&Arc<SessionRow>| number.parse() == Ok(row::number(row));
    match open_beside(state, &session.id).find(own) {
        Some(row) => Ok(Some(Arc::clone(row))),
        None => Err(ApiError::not_found("shell", name).hint(those(state, &session))),
    }
}

/// Finds the shell of `session` that a request names by its number, id or name.
pub(crate) fn of_session(
    state: &State,
    session: &SessionRow,
    shell: &str,
) -> Result<Arc<SessionRow>, ApiError> {
    let meant = |row: &&Arc<SessionRow>| {
        row.id.as_str() == shell || row.name == shell || shell.parse() == Ok(row::number(row))
    };
    let found = open_beside(state, &session.id).find(meant).cloned();
    found.ok_or_else(|| ApiError::not_found("shell", shell).hint(those(state, session)))
}

/// Returns the shells of a session as a hint for a wrong name.
fn those(state: &State, session: &SessionRow) -> String {
    let names: Vec<String> = shown(state, &session.id)
        .into_iter()
        .map(|shell| shell.name)
        .collect();
    match names.is_empty() {
        true => format!(
            "{name} has no side shell; `downbeat shell {name}` opens one",
            name = session.name
        ),
        false => format!("there are: {}", names.join(", ")),
    }
}

/// Returns the shells of a session as wire types, ordered by number.
pub fn shown(state: &State, session: &SessionId) -> Vec<Shell> {
    let mut shells: Vec<Shell> = open_beside(state, session).map(|row| view(row)).collect();
    shells.sort_by_key(|shell| shell.number);
    shells
}

/// Converts a shell to its wire type.
pub fn view(row: &SessionRow) -> Shell {
    Shell {
        id: row.id.clone(),
        name: row.name.clone(),
        number: row::number(row),
        status: row.status,
        status_since: row.status_since,
        runs: row::program(row).map(str::to_owned),
    }
}

#[cfg(test)]
mod tests {
    use super::session;
    use crate::state::example;
    use crate::state::known::State;
    use downbeat_model::ProjectId;
    use downbeat_store::{ProjectRow, SessionRow};
    use downbeat_wire::{Caller, Code};
    use std::sync::Arc;

    /// Returns a state with the projects `shop` and `shop-web`, each with a session.
    fn state() -> State {
        let web = ProjectRow {
            id: ProjectId::parse("p000000000002").unwrap(),
            name: "shop-web".into(),
            ..example::project()
        };
        let named = |number, name: &str, project: &ProjectRow| SessionRow {
            name: name.into(),
            project_id: project.id.clone(),
            ..example::session(number)
        };
        let shop = example::project();
        let sessions = [
            named(1, "fix-login", &shop),
            named(2, "fix-login", &web),
            named(3, "shop-fix-cart", &shop),
            named(4, "fix-cart", &shop),
            named(5, "web-menu", &shop),
            named(6, "menu", &web),
        ];
        State {
            projects: Arc::new([shop, web].map(|row| (row.id.clone(), Arc::new(row))).into()),
            sessions: Arc::new(sessions.map(|row| (row.id.clone(), Arc::new(row))).into()),
            ..State::default()
        }
    }

    #[test]
    fn a_session_is_found_by_its_name_with_its_project_in_front() {
        let state = state();
        for (name, found) in [
            ("shop-fix-login", Ok(1)),
            ("shop-web-fix-login", Ok(2)),
            // A name of its own comes first.
            ("shop-fix-cart", Ok(3)),
            ("shop-web-menu", Err(Code::Ambiguous)),
            ("fix-login", Err(Code::Ambiguous)),
            ("shop-", Err(Code::NotFound)),
            ("shopfix-login", Err(Code::NotFound)),
            ("menu-shop", Err(Code::NotFound)),
        ] {
            let got = session(&state, &Caller::Owner, name);
            let got = got.map(|row| row.id.clone()).map_err(|error| error.code);
            assert_eq!(got, found.map(example::id), "{name}");
        }
        // A session finds only what is below it.
        let inside = session(&state, &Caller::Session(example::id(4)), "shop-fix-login");
        assert!(inside.is_err());
    }
}
