//! Connects the merge queues of the model to the state: what a queue is told, and what follows from its effects, in the
//! transaction of the fact. The steps become effects of the outbox; what is only recorded happens at once. Decides nothing
//! about order, batches or blame: that is [`downbeat_model::queue`].

mod conclude;
pub mod words;

use crate::decide::landing_order;
use crate::decide::merge::{self, Noted, Wanted};
use crate::state::draft::Draft;
use crate::state::known::State;
use downbeat_model::effect::{Effect, EffectState, QueueStep, Work};
use downbeat_model::queue::{
    CheckResult, Fact, Kept, Notice, Place, Priority, Settings, StepResult, Told, Wait, Withdrawal,
    Work as Step,
};
use downbeat_model::session::HeldMerge;
use downbeat_model::{Branch, EventKind, NewNotice, NoticeKind, Oid, SessionId, Subject, Verification};
use downbeat_wire::{ApiError, Code};
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::Arc;

pub use conclude::Account;

/// What is to land, and what is known of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pinned {
    /// Where it lands.
    pub place: Place,
    /// The commit that lands.
    pub head: Oid,
    /// The green result of the checks on that commit.
    pub verified: Option<CheckResult>,
    /// The priority; `None` for that of an entry that waits, or the normal one.
    pub priority: Option<Priority>,
    /// The settings of the queue.
    pub settings: Settings,
}

/// Records that the work of a session is to land. A request for a newer commit replaces the entry.
///
/// # Errors
/// Fails if a merge with other settings is under way, or if an older commit is landing.
pub fn request(
    draft: &mut Draft,
    id: &SessionId,
    run: SessionId,
    (wanted, pinned): (&Wanted, Pinned),
) -> Result<(), ApiError> {
    let subject = Subject::Session(id.clone());
    let known = draft.state().merge_queue_of(id).cloned();
    if known.is_none() && is_held(draft.state(), id, wanted) {
        return hold(draft, id, run, (wanted, pinned));
    }
    let entry = known.as_ref().and_then(|kept| kept.queue.entry_of(&subject));
    let is_elsewhere = |kept: &&Arc<Kept>| kept.queue.place != pinned.place;
    let elsewhere = known.as_ref().filter(is_elsewhere);
    if elsewhere.is_some() || entry.is_some_and(|entry| entry.head != pinned.head) {
        merge::refuse_landing(draft.session(id)?)?;
    }
    let priority = pinned.priority.or_else(|| entry.map(|entry| entry.priority));
    if let Some(kept) = elsewhere {
        // The project has another default branch by now.
        let why = Withdrawal::ByPerson;
        tell(draft, &kept.queue.place, Told::Withdrawn { subject, why })?;
    }
    if merge::note(draft, id, run, wanted)? == Noted::Same && pinned.priority.is_some() && known.is_some() {
        prioritize(draft, id, priority.unwrap_or_default())?;
    }
    if let Some(run) = &mut draft.session(id)?.merging.run {
        run.held = None;
    }
    set_settings(draft, &pinned.place, pinned.settings);
    if let Some(verified) = pinned.verified {
        tell(draft, &pinned.place, Told::Checked(verified))?;
    }
    let told = Told::Enqueued {
        subject: Subject::Session(id.clone()),
        session: Some(id.clone()),
        head: pinned.head,
        unchecked: wanted.unchecked,
        priority: priority.unwrap_or_default(),
    };
    tell(draft, &pinned.place, told)
}

/// Returns whether the work of a session waits for work in other projects that its plan needs.
fn is_held(state: &State, id: &SessionId, wanted: &Wanted) -> bool {
    let run = state.sessions.get(id).and_then(|row| row.merging.run.as_ref());
    let may_always = wanted.any_order || run.is_some_and(|run| run.any_order);
    !may_always && landing_order::held(state, id).is_some()
}

/// Notes that the work of a session is to land, which cannot be yet: [`crate::decide::landing_order`] says why.
fn hold(
    draft: &mut Draft,
    id: &SessionId,
    run: SessionId,
    (wanted, pinned): (&Wanted, Pinned),
) -> Result<(), ApiError> {
    merge::note(draft, id, run, wanted)?;
    if let Some(run) = &mut draft.session(id)?.merging.run {
        let before = run.held.as_ref().and_then(|held| held.priority);
        let (head, priority) = (Some(pinned.head), pinned.priority.or(before));
        run.held = Some(HeldMerge { head, priority });
    }
    draft.session_event(id, EventKind::SessionChanged, Value::Null);
    Ok(())
}

