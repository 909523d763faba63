//! A change of the state in preparation: the rows that it edits, and the events and notices that are written
//! with them. Pure: [`crate::state::written`] writes it into a transaction, and [`crate::state::ledger`]
//! decides who may write, and when.

use crate::state::addressed;
use crate::state::known::{Queue, State};
use crate::state::requests;
use crate::state::requests::Effect;
use downbeat_model::delivery::Routes;
use downbeat_model::effect::{Effect as Outgoing, EffectState, Work};
use downbeat_model::fix::Fix;
use downbeat_model::lines::first_line;
use downbeat_model::queue::{Kept, Place};
use downbeat_model::{EventKind, PlanId, ProjectId, SessionId, Subject};
use downbeat_plans::PlanRecord;
use downbeat_store::{EventRow, NewNotice, ProjectRow, RequestRow, SessionRow};
use downbeat_wire::ApiError;
use jiff::Timestamp;
use serde::Serialize;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The number of an event that is shown but not written yet.
pub const UNWRITTEN: i64 = 0;

/// A change of the state in preparation.
#[derive(Clone)]
pub struct Draft {
    pub(super) state: State,
    pub(super) touched: Touched,
    pub(super) events: Vec<Pending>,
    pub(super) notices: Vec<NewNotice>,
    pub(super) read: Option<Option<Vec<i64>>>,
    pub(super) requests: Vec<RequestRow>,
    pub(super) outbox: Vec<Outbox>,
    now: Timestamp,
}

/// A change of the outbox of effects.
#[derive(Clone)]
pub(super) enum Outbox {
    New(Outgoing),
    Changed(Outgoing),
}

/// The rows that a change edits. Only these are compared with the state before, and written if they differ.
#[derive(Clone, Default)]
pub(super) struct Touched {
    pub(super) projects: BTreeSet<ProjectId>,
    /// The sessions and side shells.
    pub(super) sessions: BTreeSet<SessionId>,
    /// The sessions whose messages are edited.
    pub(super) queues: BTreeSet<SessionId>,
    pub(super) merge_queues: BTreeSet<Place>,
    pub(super) plans: BTreeSet<PlanId>,
    pub(super) fixes: BTreeSet<SessionId>,
}

impl Touched {
    fn extend(&mut self, later: Self) {
        self.projects.extend(later.projects);
        self.sessions.extend(later.sessions);
        self.queues.extend(later.queues);
        self.merge_queues.extend(later.merge_queues);
        self.plans.extend(later.plans);
        self.fixes.extend(later.fixes);
    }
}

#[derive(Clone)]
pub(super) struct Pending {
    pub(super) at: Timestamp,
    pub(super) kind: EventKind,
    pub(super) subject: Subject,
    pub(super) project: Option<ProjectId>,
    pub(super) payload: serde_json::Value,
}

impl Draft {
    /// Returns a draft of `state` without changes.
    pub fn of(state: State) -> Self {
        Self {
            state,
            touched: Touched::default(),
            events: Vec::new(),
            notices: Vec::new(),
            read: None,
            requests: Vec::new(),
            outbox: Vec::new(),
            now: Timestamp::now(),
        }
    }

    /// Returns a draft of `state` with this time.
    #[cfg(test)]
    pub fn made_at(state: State, now: Timestamp) -> Self {
        Self {
            now,
            ..Self::of(state)
        }
    }

    /// Joins this change with one that was drafted on top of it.
    pub fn then(mut self, later: Self) -> Self {
        self.events.extend(later.events);
        self.notices.extend(later.notices);
        // A notice goes with its session.
        let state = &later.state;
        self.notices.retain(|notice| {
            let id = notice.session_id.as_ref();
            id.is_none_or(|id| state.row(id).is_some())
        });
        self.requests.extend(later.requests);
        self.outbox.extend(later.outbox);
        self.touched.extend(later.touched);
        Self {
            read: later.read.or(self.read),
            state: later.state,
            now: later.now,
            ..self
        }
    }

    /// Returns the events of the change, for showing it before it is written.
    pub fn unwritten(&self) -> impl Iterator<Item = EventRow> {
        self.events.iter().map(|event| EventRow {
            seq: UNWRITTEN,
            at: event.at,
            kind: event.kind,
            subject: event.subject.clone(),
            project_id: event.project.clone(),
            payload: event.payload.clone(),
        })
    }

    /// Returns the state with this change.
    pub fn into_state(self) -> State {
        self.state
    }

    /// Returns the time of the change.
    pub fn now(&self) -> Timestamp {
        self.now
    }

    /// Names the result of the change for the request that is under way: if that has an idempotency key, its
    /// repeats are answered from this result.
    pub fn effect(&mut self, effect: Effect) {
        self.requests = requests::claim(effect, self.now).into_iter().collect();
    }

    /// Returns the state as drafted so far.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Returns the state for additions that are not part of this change.
    pub(crate) fn state_mut(&mut self) -> &mut State {
        &mut self.state
    }

