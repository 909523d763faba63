//! The one way to change the state: a draft of it, written with its events in one transaction, then shown to
//! readers and to the change stream.
//!
//! Readers never wait for the database: they see the state of the last commit. Writers take the gate one
//! after another, so a draft always starts from the newest state and a change is a pure function of it.
//!
//! A full disk refuses a change. A change that must not wait for room, such as the end of a session, is shown
//! anyway and owed to the disk: it is written as soon as there is room, with or before any later change.

use crate::state::at_rest;
use crate::state::draft::Draft;
use crate::state::error;
use crate::state::known::State;
use downbeat_model::delivery::Routes;
use downbeat_model::{EventKind, SessionId};
use downbeat_store::retention::Kept;
use downbeat_store::{EventRow, RequestRow, SessionRow, Store, WebhookRow};
use downbeat_wire::ApiError;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};
use std::time::Duration;
use tokio::sync::{Mutex, OwnedMutexGuard, broadcast, watch};
use tokio_util::sync::CancellationToken;

/// The time between two tries to write what is owed to a full disk.
const AGAIN: Duration = Duration::from_secs(1);

/// The number of changes kept for a slow reader of the stream: a burst of 60 sessions that change a dozen
/// times. A reader that falls further behind has to request everything again.
const CHANGES: usize = 1024;

/// The store, the state in memory and the stream of changes, kept in step.
pub struct Ledger(pub(crate) Arc<Inner>);

pub(crate) struct Inner {
    pub(crate) store: Store,
    pub(crate) gate: Arc<Mutex<Gate>>,
    /// A plain lock, held for a copy of pointers only, never across an await.
    pub(crate) state: RwLock<State>,
    pub(crate) changes: broadcast::Sender<Arc<EventRow>>,
    /// Notified after every commit; a reader that sleeps meanwhile is woken once.
    pub(crate) commits: watch::Sender<()>,
    /// Notified after every commit with a notice.
    pub(crate) notices: watch::Sender<()>,
    /// Returns where notices go. Set once, when the engine opens.
    pub(crate) routes: OnceLock<RoutesNow>,
    /// Cancelled once the database was found to be deleted.
    pub(crate) deleted: CancellationToken,
    /// The number of holders of each session in memory. A plain lock, never held across an await.
    pub(crate) held: std::sync::Mutex<BTreeMap<SessionId, usize>>,
}

/// Returns which notifiers get the notices of each priority now.
pub(crate) type RoutesNow = Box<dyn Fn() -> Routes + Send + Sync>;

/// The lock of the writer.
#[derive(Default)]
pub(crate) struct Gate {
    /// Whether the data directory was handed over, so that nothing is written any more.
    pub(crate) is_closed: bool,
    pub(crate) owed: Option<Owed>,
}

/// A change that is shown but not written yet.
pub(crate) struct Owed {
    /// The state that is written.
    pub(crate) written: State,
    /// All changes since.
    pub(crate) change: Draft,
}

/// The treatment of a change that a full disk, or a locked database, refuses.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum IfFull {
    Refuse,
    Owe,
}

/// The key of an entry of a keeper's journal, by which it is recorded once.
pub struct JournalKey<'a> {
    /// The session.
    pub session: &'a SessionId,
    /// The keeper process: a resumed session has a new one that counts from 1 again.
    pub keeper: &'a str,
    /// The number of the entry.
    pub seq: u64,
}

