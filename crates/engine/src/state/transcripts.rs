//! Tracks which transcripts are being read, and which are to be read.

use downbeat_model::SessionId;
use downbeat_store::Chronicle;
use jiff::Timestamp;
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::time::Instant;

/// The number of sessions whose transcripts are read at once; others wait.
const READERS: usize = 2;

/// The time between two reads during a turn of a session that has a budget.
const DURING: Duration = Duration::from_secs(20);

/// The number of followed transcripts of one session; each `/clear` begins one. Further ones are not
/// followed: nobody clears that often.
const MOST: usize = 4096;

/// An error that an agent got from its model.
#[derive(Debug, Clone)]
pub struct Refusal {
    /// The agent's own text for it.
    pub text: String,
    /// The time of the error.
    pub at: Timestamp,
    /// Whether it ended the turn without a report by a hook.
    pub ends_turn: bool,
}

/// The state that all readers of transcripts share.
pub struct Transcripts {
    /// The store of what was read.
    pub chronicle: Chronicle,
    /// The permits of readers, so that memory is bounded; a file that takes long delays no other session.
    pub(crate) reading: Semaphore,
    /// The sessions that are about to be read, and whether that was asked for again meanwhile. A plain lock, never
    /// held across an await.
    pub(crate) due: Mutex<HashMap<SessionId, bool>>,
    /// The transcripts that the chronicle knows. A plain lock, never held across an await.
    pub(crate) known: Mutex<HashMap<SessionId, HashSet<PathBuf>>>,
    /// The time of the last read of each session during a turn. A plain lock, never held across an await.
    pub(crate) times: Mutex<HashMap<SessionId, Instant>>,
}

impl Transcripts {
    /// Creates the shared state over an open chronicle.
    pub fn new(chronicle: Chronicle) -> Self {
        Self {
            chronicle,
            reading: Semaphore::new(READERS),
            due: Mutex::default(),
            known: Mutex::default(),
            times: Mutex::default(),
        }
    }

    /// Notes that a transcript is followed. Returns false if it was already.
    pub(crate) fn note(&self, id: &SessionId, path: PathBuf) -> bool {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let own = known.entry(id.clone()).or_default();
        own.len() < MOST && own.insert(path)
    }

    /// Notes that a session is about to be read. Returns false if it was already; then it is read once more.
    pub(crate) fn begin(&self, id: &SessionId) -> bool {
        let mut due = self.due.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(again) = due.get_mut(id) {
            *again = true;
            return false;
        }
        due.insert(id.clone(), false);
        true
    }

    /// Reports whether a session that is being read is to be read again, and counts that as done.
    pub(crate) fn is_asked_again(&self, id: &SessionId) -> bool {
        let mut due = self.due.lock().unwrap_or_else(PoisonError::into_inner);
        due.get_mut(id).is_some_and(std::mem::take)
    }

    /// Notes that the last look at a session begins: later output needs another one.
    pub(crate) fn begun(&self, id: &SessionId) {
        self.due.lock().unwrap_or_else(PoisonError::into_inner).remove(id);
    }

    /// Reports whether the transcript of a session was not read for a while, and counts it as read now.
    pub(crate) fn is_old(&self, id: &SessionId) -> bool {
        let mut times = self.times.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        let is_old = times
            .get(id)
            .is_none_or(|last| now.duration_since(*last) >= DURING);
        if is_old {
            times.insert(id.clone(), now);
        }
        is_old
    }

    /// Forgets a session that was taken off the list.
    pub async fn forget(&self, id: &SessionId) {
        {
            self.times
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .remove(id);
            let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            known.remove(id);
        }
        if let Err(error) = self.chronicle.forget(id).await {
            tracing::warn!(session = %id, "could not remove its conversation from the search: {error}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Transcripts;
    use downbeat_model::SessionId;

    #[tokio::test]
    async fn a_call_during_a_scheduled_read_asks_for_one_more() {
        let dir = tempfile::tempdir().unwrap();
        let chronicle = downbeat_store::Chronicle::open(&dir.path().join("chronicle.db"))
            .await
            .unwrap();
        let (transcripts, id) = (Transcripts::new(chronicle), SessionId::random().unwrap());
        assert!(transcripts.begin(&id));
        assert!(!transcripts.is_asked_again(&id));
        assert!(!transcripts.begin(&id) && !transcripts.begin(&id));
        assert!(transcripts.is_asked_again(&id));
        assert!(!transcripts.is_asked_again(&id), "it counts as done");
        transcripts.begun(&id);
        assert!(transcripts.begin(&id));
    }
}
