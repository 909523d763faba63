//! Answers what happened in a session. Gathers what is recorded of it; [`crate::decide::story`] tells it.

use crate::api::changes;
use crate::decide::story;
use crate::state::context::Engine;
use crate::state::error;
use downbeat_model::{Sender, Subject};
use downbeat_store::SessionRow;
use downbeat_wire::ApiError;
use downbeat_wire::story::Story;

/// The number of entries returned by default.
const ENTRIES: u32 = 200;

/// The maximum number of entries of one answer.
const MOST: u32 = 1_000;

/// How many texts or events may become one entry: tools that ran one after the other do, and most changes of status only
/// repeat what something else says.
const READ_FOR_ONE: u32 = 4;

/// How many are read at least.
const READ: u32 = 400;

/// The maximum number of characters of one text.
const CHARACTERS: u32 = 4_000;

/// Returns the last entries of a session's story.
pub async fn story(engine: &Engine, row: &SessionRow, limit: Option<u32>) -> Result<Story, ApiError> {
    let limit = limit.unwrap_or(ENTRIES).clamp(1, MOST);
    let texts = READ.max(limit * READ_FOR_ONE);
    let about = Subject::Session(row.id.clone());
    let store = engine.ledger.store();
    let events = store.events_about(&about, &story::KINDS, texts).await;
    let events = events.map_err(error::store)?;
    let chronicle = &engine.transcripts.chronicle;
    let conversation = chronicle.conversation(&row.id, texts, CHARACTERS).await;
    let conversation = conversation.map_err(error::store)?;
    // A story without commits is better than none: the worktree may be gone, or git busy.
    let commits = changes::commits(engine, row).await.unwrap_or_default();
    let state = engine.ledger.state();
    let messages = state.queues.get(&row.id).map(|queue| queue.as_slice());
    let sources = story::Sources {
        events: &events,
        conversation: &conversation,
        messages: messages.unwrap_or_default(),
        commits: &commits,
    };
    let name = |sender: &Sender| match sender {
        Sender::Person => "you".to_owned(),
        Sender::Downbeat => "Downbeat".to_owned(),
        Sender::Session(id) => {
            let known = state.sessions.get(id).map(|other| other.name.clone());
            known.unwrap_or_else(|| "another session".to_owned())
        }
    };
    let mut entries = story::tell(&sources, name);
    let is_full = [events.len(), conversation.len()]
        .into_iter()
        .any(|n| n >= texts as usize);
    let cut = entries.len().saturating_sub(limit as usize);
    // What is cut off one source would leave a gap between older entries of the others.
    let from = [
        events
            .first()
            .map(|event| event.at)
            .filter(|_| events.len() >= texts as usize),
        conversation
            .first()
            .map(|text| text.at)
            .filter(|_| conversation.len() >= texts as usize),
    ];
    entries.drain(..cut);
    if let Some(from) = from.into_iter().flatten().max() {
        entries.retain(|entry| entry.at >= from);
    }
    Ok(Story {
        id: row.id.clone(),
        entries,
        has_earlier: cut > 0 || is_full,
    })
}
