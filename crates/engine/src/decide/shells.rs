//! Side shells of a session: plans a shell, and names what a removal has to ask about. Starts none.

use crate::decide::ending;
use crate::session::end_mode::EndMode;
use crate::session::row::INFIX;
use crate::session::{row, status};
use crate::state::draft::Draft;
use crate::state::find;
use crate::state::known::State;
use crate::state::shells::MOST;
use downbeat_agents::SHELL;
use downbeat_model::{SessionId, Status};
use downbeat_store::SessionRow;
use downbeat_wire::{ApiError, Caller, Code};
use jiff::Timestamp;

/// Returns what the removal of a session's worktree needs a confirmation for: the programs that run in its
/// shells. A session's token cannot end the person's shells at all. Empty if there is nothing to confirm.
pub fn held(state: &State, caller: &Caller, session: &SessionId) -> String {
    let open = find::shown(state, session);
    let busy: Vec<&str> = open.iter().filter_map(|shell| shell.runs.as_deref()).collect();
    match (caller, busy.as_slice()) {
        (Caller::Session(_), _) if open.len() == 1 => "a shell that the person opened".to_owned(),
        (Caller::Session(_), _) if !open.is_empty() => {
            format!("{} shells that the person opened", open.len())
        }
        (_, []) => String::new(),
        (_, [one]) => format!("a shell that runs {one}"),
        (_, some) => format!("{} shells that run {}", some.len(), some.join(", ")),
    }
}

/// Refuses to take a session off the list if that ends programs that run in its shells.
pub fn refuse_held(state: &State, row: &SessionRow) -> Result<(), ApiError> {
    let held = held(state, &Caller::Owner, &row.id);
    match held.is_empty() {
        true => Ok(()),
        false => Err(
            ApiError::new(Code::UnsavedWork, format!("{} has {held}", row.name))
                .hint("end that first, or confirm (force), which ends it too"),
        ),
    }
}

/// Refuses an archived session.
pub(crate) fn is_listed(row: &SessionRow) -> Result<(), ApiError> {
    let name = &row.name;
    match row.archived_at {
        None => Ok(()),
        Some(_) => Err(ApiError::new(Code::Conflict, format!("{name} is archived"))
            .hint(format!("`downbeat unarchive {name}` restores it"))),
    }
}

/// Returns the row of a new shell, with the smallest free number.
pub(crate) fn planned(
    state: &State,
    beside: &SessionRow,
    id: SessionId,
    now: Timestamp,
) -> Result<SessionRow, ApiError> {
    // Shells that ended and are not cleared away yet still have their names.
    let all = state
        .shells
        .values()
        .filter(|row| row.side_shell_of.as_ref() == Some(&beside.id));
    let taken: Vec<u32> = all.map(|row| row::number(row)).collect();
    if taken.len() >= MOST {
        let what = format!("{} already has {MOST} side shells, the maximum", beside.name);
        return Err(ApiError::new(Code::LimitReached, what).hint("close one first"));
    }
    let number = (1..).find(|number| !taken.contains(number)).unwrap_or(1);
    Ok(SessionRow {
        name: format!("{}{INFIX}{number}", beside.name),
        title: format!("Shell {number}"),
        agent: SHELL.to_owned(),
        side_shell_of: Some(beside.id.clone()),
        // It is where its session is, under the same limits. Its environment holds the session's token.
        depth: beside.depth,
        permission_mode: beside.permission_mode,
        workspace: beside.workspace,
        workspace_path: beside.workspace_path.clone(),
        branch: beside.branch.clone(),
        base: beside.base.clone(),
        port: beside.port,
        ..SessionRow::new(
            id,
            beside.project_id.clone(),
            status::by_engine("opened by you", now),
        )
    })
}

/// Returns the row of a shell that is killed at `now`.
pub fn killed(row: &SessionRow, now: Timestamp) -> SessionRow {
    SessionRow {
        status: Status::Killed,
        status_evidence: status::by_engine("killed by you", now),
        ..row.clone()
    }
}

/// Records that the shells of a session are to end; [`crate::effects::process::shells_end::carry_out`] ends
/// them.
pub fn note_kill(draft: &mut Draft, session: &SessionId, who: &str) -> Result<Vec<SessionId>, ApiError> {
    let open: Vec<SessionId> = find::open_beside(draft.state(), session)
        .map(|row| row.id.clone())
        .collect();
    for id in &open {
        ending::note(draft, id, EndMode::Kill, who)?;
    }
    Ok(open)
}

#[cfg(test)]
#[path = "shells_tests.rs"]
mod tests;
