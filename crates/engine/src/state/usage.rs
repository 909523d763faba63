//! The usage of sessions, in memory, and its cost by the price list.

use crate::host::prices::Prices;
use crate::state::find::Children;
use downbeat_model::{ProjectId, SessionId};
use downbeat_store::SessionRow;
use downbeat_store::chronicle::{Sum, Tokens};
use downbeat_wire::usage::Usage;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

/// Tokens by model.
pub type ByModel = BTreeMap<String, Tokens>;

/// The usage of sessions as of the last read of their transcripts: of each one in memory, and of those at
/// rest below it.
#[derive(Debug, Default)]
pub struct Used {
    /// A plain lock, held for a copy only, never across an await.
    sums: RwLock<Arc<Sums>>,
    /// Locked while usage at rest is summed, and while sessions are dropped from memory: one at a time.
    pub(crate) turn: tokio::sync::Mutex<()>,
    /// The number of noted changes of usage in each project.
    pub(crate) changes: Mutex<BTreeMap<ProjectId, u64>>,
}

/// The sums of [`Used`].
#[derive(Debug, Default, Clone)]
struct Sums {
    /// The usage of each session itself.
    own: BTreeMap<SessionId, ByModel>,
    /// The usage below each session by sessions that are not in memory, or were taken off the list.
    at_rest: BTreeMap<SessionId, ByModel>,
}

/// Returns the sums by session.
pub(crate) fn by_session(sums: Vec<Sum>) -> BTreeMap<SessionId, ByModel> {
    let mut all: BTreeMap<SessionId, ByModel> = BTreeMap::new();
    for sum in sums {
        let of = all.entry(sum.session).or_default();
        add(of, &sum.model, &sum.tokens);
    }
    all
}

impl Used {
    /// Returns a copy of the present sums. Take it before the state that it is counted over: sessions are
    /// loaded into the state first, so nothing is counted twice or left out.
    #[must_use]
    pub fn snapshot(&self) -> Self {
        let sums = self.sums.read().unwrap_or_else(PoisonError::into_inner);
        Self {
            sums: RwLock::new(Arc::clone(&sums)),
            ..Self::default()
        }
    }

    /// Reports whether the usage of a session was summed, even if it is zero.
    pub(crate) fn knows(&self, id: &SessionId) -> bool {
        let all = self.sums.read().unwrap_or_else(PoisonError::into_inner);
        all.own.contains_key(id)
    }

    /// Returns the usage of one session.
    pub fn of(&self, id: &SessionId) -> ByModel {
        let all = self.sums.read().unwrap_or_else(PoisonError::into_inner);
        all.own.get(id).cloned().unwrap_or_default()
    }

    /// Returns the usage of a session and everything below it, including sessions that were taken off the
    /// list.
    pub fn of_family(&self, children: &Children<'_>, id: &SessionId) -> ByModel {
        let all = self.sums.read().unwrap_or_else(PoisonError::into_inner);
        let mut used = ByModel::new();
        for row in children.family(id) {
            for of in [all.own.get(&row.id), all.at_rest.get(&row.id)] {
                of.into_iter().for_each(|of| join(&mut used, of));
            }
        }
        used
    }

    /// Sets new sums of a session. Returns false if they are the same.
    pub(crate) fn set(&self, id: &SessionId, sums: ByModel) -> bool {
        let mut all = self.sums.write().unwrap_or_else(PoisonError::into_inner);
        let all = Arc::make_mut(&mut all);
        let is_new = all.own.get(id) != Some(&sums);
        all.own.insert(id.clone(), sums);
        is_new
    }

    /// Adds sessions that were loaded into memory: the usage of each, and the usage at rest below each.
    pub(crate) fn take_up(&self, own: BTreeMap<SessionId, ByModel>, at_rest: BTreeMap<SessionId, ByModel>) {
        let mut all = self.sums.write().unwrap_or_else(PoisonError::into_inner);
        let all = Arc::make_mut(&mut all);
        for (id, used) in own {
            // Sums that were read from a transcript meanwhile are newer.
            all.own.entry(id).or_insert(used);
        }
        all.at_rest.extend(at_rest);
    }

    /// Moves the usage of a session that is dropped from memory to its parent, if it has one.
    pub(crate) fn put_away(&self, row: &SessionRow) {
        let mut all = self.sums.write().unwrap_or_else(PoisonError::into_inner);
        let all = Arc::make_mut(&mut all);
        let gone = [all.own.remove(&row.id), all.at_rest.remove(&row.id)];
        if let Some(parent) = &row.parent {
            let above = all.at_rest.entry(parent.clone()).or_default();
            gone.iter().flatten().for_each(|used| join(above, used));
        }
    }

    /// Forgets the usage of a session that was taken off the list.
    pub(crate) fn forget(&self, id: &SessionId) {
        let mut all = self.sums.write().unwrap_or_else(PoisonError::into_inner);
        let all = Arc::make_mut(&mut all);
        all.own.remove(id);
        all.at_rest.remove(id);
    }

    /// Notes that a session of a project used something.
    pub fn note_change(&self, project: ProjectId) {
        let mut changes = self.changes.lock().unwrap_or_else(PoisonError::into_inner);
        *changes.entry(project).or_default() += 1;
    }

    /// Returns the number of noted changes by project: a number that was acted on needs no further action
    /// until it changes.
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

/// Adds the usage of `other` to that of `to`.
pub fn join(to: &mut ByModel, other: &ByModel) {
    for (model, tokens) in other {
        add(to, model, tokens);
    }
}

/// Returns a session and everything below it, including sessions that were taken off the list: their usage
/// counts as its own.
pub fn with_below(children: &Children<'_>, id: &SessionId) -> Vec<SessionId> {
    let mut all = vec![id.clone()];
    for row in children.family(id) {
        if row.id != *id {
            all.push(row.id.clone());
        }
        all.extend(row.lineage.forgotten.iter().cloned());
    }
    all
}

/// Reports whether anything is or was below a session.
pub fn has_below(children: &Children<'_>, row: &SessionRow) -> bool {
    children.count(&row.id) > 0 || !row.lineage.forgotten.is_empty()
}

/// Returns tokens with their cost.
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
