//! Decides whether a session may start now, by the caps and by the sessions above it. Starts nothing.

use crate::decide::{budgets, pause};
use crate::state::find;
use crate::state::known::State;
use downbeat_model::limit::{Admission, Limits, Load, TOO_DEEP};
use downbeat_model::{ProjectId, SessionId, Status};
use downbeat_plans::{PlanState, ShareRecord, ShareState};
use downbeat_store::{ProjectRow, SessionRow};
use downbeat_wire::spawn::NewSession;
use downbeat_wire::{ApiError, Caller, Code};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The place of a new session: its project, its parent and its depth.
pub struct Family {
    /// The project.
    pub project: Arc<ProjectRow>,
    /// The session above the new one.
    pub parent: Option<Arc<SessionRow>>,
    /// The number of levels above the new session.
    pub depth: u32,
}

/// Checks the caller and the request, and finds the project and the parent.
pub fn family(state: &State, caller: &Caller, request: &NewSession) -> Result<Family, ApiError> {
    let parent = match (caller, &request.parent) {
        (_, Some(name)) => Some(find::session(state, caller, name)?),
        (Caller::Session(id), None) => Some(find::session(state, caller, id.as_str())?),
        (Caller::Owner, None) => None,
    };
    let project = match (&request.project_id, &parent) {
        (Some(name), None) => find::project(state, name)?,
        (Some(name), Some(parent)) => {
            let project = find::project(state, name)?;
            if project.id != parent.project_id {
                return Err(ApiError::invalid("a worker belongs to its conductor's project"));
            }
            project
        }
        (None, Some(parent)) => find::project(state, parent.project_id.as_str())?,
        (None, None) => return Err(ApiError::invalid("projectId is missing").hint("name the project")),
    };
    if let Some(parent) = parent.as_ref().filter(|row| row.archived_at.is_some()) {
        let text = format!(
            "{} is archived, so nobody would read its worker's report",
            parent.name
        );
        let hint = format!("`downbeat unarchive {}` restores it", parent.name);
        return Err(ApiError::new(Code::Conflict, text).hint(hint));
    }
    let depth = parent.as_ref().map_or(0, |parent| parent.depth + 1);
    Ok(Family {
        project,
        parent,
        depth,
    })
}

/// Decides whether a session of this family may start now. Returns the name of what holds it back, if
/// anything does.
///
/// # Errors
/// Fails if the session may neither start nor wait: it would be too deep, or its conductor's queue is
/// full.
pub fn admit(limits: &Limits, state: &State, family: &Family) -> Result<Option<String>, ApiError> {
    let parent = family.parent.as_ref().map(|row| &row.id);
    match limits.admit(family.depth, load(state, parent, &family.project.id)) {
        Admission::Start => Ok(held(state, parent, &family.project.id)),
        Admission::Queue(cap) => Ok(Some(cap.to_string())),
        Admission::QueueFull(queued) => Err(ApiError::new(
            Code::LimitReached,
            format!("{queued} workers of this conductor are already queued"),
        )
        .hint("wait until some have started (`wait_for_workers`), or end some")),
        Admission::TooDeep => Err(ApiError::new(Code::TooDeep, TOO_DEEP)
            .hint("do the work in this session, one task after another (mode: sequential)")),
    }
}

/// Counts the sessions that matter to the limits of a session of `project` below `parent`. Those above it do not count for the limit
/// of the project: they may wait for it.
pub fn load(state: &State, parent: Option<&SessionId>, project: &ProjectId) -> Load {
    let all = state.sessions.values();
    let mut above = BTreeSet::new();
    let mut next = parent.and_then(|id| state.sessions.get(id));
    while let Some(row) = next {
        above.insert(&row.id);
        next = row.parent.as_ref().and_then(|id| state.sessions.get(id));
    }
    let beside = |row: &&Arc<SessionRow>| parent.is_some() && row.parent.as_ref() == parent;
    let live = all.clone().filter(|row| row.status.is_live());
    let queued = all.filter(|row| row.status == Status::Queued).filter(beside);
    let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    Load {
        live: count(live.clone().count()),
        in_project: count(
            live.clone()
                .filter(|row| row.project_id == *project && !above.contains(&row.id))
                .count(),
        ),
        siblings: count(live.filter(beside).count()),
        queued: count(queued.count()),
    }
}

/// Returns what else holds a new session back: a paused session above it, or the project's budget for today,
/// if other sessions are paused by it.
pub fn held(state: &State, parent: Option<&SessionId>, project: &ProjectId) -> Option<String> {
    if let Some(name) = pause::above(state, parent) {
        return Some(format!("the pause of {name}"));
    }
    let used_up = parent.is_none() && budgets::day_is_over(state, project);
    used_up.then(|| "its project's budget for today".to_owned())
}

/// Returns the name of the nearest session above that was killed: nobody needs the work of its workers any
/// more.
pub fn killed_above(state: &State, row: &SessionRow) -> Option<String> {
    let parent = |row: &SessionRow| row.parent.as_ref().and_then(|id| state.sessions.get(id));
    let mut above = parent(row);
    while let Some(row) = above {
        if row.status == Status::Killed {
            return Some(row.name.clone());
        }
        above = parent(row);
    }
    None
}

/// What a queued worker of a plan that is paused says.
const PLAN_IS_PAUSED: &str = "held back: its plan is paused";

/// Says why a queued session does not start although there may be room: nobody needs its work at present.
pub fn stopped(state: &State, row: &SessionRow) -> Option<String> {
    if let Some(killed) = killed_above(state, row) {
        return Some(format!(
            "held back: {killed} was killed; it starts once that session is resumed"
        ));
    }
    let paused = state.plans.values();
    let mut paused = paused.filter(|plan| plan.state == PlanState::Paused);
    let is_its =
        |one: &ShareRecord| one.state == ShareState::Running && one.session.as_ref() == Some(&row.id);
    let is_paused = paused.any(|plan| plan.shares.iter().any(is_its));
    is_paused.then(|| PLAN_IS_PAUSED.to_owned())
}

/// The decision about a queued session.
pub(crate) enum Next {
    Starts,
    Waits,
    /// The session waits, and its reason is new.
    Says(String),
}

/// Decides about a queued session by `state`.
pub(crate) fn next(limits: &Limits, state: &State, row: &SessionRow) -> Next {
    // Someone may have requested its end or its removal meanwhile.
    let Some(now) = state.sessions.get(&row.id) else {
        return Next::Waits;
    };
    let Some(project) = state.projects.get(&row.project_id) else {
        return Next::Waits;
    };
    if now.status != Status::Queued || now.intent.is_some() {
        return Next::Waits;
    }
    if let Some(why) = stopped(state, row) {
        return match now.status_evidence.detail == why {
            true => Next::Waits,
            false => Next::Says(why),
        };
    }
    let family = Family {
        project: Arc::clone(project),
        parent: row.parent.as_ref().and_then(|id| state.sessions.get(id).cloned()),
        depth: row.depth,
    };
    match admit(limits, state, &family) {
        Ok(None) if now.hold.pause.is_none() => Next::Starts,
        Ok(Some(held)) if now.status_evidence.detail == PLAN_IS_PAUSED => {
            Next::Says(format!("held back by {held}"))
        }
        _ => Next::Waits,
    }
}

#[cfg(test)]
#[path = "admission_tests.rs"]
mod tests;
