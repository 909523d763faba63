//! The one way to change what is known: a draft of the state, written with its events in one
//! transaction, then shown to readers and to the change stream.
//!
//! Readers never wait for the database: they see the state of the last commit. Writers take the
//! gate one after another, so a draft always starts from the newest state and a change is a pure
//! function of it.

use crate::error;
use crate::idempotency::{self, Effect};
use downbeat_model::lines::first_line;
use downbeat_model::{EventKind, ProjectId, SessionId};
use downbeat_store::{EventRow, MessageRow, NewNotice, ProjectRow, RequestRow, SessionRow, Store};
use downbeat_wire::ApiError;
use jiff::Timestamp;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, PoisonError, RwLock};
use tokio::sync::{Mutex, OwnedMutexGuard, broadcast, watch};

/// Changes kept for a slow reader of the stream: a burst of 60 sessions changing a dozen times.
/// A reader that falls further behind is told to ask for everything again.
const CHANGES: usize = 1024;

/// Everything that is known, as of the last commit. Rows are shared, so a copy is cheap.
#[derive(Debug, Clone, Default)]
pub struct State {
    /// Projects by id.
    pub projects: BTreeMap<ProjectId, Arc<ProjectRow>>,
    /// Sessions by id. Extra shells beside them are not among these: whoever goes through all sessions,
    /// counts or lists them never meets one.
    pub sessions: BTreeMap<SessionId, Arc<SessionRow>>,
    /// Extra shells by id, those that ended and are about to go included (see `shells`).
    pub shells: BTreeMap<SessionId, Arc<SessionRow>>,
    /// The messages of each session that has some, in the order of its queue.
    pub queues: BTreeMap<SessionId, Arc<Queue>>,
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

    /// Sessions and extra shells, for storing them.
    fn rows(&self) -> impl Iterator<Item = (&SessionId, &Arc<SessionRow>)> {
        self.sessions.iter().chain(&self.shells)
    }
}

/// The store, the state in memory and the stream of changes, kept in step.
pub struct Ledger(Arc<Inner>);

struct Inner {
    store: Store,
    /// True once the data directory was handed over: nothing is written any more.
    gate: Arc<Mutex<bool>>,
    /// A plain lock, held for a copy of pointers only, never across an await.
    state: RwLock<State>,
    changes: broadcast::Sender<Arc<EventRow>>,
    /// Told after every commit; who sleeps meanwhile learns it once.
    commits: watch::Sender<()>,
    /// Told after one that has a notice.
    notices: watch::Sender<()>,
}

/// A change in the making.
pub struct Draft {
    state: State,
    events: Vec<Pending>,
    notices: Vec<NewNotice>,
    read: Option<Option<Vec<i64>>>,
    request: Option<RequestRow>,
    now: Timestamp,
}

struct Pending {
    kind: EventKind,
    project: Option<ProjectId>,
    session: Option<SessionId>,
    payload: serde_json::Value,
}

/// One entry of a keeper's journal, for writing it down once.
pub struct JournalKey<'a> {
    /// The session.
    pub session: &'a SessionId,
    /// Which keeper process: a resumed session has a new one that counts from 1 again.
    pub keeper: &'a str,
    /// The entry's number.
    pub seq: u64,
}

impl Ledger {
    /// Opens the database and reads the state.
    pub async fn open(path: &Path) -> Result<Self, downbeat_store::Error> {
        let store = Store::open(path).await?;
        let projects = store.projects().await?.into_iter();
        let sessions = store.sessions().await?.into_iter();
        let sessions = sessions.map(|row| (row.id.clone(), Arc::new(row)));
        let (shells, sessions) = sessions.partition(|(_, row)| row.beside.is_some());
        let mut queues: BTreeMap<SessionId, Queue> = BTreeMap::new();
        for row in store.messages().await? {
            queues
                .entry(row.session_id.clone())
                .or_default()
                .push(Arc::new(row));
        }
        let state = State {
            queues: queues
                .into_iter()
                .map(|(id, queue)| (id, Arc::new(queue)))
                .collect(),
            last_message: store.last_message().await?,
            projects: projects.map(|row| (row.id.clone(), Arc::new(row))).collect(),
            sessions,
            shells,
        };
        Ok(Self(Arc::new(Inner {
            store,
            gate: Arc::default(),
            state: RwLock::new(state),
            changes: broadcast::Sender::new(CHANGES),
            commits: watch::Sender::new(()),
            notices: watch::Sender::new(()),
        })))
    }

