//! Decides about runs of `fix`: what starts and ends one, what follows from what the checks say, and what is next. Runs
//! nothing.
//!
//! * [`looked`]: what follows from the checks on the branch
//! * [`worked`]: what follows from the work of a worker
//! * [`next`]: what is next
//! * [`words`]: what agents and people read

pub mod looked;
pub mod next;
pub mod words;
pub mod worked;

use crate::state::draft::Draft;
use crate::state::known::State;
use downbeat_model::effect::{Effect, EffectState, FixAct, FixStep, Work};
use downbeat_model::fix::{End, Fix, Group, GroupState, Settings};
use downbeat_model::{EventKind, NewNotice, NoticeKind, ProjectId, SessionId, Subject};
use downbeat_store::ProjectRow;
use downbeat_wire::{ApiError, Code};
use jiff::Timestamp;
use serde_json::Value;
use std::sync::Arc;

/// The number of runs of a project that are kept, besides the one that is under way.
const KEPT: usize = 9;

/// Returns the run of a project that is under way.
pub fn under_way<'a>(state: &'a State, project: &ProjectId) -> Option<&'a Arc<Fix>> {
    let mut fixes = state.fixes.values();
    fixes.find(|fix| fix.project == *project && fix.ended_at.is_none())
}

/// Starts a run: first all checks run on the project's default branch.
///
/// # Errors
/// Fails if one is under way.
pub fn start(
    draft: &mut Draft,
    project: &ProjectRow,
    id: SessionId,
    settings: Settings,
) -> Result<(), ApiError> {
    if let Some(fix) = under_way(draft.state(), &project.id) {
        let what = format!(
            "a run of fix is under way in {}: {}",
            project.name,
            words::sentence(fix)
        );
        let way = format!(
            "`downbeat fix --status {0}` shows it, `downbeat fix --cancel {0}` ends it",
            fix.id
        );
        return Err(ApiError::new(Code::Conflict, what).hint(way));
    }
    let mut older: Vec<_> = draft
        .state()
        .fixes
        .values()
        .filter(|fix| fix.project == project.id)
        .collect();
    older.sort_by_key(|fix| std::cmp::Reverse(fix.started_at));
    let older: Vec<SessionId> = older.into_iter().skip(KEPT).map(|fix| fix.id.clone()).collect();
    older.iter().for_each(|id| draft.drop_fix(id));
    let now = draft.now();
    let mut fix = Fix::new(
        id,
        project.id.clone(),
        project.default_branch.clone(),
        settings,
        now,
    );
    look(draft, &mut fix, true);
    put(draft, fix);
    Ok(())
}

/// Cancels a run. Returns false if it is over.
///
/// # Errors
/// Fails if there is no such run.
pub fn cancel(draft: &mut Draft, id: &SessionId) -> Result<bool, ApiError> {
    let Some(fix) = draft.state().fixes.get(id).map(|fix| Fix::clone(fix)) else {
        return Err(ApiError::not_found("run of fix", id));
    };
    if fix.ended_at.is_some() {
        return Ok(false);
    }
    end(draft, fix, End::Cancelled);
    Ok(true)
}

/// Ends a run: workers that are still busy are ended, and what is open stays red.
pub fn end(draft: &mut Draft, mut fix: Fix, how: End) {
    let now = draft.now();
    for group in fix.groups.iter_mut().filter(|group| group.state.is_open()) {
        let why = match &how {
            End::Budget(_) => "the budget was used up",
            End::Cancelled => "the run was cancelled",
            End::Failed(_) => "the checks could not run",
            End::Shown => {
                continue;
            }
            End::Green | End::Left => "the run ended",
        };
        group.becomes(GroupState::GivenUp, why, now);
    }
    let keys: Vec<String> = steps(draft.state(), &fix.id)
        .map(|effect| effect.key.clone())
        .collect();
    for key in keys {
        draft.change_effect(&key, |effect| effect.state = EffectState::Dropped);
    }
    (fix.look, fix.ended_at, fix.end) = (None, Some(now), Some(how));
    tell_person(draft, &fix);
    put(draft, fix);
}

/// Notifies the person that a run is over, unless the person waits for what it shows.
fn tell_person(draft: &mut Draft, fix: &Fix) {
    let kind = match fix.end {
        Some(End::Green) => NoticeKind::Finished,
        Some(End::Cancelled | End::Shown) | None => return,
        Some(End::Left | End::Budget(_) | End::Failed(_)) => NoticeKind::NeedsLook,
    };
    let name = draft
        .state()
        .projects
        .get(&fix.project)
        .map(|project| project.name.clone());
    draft.notice(NewNotice {
        kind,
        priority: kind.priority(),
        session_id: None,
        plan_id: None,
        project_id: Some(fix.project.clone()),
        title: name.unwrap_or_default(),
        text: format!("fix: {}", words::sentence(fix)),
        at: draft.now(),
    });
}

/// Returns the steps of a run that are to be carried out.
fn steps<'a>(state: &'a State, id: &'a SessionId) -> impl Iterator<Item = &'a Arc<Effect>> {
    let own = move |effect: &&Arc<Effect>| matches!(&effect.work, Work::Fix(step) if step.run == *id);
    state.effects.iter().filter(own)
}

/// Returns whether a step is still to be carried out.
pub fn is_wanted(state: &State, step: &FixStep) -> bool {
    steps(state, &step.run)
        .any(|effect| matches!(&effect.work, Work::Fix(other) if other.number == step.number))
}

/// Stores a run, and tells everybody who looks at it.
pub fn put(draft: &mut Draft, fix: Fix) {
    let project = fix.project.clone();
    draft.put_fix(fix);
    draft.event(EventKind::ProjectChanged, Some(&project), Value::Null);
}

/// Returns a run for a change; `None` if it is over.
fn open(draft: &Draft, id: &SessionId) -> Option<Fix> {
    let fix = draft.state().fixes.get(id)?;
    fix.ended_at.is_none().then(|| Fix::clone(fix))
}

/// Orders the checks on the branch. If they run now, which may be on an older commit, they run once more.
fn look(draft: &mut Draft, fix: &mut Fix, whole: bool) {
    match fix.look {
        Some(_) => fix.again = true,
        None => {
            let number = order(draft, fix, FixAct::Look { whole });
            (fix.look, fix.again) = (Some(number), false);
        }
    }
}

/// Orders a step. Returns its number.
fn order(draft: &mut Draft, fix: &mut Fix, act: FixAct) -> u32 {
    fix.steps += 1;
    let step = FixStep {
        project: fix.project.clone(),
        run: fix.id.clone(),
        number: fix.steps,
        act,
    };
    let (key, now) = (format!("fix:{}:{}", fix.id, fix.steps), draft.now());
    draft.carry_out(Effect::new(
        key,
        Subject::Project(fix.project.clone()),
        Work::Fix(step),
        now,
    ));
    fix.steps
}

/// Records that a try of a group failed: another worker follows, or nobody tries it any more.
fn failed(group: &mut Group, settings: &Settings, why: &str, now: Timestamp) {
    group.attempts += 1;
    let state = match group.attempts >= settings.attempts {
        true => GroupState::GivenUp,
        false => GroupState::Waiting,
    };
    group.becomes(state, why, now);
}
