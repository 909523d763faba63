//! Follows the transcripts of sessions' agents: an agent's hooks tell where it writes, and when a
//! turn or the session ended, what was added since is read into the chronicle. Never on a timer of
//! its own, but for one more look soon after: an agent may write its last line behind its hook.

mod reading;

use crate::engine::Engine;
use crate::{cost, error, limits, search};
use downbeat_agents::transcript;
use downbeat_model::{Fact, FactKind, SessionId};
use downbeat_store::Chronicle;
use downbeat_store::chronicle::Answer;
use downbeat_wire::{ApiError, Code};
use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Before the second look after a turn.
const SOON: Duration = Duration::from_millis(1500);

/// Transcripts of one session that are followed; each `/clear` begins one. Beyond it new ones are
/// not: nobody clears that often.
const MOST: usize = 4096;

/// What is shared by all who read transcripts.
pub struct Transcripts {
    /// What was read.
    pub chronicle: Chronicle,
    /// Held while one session's are read: one at a time, so that memory is bounded.
    reading: tokio::sync::Mutex<()>,
    /// Those that the chronicle knows. A plain lock, never held across an await.
    known: Mutex<HashSet<(SessionId, PathBuf)>>,
}

impl Transcripts {
    /// Over an open chronicle.
    pub fn new(chronicle: Chronicle) -> Self {
        Self {
            chronicle,
            reading: tokio::sync::Mutex::default(),
            known: Mutex::default(),
        }
    }

    /// Notes that a transcript is followed. False where that was known.
    fn note(&self, id: &SessionId, path: PathBuf) -> bool {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let room = known.iter().filter(|(session, _)| session == id).count() < MOST;
        room && known.insert((id.clone(), path))
    }

    /// Forgets a session that was taken off the list.
    pub async fn forget(&self, id: &SessionId) {
        {
            let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            known.retain(|(session, _)| session != id);
        }
        if let Err(error) = self.chronicle.forget(id).await {
            tracing::warn!(session = %id, "what was said in it stays findable: {error}");
        }
    }
}

/// Takes from a hook post where its agent writes, and reads on where the post says that it rests.
pub async fn heard(engine: &Arc<Engine>, id: &SessionId, body: &str, facts: &[Fact]) {
    for (path, sub_agent) in transcript::told(body) {
        follow(engine, id, path, sub_agent).await;
    }
    let rests = |fact: &Fact| {
        matches!(
            fact.kind,
            FactKind::TurnEnded
                | FactKind::Blocked(_)
                | FactKind::Limited(_)
                | FactKind::ConversationEnded
                | FactKind::Ready(_)
        )
    };
    if facts.iter().any(rests) {
        read_soon(engine, id);
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

/// Reads what was added, now and once more soon.
pub fn read_soon(engine: &Arc<Engine>, id: &SessionId) {
    let (engine, id) = (Arc::clone(engine), id.clone());
    tokio::spawn(async move {
        let closing = engine.closing.clone();
        let work = async {
            read(&engine, &id).await;
            tokio::time::sleep(SOON).await;
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

/// Reads what was added to a session's transcripts.
pub async fn read(engine: &Arc<Engine>, id: &SessionId) {
    let _one = engine.transcripts.reading.lock().await;
    let read = match reading::all(engine, id).await {
        Ok(new) if new.is_new => {
            if let Some((text, at)) = new.refused {
                limits::read(engine, id, &text, at).await;
            }
            cost::changed(engine, id).await
        }
        other => other.map(drop),
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
    if !transcript::is_readable(&agent) {
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
