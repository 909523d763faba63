//! Changes a session's queue inside a draft of the ledger: each change with its event. Pure, except for the
//! draft's clock. Other parts add messages with [`enqueue`].

use crate::state::draft::Draft;
use crate::state::known::{Queue, State};
use downbeat_model::lines::first_line;
use downbeat_model::{EventKind, Limited, MessageState, Sender, SessionId, When};
use downbeat_store::MessageRow;
use downbeat_wire::message::EditMessage;
use downbeat_wire::{ApiError, Code};
use serde_json::json;
use std::sync::Arc;

/// Withdraws the message that was to continue a session after a limit, unless it was already typed: the limit
/// is over, or the session is.
pub fn over(draft: &mut Draft, id: &SessionId, limited: &Limited) {
    if let Some(number) = limited.message {
        withdraw(draft, id, number);
    }
}

/// The longest message, in bytes.
pub const MAX_MESSAGE: usize = 256 * 1024;

/// The number of messages of one session that may wait. Further ones are refused: an agent that is a hundred
/// messages behind needs a person.
pub const MAX_WAITING: usize = 100;

/// The total bytes of waiting messages, so that sixty sessions do not fill the memory.
pub const MAX_WAITING_BYTES: usize = 2 << 20;

/// The number of closed messages that are kept per session; the oldest is dropped.
const MAX_KEPT: usize = 30;

/// The total bytes of those.
const MAX_KEPT_BYTES: usize = 1 << 20;

/// The number of characters of a message that its notice shows.
const NOTICE_CHARS: usize = 60;

/// A message to be put into a queue.
pub struct New {
    /// The text.
    pub text: String,
    /// The sender.
    pub sender: Sender,
    /// The time of the delivery.
    pub when: When,
    /// Whether the message is the first prompt of its session, which comes before all others.
    pub is_task: bool,
}

/// Puts a message into the queue of a session and returns its number. The caller has to check that text can
/// be typed into the session.
///
/// # Errors
/// Fails if the message is empty or too long, or if the queue is full.
pub fn enqueue(draft: &mut Draft, session: &SessionId, new: New) -> Result<i64, ApiError> {
    fits(&new.text)?;
    if !new.is_task {
        has_room(draft, session, None, &new.text)?;
    }
    let now = draft.now();
    let row = MessageRow {
        id: draft.message_number(),
        session_id: session.clone(),
        place: 0,
        text: new.text,
        sender: new.sender,
        mode: new.when,
        state: MessageState::Queued,
        is_task: new.is_task,
        detail: String::new(),
        sent_with: None,
        created_at: now,
        changed_at: now,
    };
    let id = row.id;
    let queue = draft.queue(session);
    let at = place_for(queue, &row);
    queue.insert(at, Arc::new(row));
    number(queue);
    tell(draft, session, id, MessageState::Queued);
    Ok(id)
}

/// Refuses another text if the queue is full. The present text of the message `itself` is not counted.
fn has_room(draft: &mut Draft, session: &SessionId, itself: Option<i64>, text: &str) -> Result<(), ApiError> {
    let name = draft.session(session)?.name.clone();
    let queue = draft.queue(session);
    let others = queue
        .iter()
        .filter(|row| row.state.is_open() && Some(row.id) != itself);
    let (count, bytes) = others.fold((0, 0), |(count, bytes), row| (count + 1, bytes + row.text.len()));
    if count < MAX_WAITING && bytes + text.len() <= MAX_WAITING_BYTES {
        return Ok(());
    }
    let what = format!("{name} has {count} queued messages, which is the maximum");
    Err(ApiError::new(Code::Conflict, what)
        .hint("wait until some are delivered, or delete some: `downbeat messages`"))
}

/// Returns the position of a new message: the task before all that wait, messages for now before the others;
/// never before one that is being typed.
fn place_for(queue: &Queue, new: &MessageRow) -> usize {
    let comes_later = |row: &Arc<MessageRow>| {
        let later = new.is_task || (new.mode == When::Now && row.mode == When::WhenReady && !row.is_task);
        row.state == MessageState::Queued && later
    };
    queue.iter().position(comes_later).unwrap_or(queue.len())
}

/// Records the order of the messages.
fn number(queue: &mut Queue) {
    for (place, row) in (0..).zip(queue.iter_mut()) {
        if row.place != place {
            Arc::make_mut(row).place = place;
        }
    }
}

