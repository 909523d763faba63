//! The budgets that apply to a project.

use crate::host::config::Budgets;
use crate::state::context::Engine;
use crate::state::known::State;
use downbeat_model::{ProjectId, SessionId};
use std::path::Path;

/// Returns the stricter of the person's budgets and the project's own.
pub(crate) fn of_project(engine: &Engine, state: &State, project: &ProjectId) -> Budgets {
    let own = engine.config().budgets;
    let row = state.projects.get(project);
    // An invalid project file is reported when sessions are planned.
    let theirs = row.and_then(|row| engine.project_configs.known(Path::new(&row.path)));
    match theirs.and_then(|config| config.budgets) {
        Some(theirs) => own.and(&theirs),
        None => own,
    }
}

/// Reports whether the project of a session has a budget: then transcripts are read during turns as well.
pub fn any(engine: &Engine, id: &SessionId) -> bool {
    let state = engine.ledger.state();
    let row = state.sessions.get(id);
    row.is_some_and(|row| !of_project(engine, &state, &row.project_id).is_open())
}