    /// The state of the last commit.
    pub fn state(&self) -> State {
        self.0
            .state
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// One session or extra shell, as of the last commit.
    pub fn session(&self, id: &SessionId) -> Option<Arc<SessionRow>> {
        self.0
            .state
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .row(id)
            .cloned()
    }

    /// The store, for questions about events and notices.
    pub fn store(&self) -> &Store {
        &self.0.store
    }

    /// Changes from now on.
    pub fn changes(&self) -> broadcast::Receiver<Arc<EventRow>> {
        self.0.changes.subscribe()
    }

    /// Tells that something was written. Not who follows the changes: this needs no engine to stay.
    pub fn commits(&self) -> watch::Receiver<()> {
        self.0.commits.subscribe()
    }

    /// The same of notices alone.
    pub fn notices(&self) -> watch::Receiver<()> {
        self.0.notices.subscribe()
    }

    /// Writes nothing from now on. Waits for the write under way.
    pub async fn close(&self) {
        *self.0.gate.lock().await = true;
    }

    /// As [`Ledger::close`], unless somebody follows the changes or `may` finds something in the
    /// state of the last commit; nothing can be written between its look and the close. Tells
    /// whether it is closed.
    pub async fn close_if(&self, may: impl FnOnce(&State) -> bool) -> bool {
        let mut gate = self.0.gate.lock().await;
        if !*gate && self.0.changes.receiver_count() == 0 {
            *gate = may(&self.state());
        }
        *gate
    }

    /// Changes the state: `change` edits a draft of the newest state; what it did is written with
    /// its events in one transaction. An error from `change` or the database changes nothing.
    pub async fn write<R>(
        &self,
        change: impl FnOnce(&mut Draft) -> Result<R, ApiError>,
    ) -> Result<R, ApiError> {
        self.run(None, change).await.map(|(_, result)| result)
    }

    /// As [`Ledger::write`], once per journal entry: `None` where it was written before.
    pub async fn record<R>(
        &self,
        key: JournalKey<'_>,
        change: impl FnOnce(&mut Draft) -> Result<R, ApiError>,
    ) -> Result<Option<R>, ApiError> {
        let (fresh, result) = self.run(Some(key), change).await?;
        Ok(fresh.then_some(result))
    }

    /// Notes what came of a request under a key; no part of the state, and no event tells of it.
    pub async fn remember(&self, request: &RequestRow) -> Result<(), ApiError> {
        let _gate = self.open_gate().await?;
        let written = async {
            let mut write = self.0.store.begin_soon().await?;
            write.put_request(request).await?;
            write.commit().await.map(drop)
        };
        written.await.map_err(error::store)
    }

    /// Forgets a request under a key that came to nothing.
    pub async fn forget_request(&self, caller: &str, key: &str) -> Result<(), ApiError> {
        let _gate = self.open_gate().await?;
        let written = async {
            let mut write = self.0.store.begin_soon().await?;
            write.forget_request(caller, key).await?;
            write.commit().await.map(drop)
        };
        written.await.map_err(error::store)
    }

    /// The turn to write, unless the data directory was handed over.
    pub(crate) async fn open_gate(&self) -> Result<OwnedMutexGuard<bool>, ApiError> {
        let gate = Arc::clone(&self.0.gate).lock_owned().await;
        if *gate {
            Err(error::handed_over())
        } else {
            Ok(gate)
        }
    }

    async fn run<R>(
        &self,
        key: Option<JournalKey<'_>>,
        change: impl FnOnce(&mut Draft) -> Result<R, ApiError>,
    ) -> Result<(bool, R), ApiError> {
        let gate = self.open_gate().await?;
        let before = self.state();
        let mut draft = Draft {
            state: before.clone(),
            events: Vec::new(),
            notices: Vec::new(),
            read: None,
            request: None,
            now: Timestamp::now(),
        };
        let result = change(&mut draft)?;
        let key = key.map(|key| (key.session.clone(), key.keeper.to_owned(), key.seq));
        let inner = Arc::clone(&self.0);
        // A task of its own: whoever asked may go away, but never between commit and publication.
        let commit = tokio::spawn(async move {
            let fresh = inner.commit(key, &before, draft).await;
            drop(gate);
            fresh
        });
        let fresh = commit
            .await
            .map_err(|error| ApiError::failed("a write broke", error))?;
        Ok((fresh.map_err(error::store)?, result))
    }
}

impl Inner {
    /// Writes a draft and shows it. False where the journal entry `key` was written before.
    async fn commit(
        &self,
        key: Option<(SessionId, String, u64)>,
        before: &State,
        draft: Draft,
    ) -> Result<bool, downbeat_store::Error> {
        let mut write = match key {
            // Told by a keeper, which is gone, as its agent is, where the machine goes down.
            Some(_) => self.store.begin_soon().await?,
            None => self.store.begin().await?,
        };
        if let Some((session, keeper, seq)) = key
            && !write.journal(&session, &keeper, seq).await?
        {
            return Ok(false);
        }
        draft.store(before, &mut write).await?;
        let events = write.commit().await?;
        *self.state.write().unwrap_or_else(PoisonError::into_inner) = draft.state;
        let has_notice = events.iter().any(|event| event.kind == EventKind::Notice);
        for event in events {
            // An error only says that nobody listens.
            let _ = self.changes.send(Arc::new(event));
        }
        self.commits.send_replace(());
        if has_notice {
            self.notices.send_replace(());
        }
        Ok(true)
    }
}

impl Draft {
    /// When this change happens.
    pub fn now(&self) -> Timestamp {
        self.now
    }