/// Takes the work of a session out of its queue, or out of what is held before it. Returns false if it does not wait there.
///
/// # Errors
/// Fails if it is landing.
pub fn withdraw(draft: &mut Draft, id: &SessionId, why: Withdrawal) -> Result<bool, ApiError> {
    merge::refuse_landing(draft.session(id)?)?;
    let Some(kept) = draft.state().merge_queue_of(id).cloned() else {
        let run = &mut draft.session(id)?.merging.run;
        let is_held = run.take_if(|run| run.held.is_some()).is_some();
        if is_held {
            draft.session_event(id, EventKind::SessionChanged, Value::Null);
        }
        return Ok(is_held);
    };
    let subject = Subject::Session(id.clone());
    tell(draft, &kept.queue.place, Told::Withdrawn { subject, why })?;
    Ok(true)
}

/// Changes the priority of a session's work.
///
/// # Errors
/// Fails if it does not wait in a queue.
pub fn prioritize(draft: &mut Draft, id: &SessionId, priority: Priority) -> Result<(), ApiError> {
    let Some(kept) = draft.state().merge_queue_of(id).cloned() else {
        let run = draft.session(id)?.merging.run.as_mut();
        if let Some(held) = run.and_then(|run| run.held.as_mut()) {
            held.priority = Some(priority);
            return Ok(());
        }
        let name = draft.session(id)?.name.clone();
        let what = format!("the work of {name} is in no merge queue");
        let is_at_forge = draft.state().merge(id).is_some();
        let way = match is_at_forge {
            true => "pull requests are merged in the order of their requests".to_owned(),
            false => format!("`downbeat merge {name} --priority high` puts it into that of its project"),
        };
        return Err(ApiError::new(Code::Conflict, what).hint(way));
    };
    let subject = Subject::Session(id.clone());
    tell(draft, &kept.queue.place, Told::Prioritized { subject, priority })
}

/// Gives a queue the settings that were read just now.
pub fn set_settings(draft: &mut Draft, place: &Place, settings: Settings) {
    let mut kept = kept(draft.state(), place);
    if kept.settings != settings {
        kept.settings = settings;
        draft.put_merge_queue(kept);
    }
}

/// Tells a queue something from outside, and records what follows.
///
/// # Errors
/// Fails if a session of the queue is not in memory.
pub fn tell(draft: &mut Draft, place: &Place, told: Told) -> Result<(), ApiError> {
    let number = kept(draft.state(), place).queue.through + 1;
    apply(draft, place, &Fact::Told { number, told }, Account::default())
}

/// Gives a queue the result of one of its steps, and records what follows. A result of a step that is over changes nothing.
///
/// # Errors
/// Fails if a session of the queue is not in memory.
pub fn step_ended(
    draft: &mut Draft,
    place: &Place,
    (step, result): (u64, StepResult),
    account: Account,
) -> Result<(), ApiError> {
    apply(draft, place, &Fact::Result { step, result }, account)
}

/// Lets a queue begin what has become due.
///
/// # Errors
/// Fails if a session of the queue is not in memory.
pub fn tick(draft: &mut Draft, place: &Place) -> Result<(), ApiError> {
    apply(draft, place, &Fact::Tick, Account::default())
}

/// Returns a queue, which may be empty.
pub fn kept(state: &State, place: &Place) -> Kept {
    let known = state.merge_queues.get(place);
    known.map_or_else(|| Kept::new(place.clone()), |kept| Kept::clone(kept))
}

/// Returns the subject of a queue's steps, except of those that run checks.
pub fn subject(place: &Place) -> Subject {
    let branch = Branch::new(place.project.clone(), &place.target).map(Subject::Branch);
    branch.unwrap_or_else(|| Subject::Project(place.project.clone()))
}

/// Returns the sessions whose work waits in a queue.
pub fn sessions(kept: &Kept) -> Vec<SessionId> {
    let entries = kept.queue.entries.iter();
    entries
        .filter_map(|entry| entry.subject.session().cloned())
        .collect()
}

fn apply(draft: &mut Draft, place: &Place, fact: &Fact, account: Account) -> Result<(), ApiError> {
    let before = kept(draft.state(), place);
    let mut after = before.clone();
    if let Some(red) = account.red.clone() {
        after.keep_red(red);
    }
    let effects = after.queue.apply(fact, &before.settings, draft.now());
    if after == before {
        return Ok(());
    }
    draft.put_merge_queue(after.clone());
    close_step(draft, (&before, &after), fact);
    let mut told = BTreeSet::new();
    for effect in effects {
        match effect.work {
            Step::MakeCandidate { .. } | Step::RunChecks { .. } | Step::Land { .. } => {
                begin(draft, &after, effect.key, effect.work);
            }
            Step::TellAgent { head, .. } => drop(told.insert(head.ticket)),
            Step::Notify(Notice::Broken { why }) => broken(draft, place, &why),
            // What follows for the session of an entry that left is decided below, and a step that is over is closed.
            Step::CancelChecks { .. } | Step::Finish { .. } | Step::Notify(_) => {}
        }
    }
    conclude::left(draft, (&before, &after), &told, &account)?;
    reflect(draft, &before, &after)
}

