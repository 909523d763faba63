//! Holds archived sessions in memory: those in use by a request, and those above a session in memory. All
//! others are at rest in the store, and are loaded from it for as long as somebody holds them.

use crate::state::at_rest::{put_away, take_up, unneeded};
use crate::state::known::State;
use crate::state::ledger::{Inner, Ledger};
use downbeat_model::SessionId;
use downbeat_store::{Error, SessionRow};
use std::sync::{Arc, PoisonError};

/// Keeps sessions in memory, archived or not, until it is dropped.
#[must_use = "what is not held may be at rest the next moment"]
pub struct Held {
    ledger: Arc<Inner>,
    ids: Vec<SessionId>,
}

impl Held {
    fn new(ledger: &Arc<Inner>, ids: &[SessionId]) -> Self {
        let mut held = ledger.held.lock().unwrap_or_else(PoisonError::into_inner);
        for id in ids {
            *held.entry(id.clone()).or_default() += 1;
        }
        Self {
            ledger: Arc::clone(ledger),
            ids: ids.to_vec(),
        }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let mut held = self.ledger.held.lock().unwrap_or_else(PoisonError::into_inner);
        for id in &self.ids {
            if let Some(count) = held.get_mut(id) {
                *count -= 1;
                if *count == 0 {
                    held.remove(id);
                }
            }
        }
        drop(held);
        let state = self.ledger.newest();
        let mut own = self.ids.iter().filter_map(|id| state.sessions.get(id));
        if own.any(|row| row.is_at_rest()) {
            // Wakes the reactor that drops sessions from memory.
            self.ledger.commits.send_replace(());
        }
    }
}

impl Ledger {
    /// Loads sessions that are not in memory, with everything above them, and holds them there. Returns the
    /// guard and the ids of the loaded sessions; unknown ids are left out.
    pub async fn hold(&self, ids: &[SessionId]) -> Result<(Held, Vec<SessionId>), Error> {
        // Held first: no session that is in memory from here on is dropped.
        let held = Held::new(&self.0, ids);
        let missing = |state: &State| -> Vec<SessionId> {
            let missing = ids.iter().filter(|id| state.row(id).is_none());
            missing.cloned().collect()
        };
        if missing(&self.state()).is_empty() {
            return Ok((held, Vec::new()));
        }
        let mut gate = self.0.gate.lock().await;
        let mut state = self.state();
        let rows = self.0.store.sessions_of(&missing(&state)).await?;
        let taken = take_up(&self.0.store, &mut state, rows.clone()).await?;
        if let Some(owed) = &mut gate.owed {
            take_up(&self.0.store, &mut owed.written, rows).await?;
            let change = owed.change.state_mut();
            (change.sessions, change.queues) = (Arc::clone(&state.sessions), Arc::clone(&state.queues));
            change.at_rest = Arc::clone(&state.at_rest);
        }
        *self.0.state.write().unwrap_or_else(PoisonError::into_inner) = state;
        Ok((held, taken))
    }

    /// Drops sessions at rest from memory, unless somebody holds them or they are above a session in memory.
    /// Returns the dropped sessions, each before its ancestors.
    pub async fn let_go(&self) -> Vec<Arc<SessionRow>> {
        let gate = self.0.gate.lock().await;
        // Changes that a full disk did not take yet may concern them.
        if gate.owed.is_some() {
            return Vec::new();
        }
        // While this is locked, nobody begins to hold a session.
        let held = self.0.held.lock().unwrap_or_else(PoisonError::into_inner);
        let mut state = self.state();
        let mut gone = Vec::new();
        loop {
            let mut going = unneeded(&state);
            going.retain(|row| !held.contains_key(&row.id));
            if going.is_empty() {
                break;
            }
            for row in &going {
                put_away(&mut state, row);
            }
            gone.extend(going);
        }
        if !gone.is_empty() {
            *self.0.state.write().unwrap_or_else(PoisonError::into_inner) = state;
        }
        gone
    }
}

#[cfg(test)]
mod tests {
    use super::Ledger;
    use crate::state::draft::Draft;
    use crate::state::example::{at, project, session};
    use downbeat_model::{EventKind, SessionId, Status};
    use downbeat_store::{SessionRow, Store};
    use downbeat_wire::ApiError;
    use serde_json::json;
    use std::path::Path;

    /// The number of archived sessions.
    const MANY: usize = 20_000;

    /// Returns an archived session that is over.
    fn row(name: &str, parent: Option<&SessionId>) -> SessionRow {
        SessionRow {
            id: SessionId::random().unwrap(),
            name: name.into(),
            title: name.into(),
            parent: parent.cloned(),
            status: Status::Exited,
            archived_at: Some(at(0)),
            ..session(1)
        }
    }