fn fits(text: &str) -> Result<(), ApiError> {
    if text.trim().is_empty() {
        return Err(ApiError::invalid("the message is empty"));
    }
    if text.len() > MAX_MESSAGE {
        let what = format!(
            "the message is {} bytes long; the maximum is {MAX_MESSAGE}",
            text.len()
        );
        return Err(ApiError::invalid(what).hint("write it to a file in the workspace and send the path"));
    }
    Ok(())
}

/// Appends the event of a changed message.
pub fn tell(draft: &mut Draft, session: &SessionId, id: i64, state: MessageState) {
    let kind = match state {
        MessageState::Delivered => EventKind::MessageSent,
        _ => EventKind::MessageChanged,
    };
    draft.session_event(session, kind, json!({ "message": id, "state": state }));
}

/// Returns a message of a session, for changing.
pub fn find<'a>(draft: &'a mut Draft, session: &SessionId, id: i64) -> Result<&'a mut MessageRow, ApiError> {
    let found = draft.queue(session).iter_mut().find(|row| row.id == id);
    found.map(Arc::make_mut).ok_or_else(|| gone(id))
}

/// Builds the error for a message that is not in the queue any more.
pub fn gone(id: impl std::fmt::Display) -> ApiError {
    ApiError::not_found("message", id).hint("`downbeat messages SESSION` lists its messages")
}

/// Reports whether a session has messages that wait or are being typed.
pub fn has_open(state: &State, session: &SessionId) -> bool {
    open(state, session).next().is_some()
}

/// Reports whether the first prompt of a session still has to be typed or was not seen to arrive.
pub fn has_task(state: &State, session: &SessionId) -> bool {
    open(state, session).any(|row| row.is_task)
}

/// Returns the messages that wait or are being typed, the next one first.
pub fn open<'a>(state: &'a State, session: &SessionId) -> impl Iterator<Item = &'a Arc<MessageRow>> {
    let queue = state.queues.get(session).into_iter();
    queue
        .flat_map(|queue| queue.iter())
        .filter(|row| row.state.is_open())
}

/// Returns the texts that may be in the prompt after they were typed: the last message that left the
/// queue, unless it is known to be taken, and the next one, which may be sent again.
pub fn left(state: &State, session: &SessionId) -> Vec<Arc<MessageRow>> {
    let queue = state.queues.get(session).map(|queue| queue.as_slice());
    let closed = queue
        .unwrap_or_default()
        .iter()
        .filter(|row| !row.state.is_open());
    let last = closed.max_by_key(|row| row.changed_at);
    let last = last.filter(|row| row.state != MessageState::Delivered);
    last.into_iter()
        .chain(open(state, session).next())
        .cloned()
        .collect()
}

/// Returns the beginning of the prompt that a session's agent took last, if its hook reported it.
pub fn last_prompt(state: &State, session: &SessionId) -> Option<String> {
    state.row(session)?.last_prompt.clone()
}

/// Drops first prompts that were not delivered: their session starts over.
pub fn drop_tasks(draft: &mut Draft, session: &SessionId) {
    draft
        .queue(session)
        .retain(|row| !(row.is_task && row.state.is_open()));
}

/// Notes why a message waits; does nothing if the reason is the same.
pub fn waits(draft: &mut Draft, session: &SessionId, id: i64, why: &str) -> Result<(), ApiError> {
    let row = find(draft, session, id)?;
    if row.state == MessageState::Queued && row.detail != why {
        row.detail = why.to_owned();
        tell(draft, session, id, MessageState::Queued);
    }
    Ok(())
}