impl Ledger {
    /// Opens the database and reads the state.
    pub async fn open(path: &Path) -> Result<Self, downbeat_store::Error> {
        let store = Store::open(path).await?;
        let projects = store.projects().await?.into_iter();
        let merge_queues = store.merge_queues().await?.into_iter();
        let merge_queues = merge_queues.map(|kept| (kept.queue.place.clone(), Arc::new(kept)));
        let plans = store.plans().await?.into_iter();
        let plans = plans.map(|plan| (plan.id.clone(), Arc::new(plan)));
        let fixes = store.fix_runs().await?.into_iter();
        let fixes = fixes.map(|fix| (fix.id.clone(), Arc::new(fix)));
        let mut state = State {
            fixes: Arc::new(fixes.collect()),
            effects: Arc::new(store.waiting_effects().await?.into_iter().map(Arc::new).collect()),
            last_message: store.last_message().await?,
            merge_queues: Arc::new(merge_queues.collect()),
            plans: Arc::new(plans.collect()),
            projects: Arc::new(projects.map(|row| (row.id.clone(), Arc::new(row))).collect()),
            warned: Arc::new(store.warned_at_rest().await?),
            ..State::default()
        };
        let in_use = store.sessions_in_use().await?;
        at_rest::take_up(&store, &mut state, in_use).await?;
        Ok(Self(Arc::new(Inner {
            store,
            gate: Arc::default(),
            state: RwLock::new(state),
            changes: broadcast::Sender::new(CHANGES),
            commits: watch::Sender::new(()),
            notices: watch::Sender::new(()),
            routes: OnceLock::new(),
            deleted: CancellationToken::new(),
            held: std::sync::Mutex::default(),
        })))
    }

    /// Sets where notices go. Before that they are recorded only.
    pub(crate) fn route_by(&self, routes: RoutesNow) {
        // Only the first is used, and there is only one engine.
        let _ = self.0.routes.set(routes);
    }

    /// Returns the state of the last commit, with what is owed.
    pub fn state(&self) -> State {
        self.0.newest()
    }

    /// Returns one session or side shell, as of the last commit.
    pub fn session(&self, id: &SessionId) -> Option<Arc<SessionRow>> {
        self.0
            .state
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .row(id)
            .cloned()
    }

    /// Returns the store, for queries about events and notices.
    pub fn store(&self) -> &Store {
        &self.0.store
    }

    /// Subscribes to changes from now on.
    pub fn changes(&self) -> broadcast::Receiver<Arc<EventRow>> {
        self.0.changes.subscribe()
    }

    /// Returns a receiver that is notified after each write. Unlike a subscription to the changes, it does
    /// not keep the engine open.
    pub fn commits(&self) -> watch::Receiver<()> {
        self.0.commits.subscribe()
    }

    /// Returns a receiver that is notified after each write of a notice.
    pub fn notices(&self) -> watch::Receiver<()> {
        self.0.notices.subscribe()
    }

    /// Returns the token that is cancelled when the data directory was found to be deleted: nothing is
    /// written any more.
    pub fn deleted(&self) -> CancellationToken {
        self.0.deleted.clone()
    }

    /// Stops all writing. Waits for the write under way.
    pub async fn close(&self) {
        let mut gate = self.0.gate.lock().await;
        if let Err(error) = self.0.write_owed(&mut gate).await {
            // The next engine learns the ends of sessions from their keepers.
            tracing::error!("could not write what is owed: {error}");
        }
        gate.is_closed = true;
    }

    /// Closes the ledger as [`Ledger::close`] does, if nobody follows the changes, nothing is owed and `may`
    /// agrees to the state of the last commit; nothing can be written between the check and the close.
    /// Returns whether it is closed.
    pub async fn close_if(&self, may: impl FnOnce(&State) -> bool) -> bool {
        let mut gate = self.0.gate.lock().await;
        if !gate.is_closed && self.0.changes.receiver_count() == 0 {
            gate.is_closed = gate.owed.is_none() && may(&self.state());
        }
        gate.is_closed
    }

    /// Changes the state: `change` edits a draft of the newest state; the result is written with its events
    /// in one transaction. An error from `change` or the database changes nothing.
    pub async fn write<R>(
        &self,
        change: impl FnOnce(&mut Draft) -> Result<R, ApiError>,
    ) -> Result<R, ApiError> {
        let (_, result) = self.run(None, IfFull::Refuse, change).await?;
        Ok(result)
    }

    /// Changes the state as [`Ledger::write`] does, for a change that a full disk, or a program that has the
    /// database locked, must not prevent: then the change is shown, and written once that is possible.
    pub async fn write_or_owe<R>(
        &self,
        change: impl FnOnce(&mut Draft) -> Result<R, ApiError>,
    ) -> Result<R, ApiError> {
        let (_, result) = self.run(None, IfFull::Owe, change).await?;
        Ok(result)
    }