    /// Says what this change makes for the request that is under way: where that came under a key, its
    /// repeats are answered from this.
    pub fn effect(&mut self, effect: Effect) {
        self.request = idempotency::claim(effect, self.now);
    }

    /// The state as drafted so far.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// A session, or an extra shell, to edit.
    pub fn session(&mut self, id: &SessionId) -> Result<&mut SessionRow, ApiError> {
        let State { sessions, shells, .. } = &mut self.state;
        let row = sessions.get_mut(id).or_else(|| shells.get_mut(id));
        let row = row.ok_or_else(|| ApiError::not_found("session", id))?;
        Ok(Arc::make_mut(row))
    }

    /// A project to edit.
    pub fn project(&mut self, id: &ProjectId) -> Result<&mut ProjectRow, ApiError> {
        let row = self
            .state
            .projects
            .get_mut(id)
            .ok_or_else(|| ApiError::not_found("project", id))?;
        Ok(Arc::make_mut(row))
    }

    /// Adds or replaces a session, or an extra shell.
    pub fn put_session(&mut self, row: SessionRow) {
        let own = match row.beside {
            None => &mut self.state.sessions,
            Some(_) => &mut self.state.shells,
        };
        own.insert(row.id.clone(), Arc::new(row));
    }

    /// Adds or replaces a project.
    pub fn put_project(&mut self, row: ProjectRow) {
        self.state.projects.insert(row.id.clone(), Arc::new(row));
    }

    /// Takes a session off the list, with the shells beside it; or an extra shell.
    pub fn drop_session(&mut self, id: &SessionId) {
        self.state.sessions.remove(id);
        let State { shells, queues, .. } = &mut self.state;
        shells.retain(|shell, row| {
            let stays = shell != id && row.beside.as_ref() != Some(id);
            if !stays {
                queues.remove(shell);
            }
            stays
        });
        queues.remove(id);
    }

