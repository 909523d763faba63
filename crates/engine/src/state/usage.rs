//! What sessions used, in memory, and what it costs by the price list.

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

/// What sessions used, as of the last read of their transcripts: each that is in memory, and what is below them at rest.
#[derive(Debug, Default)]
pub struct Used {
    /// Plain locks, held for a copy only, never across an await.
    sums: RwLock<Arc<Sums>>,
    /// Held by who sums up what is at rest, and by who lets go of sessions: one after another.
    pub(crate) turn: tokio::sync::Mutex<()>,
    /// How often it was noted that a session of a project used something.
    pub(crate) changes: Mutex<BTreeMap<ProjectId, u64>>,
}

/// See [`Used`].
#[derive(Debug, Default, Clone)]
struct Sums {
    /// What each session used itself.
    own: BTreeMap<SessionId, ByModel>,
    /// What was used below each by sessions that are not in memory, or were taken off the list.
    at_rest: BTreeMap<SessionId, ByModel>,
}

/// Sums by session.
pub(crate) fn by_session(sums: Vec<Sum>) -> BTreeMap<SessionId, ByModel> {
    let mut all: BTreeMap<SessionId, ByModel> = BTreeMap::new();
    for sum in sums {
        let of = all.entry(sum.session).or_default();
        add(of, &sum.model, &sum.tokens);
    }
    all
}

impl Used {
    /// The same as it is now. Taken before the state that it is counted over, since what comes into memory does so in the
    /// state first: so nothing is counted twice or left out.
    #[must_use]
    pub fn snapshot(&self) -> Self {
        let sums = self.sums.read().unwrap_or_else(PoisonError::into_inner);
        Self {
            sums: RwLock::new(Arc::clone(&sums)),
            ..Self::default()
        }
    }

    /// Whether it was summed up what a session used, be that nothing.
    pub(crate) fn knows(&self, id: &SessionId) -> bool {
        let all = self.sums.read().unwrap_or_else(PoisonError::into_inner);
        all.own.contains_key(id)
    }

    /// What one session used.
    pub fn of(&self, id: &SessionId) -> ByModel {
        let all = self.sums.read().unwrap_or_else(PoisonError::into_inner);
        all.own.get(id).cloned().unwrap_or_default()
    }

    /// What a session and everything below it used; also what was taken off the list.
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

    /// Takes up new sums of a session. False where nothing is new.
    pub(crate) fn set(&self, id: &SessionId, sums: ByModel) -> bool {
        let mut all = self.sums.write().unwrap_or_else(PoisonError::into_inner);
        let all = Arc::make_mut(&mut all);
        let is_new = all.own.get(id) != Some(&sums);
        all.own.insert(id.clone(), sums);
        is_new
    }

    /// Takes up sessions that came into memory: what each used, and what is at rest below each.
    pub(crate) fn take_up(&self, own: BTreeMap<SessionId, ByModel>, at_rest: BTreeMap<SessionId, ByModel>) {
        let mut all = self.sums.write().unwrap_or_else(PoisonError::into_inner);
        let all = Arc::make_mut(&mut all);
        for (id, used) in own {
            // What a transcript told meanwhile is newer.
            all.own.entry(id).or_insert(used);
        }
        all.at_rest.extend(at_rest);
    }

    /// A session went out of memory: what it used counts for the one above it, where that stays.
    pub(crate) fn put_away(&self, row: &SessionRow) {
        let mut all = self.sums.write().unwrap_or_else(PoisonError::into_inner);
        let all = Arc::make_mut(&mut all);
        let gone = [all.own.remove(&row.id), all.at_rest.remove(&row.id)];
        if let Some(parent) = &row.parent {
            let above = all.at_rest.entry(parent.clone()).or_default();
            gone.iter().flatten().for_each(|used| join(above, used));
        }
    }

    /// A session was taken off the list.
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

/// Whether anything is or was below a session.
pub fn has_below(children: &Children<'_>, row: &SessionRow) -> bool {
    children.count(&row.id) > 0 || !row.lineage.forgotten.is_empty()
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