    /// Creates a database with a conductor and a worker in use, and many archived workers of that conductor.
    async fn filled(path: &Path) -> (SessionRow, SessionRow, SessionRow) {
        let store = Store::open(path).await.unwrap();
        let mut lead = row("lead", None);
        let mut worker = row("worker", Some(&lead.id));
        (lead.archived_at, worker.archived_at) = (None, None);
        let mut write = store.begin().await.unwrap();
        write.insert_project(&project()).await.unwrap();
        write.insert_session(&lead).await.unwrap();
        write.insert_session(&worker).await.unwrap();
        let mut last = worker.clone();
        for number in 0..MANY {
            last = row(&format!("old-{number}"), Some(&lead.id));
            write.insert_session(&last).await.unwrap();
        }
        write.commit().await.unwrap();
        store.close().await;
        (lead, worker, last)
    }

    fn retitle(id: &SessionId) -> impl FnOnce(&mut Draft) -> Result<(), ApiError> {
        |draft| {
            draft.session(id)?.title = "another".into();
            draft.session_event(id, EventKind::SessionChanged, json!(null));
            Ok(())
        }
    }

    #[tokio::test]
    async fn archived_sessions_are_read_on_request_and_a_write_stores_only_its_changes() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("downbeat.db");
        let (lead, worker, last) = filled(&path).await;
        let ledger = Ledger::open(&path).await.unwrap();
        let in_memory = || ledger.state().sessions.len();
        assert_eq!(in_memory(), 2);
        assert_eq!(ledger.state().workers(&lead.id), MANY + 1);

        let written = async || ledger.store().rows_written().await.unwrap();
        let before = written().await;
        ledger.write(retitle(&worker.id)).await.unwrap();
        assert_eq!(written().await - before, 2, "its row and its event");
        let looked = ledger.write(|draft| draft.session(&worker.id).map(|row| row.title.clone()));
        assert_eq!(looked.await.unwrap(), "another");
        assert_eq!(
            written().await - before,
            2,
            "what was only looked at is not written"
        );
        let refused: Result<(), _> = ledger
            .write(|draft| {
                retitle(&lead.id)(draft)?;
                Err(ApiError::invalid("no"))
            })
            .await;
        assert!(refused.is_err());
        assert_eq!(ledger.session(&lead.id).unwrap().title, "lead");
        assert_eq!(written().await - before, 2);

        assert_eq!(ledger.session(&last.id), None);
        let (held, new) = ledger.hold(std::slice::from_ref(&last.id)).await.unwrap();
        assert_eq!((new, in_memory()), (vec![last.id.clone()], 3));
        assert_eq!(ledger.state().workers(&lead.id), MANY + 1);
        assert!(ledger.let_go().await.is_empty(), "it is held");
        ledger.write(retitle(&last.id)).await.unwrap();
        assert_eq!(written().await - before, 4);
        drop(held);
        assert_eq!(ledger.let_go().await.len(), 1);
        assert_eq!((in_memory(), ledger.state().workers(&lead.id)), (2, MANY + 1));

        let (held, _) = ledger.hold(std::slice::from_ref(&last.id)).await.unwrap();
        assert_eq!(ledger.session(&last.id).unwrap().title, "another");
        let back = |draft: &mut Draft| {
            draft.session(&last.id)?.archived_at = None;
            Ok(())
        };
        ledger.write(back).await.unwrap();
        drop(held);
        assert!(ledger.let_go().await.is_empty(), "it is in use again");
        ledger.store().close().await;
        let ledger = Ledger::open(&path).await.unwrap();
        assert_eq!(ledger.state().sessions.len(), 3);
        assert_eq!(ledger.state().workers(&lead.id), MANY + 1);
    }

    #[tokio::test]
    async fn an_ancestor_of_a_session_in_use_stays_in_memory_even_if_archived() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("downbeat.db");
        let (lead, worker, last) = filled(&path).await;
        let ledger = Ledger::open(&path).await.unwrap();
        let put_away = |draft: &mut Draft| {
            draft.session(&lead.id)?.archived_at = Some(at(1));
            Ok(())
        };
        ledger.write(put_away).await.unwrap();
        assert!(ledger.let_go().await.is_empty());
        let and_worker = |draft: &mut Draft| {
            draft.session(&worker.id)?.archived_at = Some(at(1));
            Ok(())
        };
        ledger.write(and_worker).await.unwrap();
        let gone = ledger.let_go().await;
        let names: Vec<_> = gone.iter().map(|row| row.name.as_str()).collect();
        assert_eq!(names, ["worker", "lead"], "each before what is above it");
        assert_eq!(ledger.state().sessions.len(), 0);
        let (_held, new) = ledger.hold(std::slice::from_ref(&last.id)).await.unwrap();
        assert_eq!(new.len(), 2, "with what is above it");
        assert_eq!(ledger.state().workers(&lead.id), MANY + 1);
    }
}
