//! What every session used, in memory, and what it costs by the price list.

use crate::host::prices::Prices;
use crate::state::find;
use crate::state::known::State;
use downbeat_model::{ProjectId, SessionId};
use downbeat_store::chronicle::{Sum, Tokens};
use downbeat_wire::usage::Usage;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError, RwLock};

/// Tokens by model.
pub type ByModel = BTreeMap<String, Tokens>;

/// What every session used, as of the last read of its transcript.
#[derive(Debug, Default)]
pub struct Used {
    /// Plain locks, held for a copy only, never across an await.
    pub(crate) sessions: RwLock<BTreeMap<SessionId, ByModel>>,
    /// How often it was noted that a session of a project used something.
    pub(crate) changes: Mutex<BTreeMap<ProjectId, u64>>,
}

impl Used {
    /// Over what the chronicle says.
    pub fn new(sums: Vec<Sum>) -> Self {
        let mut all: BTreeMap<SessionId, ByModel> = BTreeMap::new();
        for sum in sums {
            let of = all.entry(sum.session).or_default();
            add(of, &sum.model, &sum.tokens);
        }
        Self {
            sessions: RwLock::new(all),
            changes: Mutex::default(),
        }
    }

    /// What one session used.
    pub fn of(&self, id: &SessionId) -> ByModel {
        let all = self.sessions.read().unwrap_or_else(PoisonError::into_inner);
        all.get(id).cloned().unwrap_or_default()
    }

    /// Takes up new sums of a session. False where nothing is new.
    pub(crate) fn set(&self, id: &SessionId, sums: ByModel) -> bool {
        let mut all = self.sessions.write().unwrap_or_else(PoisonError::into_inner);
        let is_new = all.get(id) != Some(&sums);
        all.insert(id.clone(), sums);
        is_new
    }

    /// Notes that a session of a project used something.
    pub fn note_change(&self, project: ProjectId) {
        let mut changes = self.changes.lock().unwrap_or_else(PoisonError::into_inner);
        *changes.entry(project).or_default() += 1;
    }

    /// How often that was noted of each project: who acted on a number has nothing to do until it is another one.
    pub fn changes(&self) -> BTreeMap<ProjectId, u64> {
        self.changes
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

pub(crate) fn add(to: &mut ByModel, model: &str, tokens: &Tokens) {
    let sum = match to.get_mut(model) {
        Some(sum) => sum,
        None => to.entry(model.to_owned()).or_default(),
    };
    sum.input = sum.input.saturating_add(tokens.input);
    sum.cached = sum.cached.saturating_add(tokens.cached);
    sum.written = sum.written.saturating_add(tokens.written);
    sum.output = sum.output.saturating_add(tokens.output);
}

pub fn join(to: &mut ByModel, other: &ByModel) {
    for (model, tokens) in other {
        add(to, model, tokens);
    }
}

/// A session and everything below it, also what was taken off the list: whose use is its own.
pub fn with_below(state: &State, id: &SessionId) -> Vec<SessionId> {
    let mut all = vec![id.clone()];
    all.extend(
        state
            .sessions
            .get(id)
            .into_iter()
            .flat_map(|own| own.lineage.forgotten.clone()),
    );
    for row in find::below(state, id) {
        all.push(row.id.clone());
        all.extend(row.lineage.forgotten.clone());
    }
    all
}

/// Tokens with what they cost.
pub fn priced(prices: &Prices, used: &ByModel) -> Usage {
    let mut usage = Usage::default();
    for (model, tokens) in used.iter().filter(|(_, tokens)| **tokens != Tokens::default()) {
        usage.input += tokens.input;
        usage.cached += tokens.cached;
        usage.written += tokens.written;
        usage.output += tokens.output;
        match prices.cost(model, tokens) {
            Some(cost) => {
                *usage.cost.get_or_insert(0.0) += cost.usd;
                if cost.by_family {
                    usage.by_family.push(model.clone());
                }
            }
            None => usage.unpriced.push(model.clone()),
        }
    }
    usage
}
