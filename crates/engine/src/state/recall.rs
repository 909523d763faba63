//! Loads archived sessions into memory for requests that name them, with their usage, and drops them again.

use crate::session::row::INFIX;
use crate::state::context::Engine;
use crate::state::held::Held;
use crate::state::known::State;
use crate::state::usage::{ByModel, Used, by_session, join};
use crate::state::{at_rest, error, find};
use downbeat_model::{ProjectId, SessionId};
use downbeat_store::SessionRow;
use downbeat_store::chronicle::Period;
use downbeat_wire::{ApiError, Caller};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Deref;
use std::sync::Arc;

/// A session that was found; it stays in memory as long as this value.
#[must_use]
pub struct Found {
    row: Arc<SessionRow>,
    _held: Held,
}

impl Deref for Found {
    type Target = Arc<SessionRow>;

    fn deref(&self) -> &Self::Target {
        &self.row
    }
}

impl Engine {
    /// Loads sessions into memory, with everything above them, and holds them there. Unknown ids are left
    /// out.
    pub(crate) async fn recall(&self, ids: &[SessionId]) -> Result<Held, ApiError> {
        let (held, new) = self.ledger.hold(ids).await.map_err(error::store)?;
        // Includes sessions that another request is just loading.
        let state = self.ledger.state();
        let is_unknown = |id: &&SessionId| state.sessions.contains_key(*id) && !self.used.knows(id);
        let unknown = ids.iter().filter(is_unknown).cloned();
        let of: BTreeSet<SessionId> = new.into_iter().chain(unknown).collect();
        if !of.is_empty() {
            self.sum_up(&of.into_iter().collect::<Vec<_>>()).await?;
        }
        Ok(held)
    }

    /// Loads the sessions that a request may mean by `name`: an id, a name, or the name of a shell.
    pub(crate) async fn recall_named(&self, name: &str) -> Result<Held, ApiError> {
        let name = name.rsplit_once(INFIX).map_or(name, |(session, _)| session);
        let ids = match SessionId::parse(name) {
            Some(id) => vec![id],
            None => {
                let state = self.ledger.state();
                let short = find::in_projects(&state, name)
                    .into_iter()
                    .map(|(_, short)| short);
                let mut ids = Vec::new();
                for name in std::iter::once(name).chain(short) {
                    let named = self.ledger.store().at_rest_named(name).await;
                    ids.extend(named.map_err(error::store)?);
                }
                ids
            }
        };
        self.recall(&ids).await
    }

    /// Loads the direct workers of a session.
    pub(crate) async fn recall_workers(&self, id: &SessionId) -> Result<Held, ApiError> {
        let workers = self.ledger.store().direct_workers(id).await;
        self.recall(&workers.map_err(error::store)?).await
    }

    /// Loads a session and everything below it.
    pub(crate) async fn recall_family(&self, id: &SessionId) -> Result<Held, ApiError> {
        let below = self.ledger.store().below(std::slice::from_ref(id)).await;
        let below = below.map_err(error::store)?.into_iter().map(|kin| kin.id);
        let all: Vec<SessionId> = below.chain([id.clone()]).collect();
        self.recall(&all).await
    }

    /// Loads the parent of a new session, if one was named.
    pub(crate) async fn recall_parent(&self, name: Option<&str>) -> Result<Option<Held>, ApiError> {
        match name {
            Some(name) => self.recall_named(name).await.map(Some),
            None => Ok(None),
        }
    }

    /// Loads all sessions of a project.
    pub(crate) async fn recall_project(&self, project: &ProjectId) -> Result<Held, ApiError> {
        let ids = self.ledger.store().ids_of_project(project).await;
        self.recall(&ids.map_err(error::store)?).await
    }

    /// Finds the session that `caller` means by `name`, archived or not.
    pub(crate) async fn find(&self, caller: &Caller, name: &str) -> Result<Found, ApiError> {
        let held = self.recall_named(name).await?;
        let row = find::session(&self.ledger.state(), caller, name)?;
        Ok(Found { row, _held: held })
    }

