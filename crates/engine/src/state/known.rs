//! The state at one moment: projects, sessions and their messages, shared by all readers. Archived sessions
//! that are not in use are not part of it: they are read from the store on request
//! ([`crate::state::at_rest`]).

use downbeat_model::effect::{Effect, Work};
use downbeat_model::fix::Fix;
use downbeat_model::queue::{Kept, Place};
use downbeat_model::{PlanId, ProjectId, SessionId, Subject};
use downbeat_plans::PlanRecord;
use downbeat_store::{MessageRow, ProjectRow, SessionRow};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The state as of the last commit. Maps and rows are shared: a clone copies the pointers to the maps, and a
/// change copies only the maps and rows that it changes.
#[derive(Debug, Clone, Default)]
pub struct State {
    /// The projects by id.
    pub projects: Arc<BTreeMap<ProjectId, Arc<ProjectRow>>>,
    /// The sessions by id, with all ancestors of each. Side shells are kept apart, so that code that goes
    /// through all sessions, counts or lists them never meets one.
    pub sessions: Arc<BTreeMap<SessionId, Arc<SessionRow>>>,
    /// The side shells by id, including ended ones that are about to be cleared (see
    /// [`crate::effects::process::clear_shell`]).
    pub shells: Arc<BTreeMap<SessionId, Arc<SessionRow>>>,
    /// The messages of each session that has any, in the order of its queue.
    pub queues: Arc<BTreeMap<SessionId, Arc<Queue>>>,
    /// The waiting effects, in the order in which they were recorded.
    pub effects: Arc<Vec<Arc<Effect>>>,
    /// The merge queues.
    pub merge_queues: Arc<BTreeMap<Place, Arc<Kept>>>,
    /// The plans.
    pub plans: Arc<BTreeMap<PlanId, Arc<PlanRecord>>>,
    /// The runs of `fix` that are kept.
    pub fixes: Arc<BTreeMap<SessionId, Arc<Fix>>>,
    /// The number of workers of each session that are not in memory.
    pub at_rest: Arc<BTreeMap<SessionId, u32>>,
    /// The budgets of whole projects that the person was warned of at sessions that are not in memory.
    pub warned: Arc<BTreeSet<String>>,
    /// The greatest number that a message ever had.
    pub last_message: i64,
}

/// The messages of a session: first the closed ones, then those that wait.
pub type Queue = Vec<Arc<MessageRow>>;

impl State {
    /// Returns a session or a side shell.
    pub fn row(&self, id: &SessionId) -> Option<&Arc<SessionRow>> {
        self.sessions.get(id).or_else(|| self.shells.get(id))
    }

    /// Returns the effect that continues a session after an end, until it is closed.
    pub fn goes_on(&self, id: &SessionId) -> Option<&Arc<Effect>> {
        let own = |effect: &&Arc<Effect>| match (&effect.subject, &effect.work) {
            (Subject::Session(of), Work::GoOn(_)) => of == id,
            _ => false,
        };
        self.effects.iter().find(own)
    }

    /// Returns the effect that runs the checks of a session, until it is closed.
    pub fn checks(&self, id: &SessionId) -> Option<&Arc<Effect>> {
        let own = |effect: &&Arc<Effect>| matches!(&effect.work, Work::Check(check) if check.session == *id);
        self.effects.iter().find(own)
    }

    /// Returns the merge queue in which the work of a session waits.
    pub fn merge_queue_of(&self, id: &SessionId) -> Option<&Arc<Kept>> {
        let subject = Subject::Session(id.clone());
        let mut queues = self.merge_queues.values();
        queues.find(|kept| kept.queue.entry_of(&subject).is_some())
    }

    /// Returns the effect that merges the pull request of a session, until it is closed.
    pub fn merge(&self, id: &SessionId) -> Option<&Arc<Effect>> {
        let own = |effect: &&Arc<Effect>| matches!(&effect.work, Work::Merge(run) if run.session == *id);
        self.effects.iter().find(own)
    }

    /// Returns the number of direct workers of a session.
    pub fn workers(&self, id: &SessionId) -> usize {
        let own = |row: &&Arc<SessionRow>| row.parent.as_ref() == Some(id);
        self.sessions.values().filter(own).count() + self.workers_at_rest(id)
    }

    /// Returns the number of direct workers that are not in memory.
    pub fn workers_at_rest(&self, id: &SessionId) -> usize {
        self.at_rest.get(id).map_or(0, |count| *count as usize)
    }
}
