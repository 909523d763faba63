//! Follows the transcripts of sessions' agents: an agent's hooks tell where it writes, and when a
//! turn or the session ended, what was added since is read into the chronicle. Never on a timer of
//! its own, but for one more look soon after: an agent may write its last line behind its hook.

mod reading;

pub use reading::Refusal;

use crate::engine::Engine;
use crate::{budgets, cost, error, limits, search};
use downbeat_agents::TranscriptFile;
use downbeat_model::{Fact, FactKind, SessionId};
use downbeat_store::chronicle::Answer;
use downbeat_store::{Chronicle, SessionRow};
use downbeat_wire::{ApiError, Code};
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::time::Instant;

/// Before the second look after a turn.
const SOON: Duration = Duration::from_millis(1500);

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
    reading: Semaphore,
    /// Sessions that are about to be read. A plain lock, never held across an await.
    due: Mutex<HashSet<SessionId>>,
    /// Those that the chronicle knows. A plain lock, never held across an await.
    known: Mutex<HashMap<SessionId, HashSet<PathBuf>>>,
    /// When each was read last during a turn. A plain lock, never held across an await.
    times: Mutex<HashMap<SessionId, Instant>>,
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
    fn note(&self, id: &SessionId, path: PathBuf) -> bool {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let own = known.entry(id.clone()).or_default();
        own.len() < MOST && own.insert(path)
    }

    /// Notes that a session is about to be read. False where it was.
    fn begin(&self, id: &SessionId) -> bool {
        let mut due = self.due.lock().unwrap_or_else(PoisonError::into_inner);
        due.insert(id.clone())
    }

    /// The last look at a session begins: what comes from now on needs another one.
    fn begun(&self, id: &SessionId) {
        self.due.lock().unwrap_or_else(PoisonError::into_inner).remove(id);
    }

    /// Whether the transcript of a session was not read for a while; it is from now on.
    fn is_old(&self, id: &SessionId) -> bool {
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

/// Follows the transcripts that a hook post names, and reads on where the post says that its agent rests.
pub async fn heard(engine: &Arc<Engine>, id: &SessionId, named: Vec<TranscriptFile>, facts: &[Fact]) {
    for file in named {
        follow(engine, id, file.path, file.is_sub_agents).await;
    }
    let rests = |fact: &Fact| {
        matches!(
            fact.kind,
            FactKind::TurnEnded
                | FactKind::SubAgent
                | FactKind::Blocked(_)
                | FactKind::Limited(_)
                | FactKind::ConversationEnded
                | FactKind::Ready(_)
        )
    };
    let works = |fact: &Fact| matches!(fact.kind, FactKind::Working | FactKind::SubAgentWorks);
    if facts.iter().any(rests) {
        read_soon(engine, id);
    } else if facts.iter().any(works) && engine.transcripts.is_old(id) && budgets::any(engine, id) {
        // A budget is not passed by a whole turn.
        let (engine, id) = (Arc::clone(engine), id.clone());
        tokio::spawn(async move { read(&engine, &id).await });
    }
}

async fn follow(engine: &Engine, id: &SessionId, path: PathBuf, sub_agent: bool) {
    let Some(text) = path.to_str().map(str::to_owned) else {
        return;
    };
    if !engine.transcripts.note(id, path) {
        return;
    }
    let followed = engine.transcripts.chronicle.follow(id, &text, sub_agent);
    if let Err(error) = followed.await {
        tracing::warn!(session = %id, "the transcript {text} is not followed: {error}");
    }
}

/// A session that is about to be read; it is no longer so once this is dropped, whatever happens.
struct Due(Arc<Engine>, SessionId);

impl Drop for Due {
    fn drop(&mut self) {
        self.0.transcripts.begun(&self.1);
    }
}

/// Reads what was added, now and once more soon; where that is about to happen, no other look begins.
pub fn read_soon(engine: &Arc<Engine>, id: &SessionId) {
    let is_beside = |row: Arc<SessionRow>| row.beside.is_some();
    // An extra shell has none, and is gone when it ended.
    if engine.ledger.session(id).is_some_and(is_beside) || !engine.transcripts.begin(id) {
        return;
    }
    let (engine, id) = (Arc::clone(engine), id.clone());
    let due = Due(Arc::clone(&engine), id.clone());
    tokio::spawn(async move {
        let closing = engine.closing.clone();
        let work = async {
            read(&engine, &id).await;
            tokio::time::sleep(SOON).await;
            drop(due);
            read(&engine, &id).await;
            if let Err(error) = search::keep_screen(&engine, &id).await {
                tracing::debug!(session = %id, "its screen is not findable: {error}");
            }
        };
        tokio::select! {
            () = work => {}
            () = closing.cancelled() => {}
        }
    });
}

/// Reads what was added while no engine looked, session by session: what its agent wrote last, an engine
/// that ends may not have read.
pub fn catch_up(engine: &Arc<Engine>) {
    let weak = Arc::downgrade(engine);
    tokio::spawn(async move {
        let Some(kept) = weak.upgrade().map(|engine| engine.transcripts.chronicle.clone()) else {
            return;
        };
        let kept = match kept.sessions().await {
            Ok(kept) => kept,
            Err(error) => return tracing::warn!("what was left unread is not read: {error}"),
        };
        for id in kept {
            let Some(engine) = weak.upgrade().filter(|engine| !engine.closing.is_cancelled()) else {
                return;
            };
            match engine.row(&id) {
                Ok(_) => read_on(&engine, &id, true).await,
                // Taken off the list by an engine that died before it came to this.
                Err(_) => engine.transcripts.forget(&id).await,
            }
        }
    });
}

/// Reads what was added to a session's transcripts.
pub async fn read(engine: &Arc<Engine>, id: &SessionId) {
    read_on(engine, id, false).await;
}

async fn read_on(engine: &Arc<Engine>, id: &SessionId, first: bool) {
    // One after another of one session: each goes on where the last one came to.
    let live = engine.runtimes.of(id);
    let _own = live.reading.lock().await;
    let mut turn = reading::Turn::of(&engine.transcripts.reading).await;
    let read = reading::all(engine, id, first, &mut turn).await;
    let read = match read {
        Ok(new) => {
            if let Some(refusal) = new.refused {
                limits::read(engine, id, refusal).await;
            }
            for sub_agent in new.failed {
                limits::sub_agent_failed(engine, id, sub_agent).await;
            }
            match new.is_new {
                true => cost::changed(engine, id).await,
                false => Ok(()),
            }
        }
        Err(error) => Err(error),
    };
    if let Err(error) = read
        && !engine.closing.is_cancelled()
    {
        tracing::warn!(session = %id, "its transcript was not read: {error}");
    }
}

/// The last answer of a session's agent, from what it wrote down until now.
pub async fn last_answer(engine: &Arc<Engine>, id: &SessionId) -> Result<Answer, ApiError> {
    let row = engine.row(id)?;
    let agent = engine.agent(&row.agent)?;
    if !downbeat_agents::has_transcripts(&agent) {
        let why = format!("{} writes no transcript that can be read", agent.name);
        return Err(ApiError::new(Code::Conflict, why).hint("ask for the screen instead"));
    }
    read(engine, id).await;
    let answer = engine.transcripts.chronicle.answer(id).await;
    answer.map_err(error::store)?.ok_or_else(|| {
        ApiError::new(
            Code::NotFound,
            format!("{} has not answered anything yet", row.name),
        )
        .hint("ask for the screen to see what it does")
    })
}