    /// The messages of a session, to change.
    pub fn queue(&mut self, id: &SessionId) -> &mut Queue {
        Arc::make_mut(self.state.queues.entry(id.clone()).or_default())
    }

    /// A number for a message that no other one has or had.
    pub fn message_number(&mut self) -> i64 {
        self.state.last_message += 1;
        self.state.last_message
    }

    /// Takes a project off the list.
    pub fn drop_project(&mut self, id: &ProjectId) {
        self.state.projects.remove(id);
    }

    /// Appends an event about a session.
    pub fn session_event(&mut self, id: &SessionId, kind: EventKind, payload: serde_json::Value) {
        let project = self.state.row(id).map(|row| row.project_id.clone());
        self.events.push(Pending {
            kind,
            project,
            session: Some(id.clone()),
            payload,
        });
    }

    /// Appends an event about a project, or about nothing in particular.
    pub fn event(&mut self, kind: EventKind, project: Option<&ProjectId>, payload: serde_json::Value) {
        self.events.push(Pending {
            kind,
            project: project.cloned(),
            session: None,
            payload,
        });
    }

    /// Writes a notice for the person. Nothing that happens in an extra shell is worth one: the person
    /// opened it, and looks at it.
    pub fn notice(&mut self, notice: NewNotice) {
        if self.state.shells.contains_key(&notice.session_id) {
            return;
        }
        self.session_event(
            &notice.session_id.clone(),
            EventKind::Notice,
            serde_json::json!({ "kind": notice.kind, "text": first_line(&notice.text) }),
        );
        self.notices.push(notice);
    }

    /// Marks notices as read; `None` for all.
    pub fn read_notices(&mut self, ids: Option<Vec<i64>>) {
        self.event(EventKind::Notice, None, serde_json::Value::Null);
        self.read = Some(ids);
    }

    async fn store(
        &self,
        before: &State,
        write: &mut downbeat_store::Write,
    ) -> Result<(), downbeat_store::Error> {
        for (id, row) in &self.state.projects {
            match before.projects.get(id) {
                None => write.insert_project(row).await?,
                Some(old) if !Arc::ptr_eq(old, row) => write.update_project(row).await?,
                Some(_) => {}
            }
        }
        for (id, row) in self.state.rows() {
            match before.row(id) {
                None => write.insert_session(row).await?,
                Some(old) if !Arc::ptr_eq(old, row) => write.update_session(row).await?,
                Some(_) => {}
            }
        }
        store_queues(before, &self.state, write).await?;
        for (id, _) in before.rows().filter(|(id, _)| self.state.row(id).is_none()) {
            write.delete_session(id).await?;
        }
        for id in before
            .projects
            .keys()
            .filter(|id| !self.state.projects.contains_key(*id))
        {
            write.delete_project(id).await?;
        }
        for notice in &self.notices {
            write.insert_notice(notice).await?;
        }
        if let Some(ids) = &self.read {
            write.read_notices(ids.as_deref()).await?;
        }
        if let Some(request) = &self.request {
            write.put_request(request).await?;
        }
        for event in &self.events {
            let (project, session) = (event.project.as_ref(), event.session.as_ref());
            write
                .append(event.kind, project, session, event.payload.clone(), self.now)
                .await?;
        }
        Ok(())
    }
}

/// Writes what changed in the queues. Those of sessions that go, go with them.
async fn store_queues(
    before: &State,
    after: &State,
    write: &mut downbeat_store::Write,
) -> Result<(), downbeat_store::Error> {
    let none = Arc::new(Queue::new());
    for (session, queue) in &after.queues {
        let old = before.queues.get(session).unwrap_or(&none);
        if Arc::ptr_eq(old, queue) || after.row(session).is_none() {
            continue;
        }
        for row in queue.iter() {
            if !old.iter().any(|old| Arc::ptr_eq(old, row)) {
                write.put_message(row).await?;
            }
        }
        for row in old.iter() {
            if !queue.iter().any(|new| new.id == row.id) {
                write.delete_message(row.id).await?;
            }
        }
    }
    Ok(())
}
