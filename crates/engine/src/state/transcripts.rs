//! Which transcripts are read now, and which are to be read.

use downbeat_model::SessionId;
use downbeat_store::Chronicle;
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::time::Instant;

/// Sessions whose transcripts are read at once; others wait.
const READERS: usize = 2;

/// Between two reads during a turn, of a session that has a budget.
const DURING: Duration = Duration::from_secs(20);

/// Transcripts of one session that are followed; each `/clear` begins one. Beyond it new ones are
/// not: nobody clears that often.
const MOST: usize = 4096;

/// What is shared by all who read transcripts.
pub struct Transcripts {
    /// What was read.
    pub chronicle: Chronicle,
    /// Who reads now, so that memory is bounded; a file that takes its time holds up no other session.
    pub(crate) reading: Semaphore,
    /// Sessions that are about to be read. A plain lock, never held across an await.
    pub(crate) due: Mutex<HashSet<SessionId>>,
    /// Those that the chronicle knows. A plain lock, never held across an await.
    pub(crate) known: Mutex<HashMap<SessionId, HashSet<PathBuf>>>,
    /// When each was read last during a turn. A plain lock, never held across an await.
    pub(crate) times: Mutex<HashMap<SessionId, Instant>>,
}

impl Transcripts {
    /// Over an open chronicle.
    pub fn new(chronicle: Chronicle) -> Self {
        Self {
            chronicle,
            reading: Semaphore::new(READERS),
            due: Mutex::default(),
            known: Mutex::default(),
            times: Mutex::default(),
        }
    }

    /// Notes that a transcript is followed. False where that was known.
    pub(crate) fn note(&self, id: &SessionId, path: PathBuf) -> bool {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let own = known.entry(id.clone()).or_default();
        own.len() < MOST && own.insert(path)
    }

    /// Notes that a session is about to be read. False where it was.
    pub(crate) fn begin(&self, id: &SessionId) -> bool {
        let mut due = self.due.lock().unwrap_or_else(PoisonError::into_inner);
        due.insert(id.clone())
    }

    /// The last look at a session begins: what comes from now on needs another one.
    pub(crate) fn begun(&self, id: &SessionId) {
        self.due.lock().unwrap_or_else(PoisonError::into_inner).remove(id);
    }

    /// Whether the transcript of a session was not read for a while; it is from now on.
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
            tracing::warn!(session = %id, "what was said in it stays findable: {error}");
        }
    }
}
