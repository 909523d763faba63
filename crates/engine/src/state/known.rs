//! What is known at one moment: projects, sessions and their messages, shared by whoever reads. Not archived sessions
//! that nobody works with: those are read from the store when they are asked for ([`crate::state::at_rest`]).

use downbeat_model::effect::{Effect, Subject, Work};
use downbeat_model::{ProjectId, SessionId};
use downbeat_store::{MessageRow, ProjectRow, SessionRow};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What is known, as of the last commit. Maps and rows are shared: a copy of it copies pointers to the maps, and a
/// change copies only the maps and rows that it changes.
#[derive(Debug, Clone, Default)]
pub struct State {
    /// Projects by id.
    pub projects: Arc<BTreeMap<ProjectId, Arc<ProjectRow>>>,
    /// Sessions by id, with everything above each. Extra shells beside them are not among these: whoever goes through all sessions,
    /// counts or lists them never meets one.
    pub sessions: Arc<BTreeMap<SessionId, Arc<SessionRow>>>,
    /// Extra shells by id, those that ended and are about to go included (see [`crate::effects::process::clear_shell`]).
    pub shells: Arc<BTreeMap<SessionId, Arc<SessionRow>>>,
    /// The messages of each session that has some, in the order of its queue.
    pub queues: Arc<BTreeMap<SessionId, Arc<Queue>>>,
    /// What is to be carried out, in the order in which it was written down.
    pub effects: Arc<Vec<Arc<Effect>>>,
    /// How many workers each of these sessions has that are not in memory.
    pub at_rest: Arc<BTreeMap<SessionId, u32>>,
    /// The budgets of whole projects that the person was warned of at sessions that are not in memory.
    pub warned: Arc<BTreeSet<String>>,
    /// The greatest number that a message ever had.
    pub last_message: i64,
}

/// The messages of a session: those that were delivered or not first, then those that wait.
pub type Queue = Vec<Arc<MessageRow>>;

impl State {
    /// A session or an extra shell.
    pub fn row(&self, id: &SessionId) -> Option<&Arc<SessionRow>> {
        self.sessions.get(id).or_else(|| self.shells.get(id))
    }

    /// What a session was ended for, until it goes on.
    pub fn goes_on(&self, id: &SessionId) -> Option<&Arc<Effect>> {
        let own = |effect: &&Arc<Effect>| match (&effect.subject, &effect.work) {
            (Subject::Session(of), Work::GoOn(_)) => of == id,
            _ => false,
        };
        self.effects.iter().find(own)
    }

    /// How many direct workers a session has.
    pub fn workers(&self, id: &SessionId) -> usize {
        let own = |row: &&Arc<SessionRow>| row.parent.as_ref() == Some(id);
        self.sessions.values().filter(own).count() + self.workers_at_rest(id)
    }

    /// How many of them are not in memory.
    pub fn workers_at_rest(&self, id: &SessionId) -> usize {
        self.at_rest.get(id).map_or(0, |count| *count as usize)
    }
}