    /// Reports whether a change is shown that could not yet be written to a full disk.
    pub async fn owes(&self) -> bool {
        self.0.gate.lock().await.owed.is_some()
    }

    /// Changes the state as [`Ledger::write`] does, once per journal entry: `None` if the entry was recorded
    /// before.
    pub async fn record<R>(
        &self,
        key: JournalKey<'_>,
        change: impl FnOnce(&mut Draft) -> Result<R, ApiError>,
    ) -> Result<Option<R>, ApiError> {
        let (fresh, result) = self.run(Some(key), IfFull::Refuse, change).await?;
        Ok(fresh.then_some(result))
    }

    /// Records the outcome of a request under a key, which is not part of the state and has no event.
    pub async fn remember(&self, request: &RequestRow) -> Result<(), ApiError> {
        let _gate = self.open_gate().await?;
        let written = async {
            let mut write = self.0.store.begin_soon().await?;
            write.put_request(request).await?;
            write.commit().await.map(drop)
        };
        written.await.map_err(error::store)
    }

    /// Records a webhook of a forge; returns whether it is new.
    pub async fn take_webhook(&self, webhook: &WebhookRow) -> Result<bool, ApiError> {
        let _gate = self.open_gate().await?;
        let written = async {
            let mut write = self.0.store.begin_soon().await?;
            let is_new = write.take_webhook(webhook).await?;
            write.commit().await.map(|_| is_new)
        };
        written.await.map_err(error::store)
    }

    /// Takes the next step of thinning out old events; returns whether another one follows.
    pub async fn thin_out(&self) -> Result<bool, ApiError> {
        let _gate = self.open_gate().await?;
        let step = self.0.store.thin_out(Kept::default());
        step.await.map_err(error::store)
    }

    /// Forgets a request under a key that had no outcome.
    pub async fn forget_request(&self, caller: &str, key: &str) -> Result<(), ApiError> {
        let _gate = self.open_gate().await?;
        let written = async {
            let mut write = self.0.store.begin_soon().await?;
            write.forget_request(caller, key).await?;
            write.commit().await.map(drop)
        };
        written.await.map_err(error::store)
    }

    /// Returns the gate for writing, unless the data directory was handed over.
    pub(crate) async fn open_gate(&self) -> Result<OwnedMutexGuard<Gate>, ApiError> {
        let mut gate = Arc::clone(&self.0.gate).lock_owned().await;
        if !gate.is_closed && !self.0.store.is_there() {
            gate.is_closed = true;
            self.0.deleted.cancel();
        }
        if gate.is_closed {
            Err(error::handed_over())
        } else {
            Ok(gate)
        }
    }

    pub(crate) async fn run<R>(
        &self,
        key: Option<JournalKey<'_>>,
        if_full: IfFull,
        change: impl FnOnce(&mut Draft) -> Result<R, ApiError>,
    ) -> Result<(bool, R), ApiError> {
        let mut gate = self.open_gate().await?;
        let mut draft = Draft::of(self.state());
        let result = change(&mut draft)?;
        if let Some(routes) = self.0.routes.get().filter(|_| draft.has_notice()) {
            draft.address(&routes())?;
        }
        let key = key.map(|key| (key.session.clone(), key.keeper.to_owned(), key.seq));
        let inner = Arc::clone(&self.0);
        // The commit is a task of its own: the caller may go away, but never between commit and publication.
        let commit = tokio::spawn(async move {
            let fresh = inner.commit(&mut gate, key, draft, if_full).await;
            drop(gate);
            fresh
        });
        let fresh = commit
            .await
            .map_err(|error| ApiError::failed("a write failed unexpectedly", error))?;
        Ok((fresh.map_err(error::store)?, result))
    }
}

/// An entry of a keeper's journal, as it is recorded.
type Entry = (SessionId, String, u64);