    /// Finds the session or side shell that `caller` means by `name`.
    pub(crate) async fn terminal(&self, caller: &Caller, name: &str) -> Result<Found, ApiError> {
        let held = self.recall_named(name).await?;
        let row = find::terminal(&self.ledger.state(), caller, name)?;
        Ok(Found { row, _held: held })
    }

    /// Returns the state with all archived sessions, and the usage of each session, for lists and sums over
    /// them. Neither stays in memory.
    pub(crate) async fn everything(&self) -> Result<(State, Used), ApiError> {
        let mut state = self.ledger.state();
        let rows = self.ledger.store().sessions().await.map_err(error::store)?;
        let taken = at_rest::take_up(self.ledger.store(), &mut state, rows).await;
        taken.map_err(error::store)?;
        let sums = self.transcripts.chronicle.sums(None, Period::default()).await;
        let own = by_session(sums.map_err(error::store)?);
        let forgotten = |row: &Arc<SessionRow>| {
            let mut used = ByModel::new();
            for id in &row.lineage.forgotten {
                own.get(id).into_iter().for_each(|of| join(&mut used, of));
            }
            (row.id.clone(), used)
        };
        let below = state.sessions.values().map(forgotten).collect();
        let used = Used::default();
        used.take_up(own, below);
        Ok((state, used))
    }

    /// Sums the usage of sessions that were loaded, and of the sessions at rest below them and their parents.
    pub(crate) async fn sum_up(&self, new: &[SessionId]) -> Result<(), ApiError> {
        // Sessions that are dropped from memory meanwhile would be counted twice, or not at all.
        let _turn = self.used.turn.lock().await;
        let state = self.ledger.state();
        let above = new.iter().filter_map(|id| state.sessions.get(id)?.parent.clone());
        let of: BTreeSet<SessionId> = new.iter().cloned().chain(above).collect();
        let of: Vec<SessionId> = of.into_iter().collect();
        let kin = self.ledger.store().below(&of).await.map_err(error::store)?;
        let mut children: BTreeMap<SessionId, Vec<&downbeat_store::Kin>> = BTreeMap::new();
        for kin in &kin {
            if let Some(parent) = kin
                .parent
                .clone()
                .filter(|_| !state.sessions.contains_key(&kin.id))
            {
                children.entry(parent).or_default().push(kin);
            }
        }
        // Maps each session that is at rest or was taken off the list to the session that it counts for.
        let mut counts_for: BTreeMap<SessionId, &SessionId> = BTreeMap::new();
        for top in &of {
            let own = state.sessions.get(top).into_iter();
            counts_for.extend(
                own.flat_map(|row| &row.lineage.forgotten)
                    .map(|id| (id.clone(), top)),
            );
            let mut open = vec![top];
            while let Some(at) = open.pop() {
                for kin in children.get(at).into_iter().flatten() {
                    counts_for.insert(kin.id.clone(), top);
                    counts_for.extend(kin.forgotten.iter().map(|id| (id.clone(), top)));
                    open.push(&kin.id);
                }
            }
        }
        let asked: Vec<SessionId> = new.iter().chain(counts_for.keys()).cloned().collect();
        let sums = self.transcripts.chronicle.sums_of(&asked).await;
        let nothing = |id: &SessionId| (id.clone(), ByModel::new());
        let mut own: BTreeMap<SessionId, ByModel> = new.iter().map(nothing).collect();
        let mut below: BTreeMap<SessionId, ByModel> =
            of.iter().map(|id| (id.clone(), ByModel::new())).collect();
        for (id, used) in by_session(sums.map_err(error::store)?) {
            match counts_for.get(&id).and_then(|top| below.get_mut(*top)) {
                Some(sum) => join(sum, &used),
                None => drop(own.insert(id, used)),
            }
        }
        self.used.take_up(own, below);
        Ok(())
    }

    /// Drops archived sessions from memory that are not in use any more.
    pub(crate) async fn let_go_at_rest(&self) {
        let _turn = self.used.turn.lock().await;
        for row in self.ledger.let_go().await {
            self.used.put_away(&row);
            self.runtimes.forget_unused(&row.id);
        }
    }
}