pub(crate) fn beginning(text: &str) -> String {
    let line = first_line(text);
    match line.char_indices().nth(NOTICE_CHARS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

/// Moves closed messages before those that wait, and drops the oldest ones, delivered ones first.
pub fn prune(queue: &mut Queue) {
    queue.sort_by_key(|row| row.state.is_open());
    loop {
        let kept = || queue.iter().filter(|row| !row.state.is_open());
        let bytes: usize = kept().map(|row| row.text.len()).sum();
        if kept().count() <= MAX_KEPT && (bytes <= MAX_KEPT_BYTES || kept().count() <= 1) {
            break;
        }
        let delivered = queue.iter().position(|row| row.state == MessageState::Delivered);
        queue.remove(delivered.unwrap_or(0));
    }
    number(queue);
}

/// Changes a message as requested.
pub fn edit(draft: &mut Draft, session: &SessionId, id: i64, change: &EditMessage) -> Result<(), ApiError> {
    let row = find(draft, session, id)?.clone();
    let again = change.again.unwrap_or(false);
    match row.state {
        MessageState::Queued if !again => {}
        MessageState::Interrupted if again && brings(draft, session, &row).is_some() => {
            let what = format!("message {id}: it is sent again with the message that interrupted it");
            return Err(ApiError::new(Code::Conflict, what).hint("wait until that message is delivered"));
        }
        MessageState::Uncertain | MessageState::Failed | MessageState::Interrupted if again => {}
        state => {
            let (what, hint) = match state {
                MessageState::Queued => ("it is still queued", "there is nothing to send again"),
                MessageState::Typing => ("it is being typed", "wait for the outcome of its delivery"),
                MessageState::Delivered => ("it was delivered", "send another one"),
                MessageState::Uncertain | MessageState::Failed | MessageState::Interrupted => {
                    ("it is no longer queued", "send it again, with `again`")
                }
            };
            return Err(ApiError::new(Code::Conflict, format!("message {id}: {what}")).hint(hint));
        }
    }
    let mut row = row;
    if let Some(text) = &change.text {
        fits(text)?;
        row.text.clone_from(text);
    }
    if again || change.text.is_some() {
        has_room(draft, session, Some(id), &row.text)?;
    }
    row.mode = change.when.unwrap_or(row.mode);
    if again {
        (row.state, row.changed_at) = (MessageState::Queued, draft.now());
        row.detail.clear();
    }
    let queue = draft.queue(session);
    let was = queue.iter().position(|other| other.id == id).unwrap_or(0);
    queue.remove(was);
    let waiting = queue
        .iter()
        .take_while(|row| row.state != MessageState::Queued)
        .count();
    let at = match change.place {
        Some(place) => waiting + (place.max(1) as usize - 1).min(queue.len() - waiting),
        None if again || change.when.is_some() => place_for(queue, &row),
        None => was,
    };
    queue.insert(at, Arc::new(row));
    number(queue);
    tell(draft, session, id, MessageState::Queued);
    Ok(())
}

/// Puts a waiting message before all others.
pub fn put_first(draft: &mut Draft, session: &SessionId, id: i64) -> Result<(), ApiError> {
    let first = EditMessage {
        place: Some(1),
        ..EditMessage::default()
    };
    edit(draft, session, id, &first)
}

/// Removes an unwanted message, if it still waits.
pub fn withdraw(draft: &mut Draft, session: &SessionId, id: i64) {
    let waits = |row: &Arc<MessageRow>| row.id == id && row.state == MessageState::Queued;
    if open(draft.state(), session).any(waits) {
        // The message exists and is not being typed, so this cannot fail.
        let _ = take_off(draft, session, id);
    }
}

pub(crate) fn take_off(draft: &mut Draft, session: &SessionId, id: i64) -> Result<(), ApiError> {
    let row = find(draft, session, id)?;
    if row.state == MessageState::Typing {
        return Err(
            ApiError::new(Code::Conflict, format!("message {id}: it is being typed"))
                .hint("wait for the outcome of its delivery"),
        );
    }
    let queue = draft.queue(session);
    queue.retain(|row| row.id != id);
    number(queue);
    draft.session_event(
        session,
        EventKind::MessageChanged,
        json!({ "message": id, "state": "deleted" }),
    );
    Ok(())
}

/// The separator between a text that an agent gave back and that of the message that interrupted it.
pub(crate) const BEFORE: &str = "\n\n";

/// Returns the message that waits, or is being typed, with the text of `back` in front.
pub fn brings(draft: &Draft, session: &SessionId, back: &MessageRow) -> Option<i64> {
    let with = with(back);
    let mut open = self::open(draft.state(), session);
    open.find(|row| row.text.starts_with(&with)).map(|row| row.id)
}

/// Returns the beginning of a message's text that includes the text of `back`.
pub(crate) fn with(back: &MessageRow) -> String {
    format!("{}{BEFORE}", back.text)
}

#[cfg(test)]
#[path = "mailbox_tests.rs"]
mod tests;