    /// Returns a session, or a side shell, for editing.
    pub fn session(&mut self, id: &SessionId) -> Result<&mut SessionRow, ApiError> {
        let State { sessions, shells, .. } = &mut self.state;
        let own = match sessions.contains_key(id) {
            true => sessions,
            false => shells,
        };
        if !own.contains_key(id) {
            return Err(ApiError::not_found("session", id));
        }
        self.touched.sessions.insert(id.clone());
        let row = Arc::make_mut(own).get_mut(id);
        row.map(Arc::make_mut)
            .ok_or_else(|| ApiError::not_found("session", id))
    }

    /// Returns a project for editing.
    pub fn project(&mut self, id: &ProjectId) -> Result<&mut ProjectRow, ApiError> {
        let row = Arc::make_mut(&mut self.state.projects)
            .get_mut(id)
            .ok_or_else(|| ApiError::not_found("project", id))?;
        self.touched.projects.insert(id.clone());
        Ok(Arc::make_mut(row))
    }

    /// Adds or replaces a session, or a side shell.
    pub fn put_session(&mut self, row: SessionRow) {
        let own = match row.side_shell_of {
            None => &mut self.state.sessions,
            Some(_) => &mut self.state.shells,
        };
        self.touched.sessions.insert(row.id.clone());
        Arc::make_mut(own).insert(row.id.clone(), Arc::new(row));
    }

    /// Adds or replaces a project.
    pub fn put_project(&mut self, row: ProjectRow) {
        self.touched.projects.insert(row.id.clone());
        Arc::make_mut(&mut self.state.projects).insert(row.id.clone(), Arc::new(row));
    }

    /// Removes a session with its shells, or a side shell.
    pub fn drop_session(&mut self, id: &SessionId) {
        self.drop_effects(id);
        let beside = self.state.shells.iter();
        let beside = beside.filter(|(shell, row)| *shell == id || row.side_shell_of.as_ref() == Some(id));
        let shells: Vec<SessionId> = beside.map(|(shell, _)| shell.clone()).collect();
        for gone in shells.iter().chain([id]) {
            Arc::make_mut(&mut self.state.sessions).remove(gone);
            Arc::make_mut(&mut self.state.shells).remove(gone);
            Arc::make_mut(&mut self.state.queues).remove(gone);
            Arc::make_mut(&mut self.state.at_rest).remove(gone);
            self.touched.sessions.insert(gone.clone());
        }
    }

    /// Queues an effect, to be carried out once this change is written; see [`crate::reactors::carry_out`].
    pub fn carry_out(&mut self, effect: Outgoing) {
        Arc::make_mut(&mut self.state.effects).push(Arc::new(effect.clone()));
        self.outbox.push(Outbox::New(effect));
    }

    /// Changes or closes a waiting effect. Does nothing if the effect is closed.
    pub fn change_effect(&mut self, key: &str, change: impl FnOnce(&mut Outgoing)) {
        let effects = Arc::make_mut(&mut self.state.effects);
        let Some(at) = effects.iter().position(|effect| effect.key == key) else {
            return;
        };
        let mut effect = Outgoing::clone(&effects[at]);
        change(&mut effect);
        match effect.state {
            EffectState::Waiting => effects[at] = Arc::new(effect.clone()),
            EffectState::Done | EffectState::Dropped => drop(effects.remove(at)),
        }
        self.outbox.push(Outbox::Changed(effect));
    }

    /// Drops the waiting effects of a session that is removed.
    fn drop_effects(&mut self, id: &SessionId) {
        let own = |effect: &&Arc<Outgoing>| match &effect.work {
            Work::Check(run) | Work::Merge(run) => run.session == *id,
            Work::React(reaction) => reaction.session.as_ref() == Some(id),
            Work::Notify(delivery) => delivery.notice.session_id.as_ref() == Some(id),
            // What was done stays done without the session.
            Work::Track(_) => false,
            Work::Pull(order) => order.session == *id,
            Work::GoOn(_) => effect.subject == Subject::Session(id.clone()),
            // The step of a queue is dropped when the session leaves the queue.
            Work::Queue(_) => false,
            // A step of a run of `fix` notices it itself.
            Work::Fix(_) => false,
        };
        let keys: Vec<String> = (self.state.effects.iter().filter(own))
            .map(|effect| effect.key.clone())
            .collect();
        for key in keys {
            self.change_effect(&key, |effect| effect.state = EffectState::Dropped);
        }
    }

    /// Returns the messages of a session for editing.
    pub fn queue(&mut self, id: &SessionId) -> &mut Queue {
        self.touched.queues.insert(id.clone());
        let queues = Arc::make_mut(&mut self.state.queues);
        Arc::make_mut(queues.entry(id.clone()).or_default())
    }

    /// Returns a message number that no other message has or had.
    pub fn message_number(&mut self) -> i64 {
        self.state.last_message += 1;
        self.state.last_message
    }

    /// Adds or replaces a merge queue.
    pub fn put_merge_queue(&mut self, kept: Kept) {
        let place = kept.queue.place.clone();
        self.touched.merge_queues.insert(place.clone());
        Arc::make_mut(&mut self.state.merge_queues).insert(place, Arc::new(kept));
    }

