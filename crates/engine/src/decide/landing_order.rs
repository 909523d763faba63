//! The order in which the work of a plan over several projects lands: after what it needs in other projects. Says what is held by
//! that, and which commits show that work has landed; looks into no repository.

use crate::decide::plan_projects;
use crate::state::known::State;
use downbeat_model::pull::PullState;
use downbeat_model::session::MergeOutcome;
use downbeat_model::{SessionId, lines};
use downbeat_plans::{PlanRecord, ShareRecord};
use downbeat_store::{ProjectRow, SessionRow};
use std::sync::Arc;

/// The most workers that a sentence names.
const MOST_NAMED: usize = 5;

/// Returns the plan that a session works for, and the place of its share; of several plans the newest.
#[must_use]
pub fn share_of<'a>(state: &'a State, id: &SessionId) -> Option<(&'a Arc<PlanRecord>, usize)> {
    let of = state.plans.values().filter_map(|plan| {
        let own = |one: &ShareRecord| one.session.as_ref() == Some(id);
        Some((plan, plan.shares.iter().position(own)?))
    });
    of.max_by_key(|(plan, _)| plan.created_at)
}

/// Whether the checks do not run on the work of a session, because it is the share of a plan that they are to fail with.
#[must_use]
pub fn is_unchecked(state: &State, id: &SessionId) -> bool {
    share_of(state, id).is_some_and(|(plan, place)| plan.tasks(place).iter().all(|task| task.unchecked))
}

/// Says which work has to land before that of a session; nothing if it may land now.
#[must_use]
pub fn held(state: &State, id: &SessionId) -> Option<String> {
    let mut several = state.plans.values().filter(|plan| plan.is_over_several());
    // Most people have no such plan.
    several.next()?;
    let (plan, place) = share_of(state, id)?;
    let before = plan.lands_after(place);
    let mut named: Vec<String> = before
        .iter()
        .take(MOST_NAMED)
        .map(|other| name(state, plan, *other))
        .collect();
    let last = match before.len().checked_sub(MOST_NAMED).filter(|more| *more > 0) {
        Some(more) => Some(format!("{more} more")),
        None => named.pop(),
    }?;
    let (all, have) = match named.is_empty() {
        true => (last, "has"),
        false => (format!("{} and {last}", named.join(", ")), "have"),
    };
    let is_removed = |other: &&usize| plan_projects::is_removed(state, plan, **other);
    let removed = match before.iter().find(is_removed) {
        Some(other) => {
            let tasks = plan.tasks(*other);
            let name = tasks.first().and_then(|task| task.project.as_deref());
            let which = lines::first_line(name.unwrap_or("a project"));
            let own = state.sessions.get(id).map_or("SESSION", |row| row.name.as_str());
            format!(
                "; {which} was removed, so nobody sees that it has: `downbeat merge {own} --any-order` merges at once"
            )
        }
        None => String::new(),
    };
    Some(format!("waits until the work of {all} {have} landed{removed}"))
}

/// Names a share with its project: `backend in api`.
fn name(state: &State, plan: &PlanRecord, place: usize) -> String {
    let share = plan.shares.get(place).map_or("", |one| one.share.name.as_str());
    match state.projects.get(plan.project_of(place)) {
        Some(project) => format!("{share} in {}", project.name),
        None => share.to_owned(),
    }
}

/// Returns the commits of a session that are on its project's default branch, as far as Downbeat or the forge merged them: if they
/// have the work of a share, that has landed, although the branch may have it as another commit.
#[must_use]
pub fn landed_heads(row: &SessionRow, project: &ProjectRow) -> Vec<String> {
    let cards = row
        .pulls
        .iter()
        .filter(|card| card.state == PullState::Merged && card.base_branch == project.default_branch);
    let last = row.merging.last.as_ref().filter(|last| {
        let is_in = matches!(last.outcome, MergeOutcome::Landed | MergeOutcome::Contained);
        is_in && last.target == project.default_branch
    });
    let merged = cards.map(|card| card.head.as_str().to_owned());
    merged.chain(last.map(|last| last.head.clone())).collect()
}

#[cfg(test)]
#[path = "landing_order_tests.rs"]
mod tests;