/// Records a step.
fn begin(draft: &mut Draft, kept: &Kept, key: String, work: Step) {
    let place = &kept.queue.place;
    let subject = match work {
        Step::RunChecks { .. } => Subject::Project(place.project.clone()),
        _ => subject(place),
    };
    let tickets = kept.queue.round.as_ref().map(|round| round.batch.tickets.clone());
    let first = tickets.and_then(|tickets| kept.queue.entry(*tickets.first()?));
    let session = first.and_then(|entry| entry.subject.session());
    let run = session.and_then(|id| draft.state().sessions.get(id)?.merging.run.as_ref());
    // Each entry has a merge; without one, no other run has the session's own id.
    let Some(run) = run.map(|run| run.id.clone()).or_else(|| session.cloned()) else {
        return;
    };
    let step = QueueStep {
        place: place.clone(),
        run,
        work,
    };
    let now = draft.now();
    draft.carry_out(Effect::new(key, subject, Work::Queue(Box::new(step)), now));
}

/// Closes the effect of a step that is over.
fn close_step(draft: &mut Draft, (before, after): (&Kept, &Kept), fact: &Fact) {
    let step_of = |kept: &Kept| kept.queue.round.as_ref().and_then(|round| round.step);
    let Some(step) = step_of(before).filter(|step| step_of(after) != Some(*step)) else {
        return;
    };
    let is_done = matches!(fact, Fact::Result { step: ended, .. } if *ended == step);
    let state = if is_done {
        EffectState::Done
    } else {
        EffectState::Dropped
    };
    if let Some(key) = step_effect(draft.state(), &before.queue.place, step).map(|effect| effect.key.clone())
    {
        draft.change_effect(&key, |effect| effect.state = state);
    }
}

/// Returns the effect of a step, until it is closed.
fn step_effect<'a>(state: &'a State, place: &Place, number: u64) -> Option<&'a Arc<Effect>> {
    let is_it = |effect: &&Arc<Effect>| match &effect.work {
        Work::Queue(of) if of.place == *place => match of.work {
            Step::MakeCandidate { step, .. } | Step::RunChecks { step, .. } | Step::Land { step, .. } => {
                step == number
            }
            _ => false,
        },
        _ => false,
    };
    state.effects.iter().find(is_it)
}

/// Notifies the person that a queue paused itself.
fn broken(draft: &mut Draft, place: &Place, why: &str) {
    let Some(project) = draft.state().projects.get(&place.project) else {
        return;
    };
    let (name, target) = (&project.name, &place.target);
    let text = format!(
        "the merge queue of {target} paused itself: {why}; `downbeat queue resume {name}` lets it continue"
    );
    let notice = NewNotice {
        kind: NoticeKind::NeedsLook,
        priority: NoticeKind::NeedsLook.priority(),
        session_id: None,
        plan_id: None,
        project_id: Some(place.project.clone()),
        title: name.clone(),
        text,
        at: draft.now(),
    };
    draft.notice(notice);
}

/// Notes in the sessions of a queue what is being done with their work, and reports those whose place or reason changed.
fn reflect(draft: &mut Draft, before: &Kept, after: &Kept) -> Result<(), ApiError> {
    let (old, now) = (before.queue.waits(), draft.now());
    let round = after.queue.round.as_ref().filter(|round| round.step.is_some());
    for (at, wait) in after.queue.waits().iter().enumerate() {
        let Some(id) = wait.subject.session() else {
            continue;
        };
        let Some(run) = draft
            .state()
            .sessions
            .get(id)
            .and_then(|row| row.merging.run.clone())
        else {
            continue;
        };
        let is_tried = round.is_some_and(|round| round.batch.tickets.contains(&wait.ticket));
        let is_landing = is_tried && round.is_some_and(|round| round.is_landing());
        let started_at = is_tried.then(|| run.started_at.unwrap_or(now));
        let is_as_before = |(place, known): (usize, &Wait)| {
            place == at && known.ticket == wait.ticket && known.why == wait.why
        };
        let is_new = !old.iter().enumerate().any(is_as_before);
        if is_new || (run.started_at, run.is_landing) != (started_at, is_landing) {
            if let Some(run) = &mut draft.session(id)?.merging.run {
                (run.started_at, run.is_landing) = (started_at, is_landing);
            }
            draft.session_event(id, EventKind::SessionChanged, Value::Null);
        }
    }
    Ok(())
}

/// Returns whether the effect with this key is still to be carried out.
pub fn is_waiting(state: &State, key: &str) -> bool {
    state.effects.iter().any(|effect| effect.key == key)
}

/// Returns the result of failed checks as the queue knows it.
pub fn as_result(checked: &Verification) -> Option<CheckResult> {
    Some(CheckResult {
        tree: Oid::parse(&checked.tree)?,
        hash: checked.hash.clone(),
        green: checked.is_green(),
    })
}

#[cfg(test)]
mod tests;