    /// Adds or replaces a plan, and tells faces that it changed.
    pub fn put_plan(&mut self, plan: PlanRecord) {
        let (id, project) = (plan.id.clone(), plan.project.clone());
        self.touched.plans.insert(id.clone());
        let fact = serde_json::json!({ "state": plan.state });
        Arc::make_mut(&mut self.state.plans).insert(id.clone(), Arc::new(plan));
        self.fact(&Subject::Plan(id), Some(&project), &fact);
    }

    /// Adds or replaces a run of `fix`.
    pub fn put_fix(&mut self, fix: Fix) {
        self.touched.fixes.insert(fix.id.clone());
        Arc::make_mut(&mut self.state.fixes).insert(fix.id.clone(), Arc::new(fix));
    }

    /// Forgets a run of `fix`.
    pub fn drop_fix(&mut self, id: &SessionId) {
        self.touched.fixes.insert(id.clone());
        Arc::make_mut(&mut self.state.fixes).remove(id);
    }

    /// Removes a project, with its merge queues, plans and runs of `fix`.
    pub fn drop_project(&mut self, id: &ProjectId) {
        Arc::make_mut(&mut self.state.merge_queues).retain(|place, _| place.project != *id);
        Arc::make_mut(&mut self.state.plans).retain(|_, plan| plan.project != *id);
        Arc::make_mut(&mut self.state.fixes).retain(|_, fix| fix.project != *id);
        self.touched.projects.insert(id.clone());
        Arc::make_mut(&mut self.state.projects).remove(id);
    }

    /// Appends an event about a session.
    pub fn session_event(&mut self, id: &SessionId, kind: EventKind, payload: serde_json::Value) {
        let project = self.state.row(id).map(|row| row.project_id.clone());
        self.append(kind, Subject::Session(id.clone()), project, payload);
    }

    /// Appends an event for a session that was created or removed, and one for its conductor, whose number of workers
    /// changed.
    pub fn came_or_went(&mut self, id: &SessionId, kind: EventKind, payload: serde_json::Value) {
        self.session_event(id, kind, payload);
        let parent = self.state.row(id).and_then(|row| row.parent.clone());
        if let Some(parent) = parent.filter(|parent| self.state.sessions.contains_key(parent)) {
            self.session_event(&parent, EventKind::SessionChanged, serde_json::Value::Null);
        }
    }

    /// Appends an event about a project, or about no subject in particular.
    pub fn event(&mut self, kind: EventKind, project: Option<&ProjectId>, payload: serde_json::Value) {
        let subject = project.map_or(Subject::Engine, |id| Subject::Project(id.clone()));
        self.append(kind, subject, project.cloned(), payload);
    }

    /// Appends a fact about any subject, which need not be live. If the fact belongs to a project, it is deleted at
    /// some time after the project is removed.
    pub fn fact(&mut self, subject: &Subject, project: Option<&ProjectId>, fact: &impl Serialize) {
        let kind = match subject {
            Subject::Session(_) => EventKind::SessionFact,
            _ => EventKind::Fact,
        };
        let payload = serde_json::to_value(fact).unwrap_or_default();
        self.append(kind, subject.clone(), project.cloned(), payload);
    }

    fn append(
        &mut self,
        kind: EventKind,
        subject: Subject,
        project: Option<ProjectId>,
        payload: serde_json::Value,
    ) {
        self.events.push(Pending {
            at: self.now,
            kind,
            subject,
            project,
            payload,
        });
    }

    /// Writes a notice for the person. Events in a side shell are not worth one: the person opened it, and
    /// looks at it.
    pub fn notice(&mut self, notice: NewNotice) {
        let payload = serde_json::json!({ "kind": notice.kind, "text": first_line(&notice.text) });
        match &notice.session_id {
            Some(id) if self.state.shells.contains_key(id) => return,
            Some(id) => self.session_event(&id.clone(), EventKind::Notice, payload),
            None => self.event(EventKind::Notice, None, payload),
        }
        self.notices.push(notice);
    }

    /// Returns whether a notice is written.
    pub fn has_notice(&self) -> bool {
        !self.notices.is_empty()
    }

    /// Queues the deliveries of the notices that are written.
    pub fn address(&mut self, routes: &Routes) -> Result<(), ApiError> {
        for notice in self.notices.clone() {
            let effects = addressed::effects(&self.state, &notice, routes, self.now);
            for effect in effects.map_err(|error| ApiError::failed("no randomness", error))? {
                if let Work::Notify(delivery) = &effect.work
                    && let Some(oldest) = addressed::gives_way(&self.state, &delivery.notifier)
                {
                    self.change_effect(&oldest, addressed::give_up);
                }
                self.carry_out(effect);
            }
        }
        Ok(())
    }

    /// Marks notices as read; `None` for all.
    pub fn read_notices(&mut self, ids: Option<Vec<i64>>) {
        self.event(EventKind::Notice, None, serde_json::Value::Null);
        self.read = Some(ids);
    }
}