impl Inner {
    /// Writes a draft, with what is owed, and shows it. Returns false if the journal entry `key` was recorded
    /// before.
    pub(crate) async fn commit(
        self: &Arc<Self>,
        gate: &mut Gate,
        key: Option<Entry>,
        draft: Draft,
        if_full: IfFull,
    ) -> Result<bool, downbeat_store::Error> {
        let (before, whole) = match &gate.owed {
            Some(owed) => (owed.written.clone(), owed.change.clone().then(draft)),
            None => (self.newest(), draft),
        };
        match self.write(&before, key, &whole).await {
            Ok(Some(events)) => {
                gate.owed = None;
                self.show(whole.into_state(), events);
                Ok(true)
            }
            Ok(None) => Ok(false),
            Err(downbeat_store::Error::Full { .. } | downbeat_store::Error::Locked { .. })
                if if_full == IfFull::Owe =>
            {
                self.show(whole.clone().into_state(), whole.unwritten().collect());
                let owed = Owed {
                    written: before,
                    change: whole,
                };
                if gate.owed.replace(owed).is_none() {
                    self.settle();
                }
                Ok(true)
            }
            Err(error) => Err(error),
        }
    }

    /// Writes the differences from `before`. Returns `None` if the journal entry `key` was recorded before.
    pub(crate) async fn write(
        &self,
        before: &State,
        key: Option<Entry>,
        draft: &Draft,
    ) -> Result<Option<Vec<EventRow>>, downbeat_store::Error> {
        let mut write = match key {
            // The entry comes from a keeper, which is gone, like its agent, if the machine goes down.
            Some(_) => self.store.begin_soon().await?,
            None => self.store.begin().await?,
        };
        if let Some((session, keeper, seq)) = key
            && !write.journal(&session, &keeper, seq).await?
        {
            return Ok(None);
        }
        draft.store(before, &mut write).await?;
        write.commit().await.map(Some)
    }

    pub(crate) fn newest(&self) -> State {
        self.state.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn show(&self, state: State, events: Vec<EventRow>) {
        *self.state.write().unwrap_or_else(PoisonError::into_inner) = state;
        let has_notice = events.iter().any(|event| event.kind == EventKind::Notice);
        for event in events {
            // An error only says that nobody listens.
            let _ = self.changes.send(Arc::new(event));
        }
        self.commits.send_replace(());
        if has_notice {
            self.notices.send_replace(());
        }
    }

    /// Writes what is owed, as soon as there is room.
    pub(crate) fn settle(self: &Arc<Self>) {
        let inner = Arc::clone(self);
        tokio::spawn(async move {
            loop {
                tokio::time::sleep(AGAIN).await;
                let mut gate = Arc::clone(&inner.gate).lock_owned().await;
                if gate.is_closed {
                    return;
                }
                match inner.write_owed(&mut gate).await {
                    Ok(()) => return,
                    Err(error) => tracing::error!("could not yet write what is owed: {error}"),
                }
            }
        });
    }

    async fn write_owed(self: &Arc<Self>, gate: &mut Gate) -> Result<(), downbeat_store::Error> {
        if gate.owed.is_none() {
            return Ok(());
        }
        let nothing = Draft::of(self.newest());
        self.commit(gate, None, nothing, IfFull::Refuse).await.map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::{AGAIN, Ledger};
    use downbeat_model::EventKind;
    use downbeat_store::Store;
    use serde_json::json;

    #[tokio::test]
    async fn ending_a_session_does_not_wait_for_a_locked_database() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("downbeat.db");
        let ledger = Ledger::open(&path).await.unwrap();
        let other = Store::open(&path).await.unwrap();
        let locked = other.begin().await.unwrap();
        let change = |draft: &mut super::Draft| {
            draft.event(EventKind::EngineStarted, None, json!({}));
            Ok(())
        };
        let mut seen = ledger.changes();
        assert!(ledger.write(change).await.is_err());
        ledger.write_or_owe(change).await.unwrap();
        assert_eq!(seen.recv().await.unwrap().kind, EventKind::EngineStarted);
        assert!(ledger.owes().await);
        drop(locked);
        let settled = async {
            while ledger.owes().await {
                tokio::time::sleep(AGAIN / 10).await;
            }
        };
        tokio::time::timeout(AGAIN * 30, settled).await.unwrap();
    }
}
