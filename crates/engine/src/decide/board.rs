//! Gathers the facts from which [`downbeat_model::board`] decides in which column of the board a session is.

use crate::session::{report, review, stage};
use crate::state::known::State;
use downbeat_agents::SHELL;
use downbeat_model::board::{Known, column, is_at_work};
use downbeat_model::{Activity, Column, SessionId, Workspace};
use downbeat_store::SessionRow;
use std::collections::BTreeSet;

/// The sessions below which another one is at work, or asks.
#[derive(Debug)]
pub struct Conducting<'a>(BTreeSet<&'a SessionId>);

impl<'a> Conducting<'a> {
    /// Finds them in a state.
    pub fn of(state: &'a State) -> Self {
        let mut found = BTreeSet::new();
        for row in state.sessions.values().filter(|row| is_at_work(row.status)) {
            let mut above = row.parent.as_ref();
            // What is above a session that was found was found with it.
            while let Some(id) = above.filter(|id| found.insert(*id)) {
                above = state.sessions.get(id).and_then(|row| row.parent.as_ref());
            }
        }
        Self(found)
    }
}

/// Returns in which column of the board a session is; `needs_person` is whether it has an attention.
pub fn of(row: &SessionRow, conducting: &Conducting<'_>, needs_person: bool) -> Column {
    let activity = row.observed.as_ref().map(|seen| seen.activity);
    column(&Known {
        status: row.status,
        is_archived: row.archived_at.is_some(),
        needs_person,
        is_fresh: activity == Some(Activity::Ready),
        is_shell: row.agent == SHELL,
        works_below: conducting.0.contains(&row.id),
        stage: stage::lifecycle(row).stage,
        merge: stage::merge(row),
        is_checking: row.checks.run.is_some(),
        is_checked: report::checked_at(row).is_some_and(|at| row.status_since <= at || row.status.is_ended()),
        done: report::done(row).map(|done| done.state),
        review: review::current(row).map(|review| review.verdict),
        needs_no_checks: review::ready(row).is_some_and(|(review, _)| !review.has_checks),
        has_branch: row.branch.is_some()
            && row.workspace == Workspace::Worktree
            && row.workspace_path.is_some(),
    })
}

#[cfg(test)]
#[path = "board_tests.rs"]
mod tests;
