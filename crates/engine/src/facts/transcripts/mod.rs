//! Follows the transcripts of sessions' agents. Hooks report where an agent writes, and when a turn or the
//! session has ended; then the additions are read into the chronicle. There is no timer except for a second
//! look soon after, since an agent may write its last line after its hook.

pub mod reading;

use crate::decide::one_shot::MAX_ANSWER;
use crate::facts::{limits, usage};
use crate::keepers::screen;
use crate::state::context::Engine;
use crate::state::{budgets, error};
use downbeat_agents::TranscriptFile;
use downbeat_model::{Fact, FactKind, SessionId};
use downbeat_store::SessionRow;
use downbeat_store::chronicle::Answer;
use downbeat_wire::{ApiError, Code};
use std::sync::Arc;
use std::time::Duration;

/// How long reading the answer may delay the record of a session's end.
const READ: Duration = Duration::from_secs(3);

/// Returns the session's last answer, if its agent writes one down.
pub async fn answer(engine: &Arc<Engine>, id: &SessionId) -> Option<String> {
    let read = last_answer(engine, id);
    let answer = tokio::time::timeout(READ, read).await.ok()?.ok()?;
    let shown = |c: &char| !c.is_control() || matches!(c, '\n' | '\t');
    Some(answer.text.chars().filter(shown).take(MAX_ANSWER).collect())
}

/// The delay before the second look after a turn.
const SOON: Duration = Duration::from_millis(1500);

/// Follows the transcripts that a hook post names, and reads them if the post reports that the agent rests.
pub async fn heard(engine: &Arc<Engine>, id: &SessionId, named: Vec<TranscriptFile>, facts: &[Fact]) {
    for file in named {
        reading::follow(engine, id, file.path, file.is_sub_agents).await;
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
        // A session with a budget is also read during its turn, so that a whole turn does not exceed it.
        let (engine, id) = (Arc::clone(engine), id.clone());
        tokio::spawn(async move { read(&engine, &id).await });
    }
}

/// A session that is about to be read. Dropping this clears that mark, whatever happens.
pub(crate) struct Due(pub(crate) Arc<Engine>, pub(crate) SessionId);

impl Drop for Due {
    fn drop(&mut self) {
        self.0.transcripts.begun(&self.1);
    }
}

/// Reads what was added, now and once more soon, since an agent may write the reason of what it reports a little
/// later. While that is scheduled, a further call delays the second read, so that it comes after this call too.
pub fn read_soon(engine: &Arc<Engine>, id: &SessionId) {
    let is_beside = |row: Arc<SessionRow>| row.side_shell_of.is_some();
    // A side shell has no transcript, and is removed when it ends.
    if engine.ledger.session(id).is_some_and(is_beside) || !engine.transcripts.begin(id) {
        return;
    }
    let (engine, id) = (Arc::clone(engine), id.clone());
    let due = Due(Arc::clone(&engine), id.clone());
    tokio::spawn(async move {
        let closing = engine.closing.clone();
        let work = async {
            loop {
                read(&engine, &id).await;
                tokio::time::sleep(SOON).await;
                if !engine.transcripts.is_asked_again(&id) {
                    break;
                }
            }
            drop(due);
            read(&engine, &id).await;
            if let Err(error) = screen::keep_screen(&engine, &id).await {
                tracing::debug!(session = %id, "its screen cannot be searched: {error}");
            }
        };
        closing.run_until_cancelled(work).await;
    });
}

/// Reads what was added to a session's transcripts.
pub async fn read(engine: &Arc<Engine>, id: &SessionId) {
    read_on(engine, id, false).await;
}

pub(crate) async fn read_on(engine: &Arc<Engine>, id: &SessionId, first: bool) {
    // Reads of one session run one after another, since each continues where the last one stopped.
    let live = engine.runtimes.of(id);
    let mut unexplained = live.reading.lock().await;
    let mut turn = reading::Turn::of(&engine.transcripts.reading).await;
    let read = reading::all(engine, id, first, &mut turn).await;
    let read = match read {
        Ok(new) => {
            if new.goes_on {
                *unexplained = None;
            }
            if let Some(refusal) = new.refused.or_else(|| unexplained.take())
                && !limits::read(engine, id, &refusal).await
            {
                *unexplained = Some(refusal);
            }
            for sub_agent in new.failed {
                limits::sub_agent_failed(engine, id, sub_agent).await;
            }
            match new.is_new {
                true => usage::changed(engine, id).await,
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

/// Returns the last answer of a session's agent, after reading its transcripts.
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
