//! Applies the start and the interruption of a turn to the messages of a queue: which were taken, and which
//! came back and are sent with another one. Changes a draft of the ledger, as [`crate::decide::mailbox`]
//! does; [`crate::effects::terminal::given_back`] reads what is in a prompt.

use crate::decide::mailbox::{BEFORE, MAX_MESSAGE};
use crate::decide::{exchanges, mailbox};
use crate::state::draft::Draft;
use downbeat_model::{MessageState, SessionId};
use downbeat_store::MessageRow;
use downbeat_wire::ApiError;
use downbeat_wire::message::EditMessage;
use jiff::Timestamp;
use std::sync::Arc;

/// Records that the agent started a turn `at` that time, on the prompt `told` if it names one: the message
/// that is being typed was delivered, and so was an uncertain or given-back one that `told` repeats, even if
/// a person added to it before sending.
pub fn taken(
    draft: &mut Draft,
    session: &SessionId,
    told: Option<&str>,
    at: Timestamp,
) -> Result<(), ApiError> {
    let is_it = |row: &&Arc<MessageRow>| match told {
        Some(told) => downbeat_agents::is_same_prompt(&row.text, told),
        None => row.state == MessageState::Typing,
    };
    let was_added_to = |row: &&Arc<MessageRow>| {
        let told = told.filter(|_| row.state != MessageState::Typing);
        told.is_some_and(|told| downbeat_agents::begins_with_prompt(told, &row.text))
    };
    let mut unsure = draft.queue(session).clone();
    unsure.retain(|row| {
        matches!(
            row.state,
            MessageState::Typing | MessageState::Uncertain | MessageState::Interrupted
        )
    });
    let newest = || unsure.iter().rev();
    let Some(found) = newest().find(is_it).or_else(|| newest().find(was_added_to)) else {
        return match told.is_some_and(|told| is_typed_by_hand(draft, session, told)) {
            true => exchanges::looked_after(draft, session),
            false => Ok(()),
        };
    };
    leave_out(draft, session, found);
    let row = mailbox::find(draft, session, found.id)?;
    // The time of the turn, not of the write: its answer may have come before that.
    (row.state, row.changed_at) = (MessageState::Delivered, at);
    row.detail = "the agent's prompt hook fired".to_owned();
    mailbox::prune(draft.queue(session));
    mailbox::tell(draft, session, found.id, MessageState::Delivered);
    brought(draft, session, (found.id, &found.text), at);
    match found.is_task {
        true => Ok(()),
        false => exchanges::took(draft, session, &found.sender),
    }
}

/// Reports whether a prompt that the agent took is none of the messages in the queue: somebody typed it in the terminal.
fn is_typed_by_hand(draft: &mut Draft, session: &SessionId, told: &str) -> bool {
    let mut queue = draft.queue(session).iter();
    !queue.any(|row| downbeat_agents::is_same_prompt(&row.text, told))
}

/// Puts a text that the agent gave back in front of a waiting message; both are sent together. Returns false
/// if the message does not wait any more, or both are too long together.
pub fn put_before(draft: &mut Draft, session: &SessionId, id: i64, back: &str) -> bool {
    let Ok(row) = mailbox::find(draft, session, id) else {
        return false;
    };
    if row.state != MessageState::Queued || back.len() + BEFORE.len() + row.text.len() > MAX_MESSAGE {
        return false;
    }
    row.text = format!("{back}{BEFORE}{}", row.text);
    mailbox::tell(draft, session, id, MessageState::Queued);
    true
}

/// Removes a given-back text that was sent by hand from the waiting message that would bring it.
fn leave_out(draft: &mut Draft, session: &SessionId, sent: &MessageRow) {
    let Some(id) = mailbox::brings(draft, session, sent).filter(|_| sent.state == MessageState::Interrupted)
    else {
        return;
    };
    let with = mailbox::with(sent);
    if let Ok(row) = mailbox::find(draft, session, id)
        && row.state == MessageState::Queued
    {
        row.text = row.text.split_off(with.len());
        mailbox::tell(draft, session, id, MessageState::Queued);
    }
}

/// Records that the agent gave a delivered message back: it is in no conversation, nor are the texts that
/// were sent with it. With `again` it waits before all others once more.
pub fn interrupted(
    draft: &mut Draft,
    session: &SessionId,
    id: i64,
    detail: &str,
    again: bool,
) -> Result<(), ApiError> {
    let now = draft.now();
    let row = mailbox::find(draft, session, id)?;
    if !matches!(row.state, MessageState::Delivered | MessageState::Interrupted) {
        return Ok(());
    }
    if row.state == MessageState::Delivered {
        row.changed_at = now;
    }
    (row.state, row.detail) = (MessageState::Interrupted, detail.to_owned());
    let mut all = vec![id];
    for row in draft.queue(session).iter_mut() {
        if row.state == MessageState::Delivered && row.sent_with == Some(id) {
            let row = Arc::make_mut(row);
            (row.state, row.detail) = (MessageState::Interrupted, detail.to_owned());
            row.sent_with = None;
            all.push(row.id);
        }
    }
    for id in all {
        mailbox::tell(draft, session, id, MessageState::Interrupted);
    }
    let change = EditMessage {
        again: Some(true),
        place: Some(1),
        ..EditMessage::default()
    };
    match again {
        true => mailbox::edit(draft, session, id, &change),
        false => Ok(()),
    }
}

/// Reports whether a message was given back and is already part of another one: a prompt may show twice what
/// was given back once.
pub fn comes_with_another(draft: &mut Draft, session: &SessionId, id: i64) -> bool {
    let row = mailbox::find(draft, session, id).map(|row| row.clone());
    row.is_ok_and(|row| {
        row.state == MessageState::Interrupted && mailbox::brings(draft, session, &row).is_some()
    })
}

/// Records that a message was delivered `at` that time, with the given-back texts in front of it.
pub fn brought(draft: &mut Draft, session: &SessionId, (id, text): (i64, &str), at: Timestamp) {
    let came = |row: &Arc<MessageRow>| {
        row.state == MessageState::Interrupted && text.starts_with(&mailbox::with(row))
    };
    let mut brought = Vec::new();
    for row in draft.queue(session).iter_mut().filter(|row| came(row)) {
        let row = Arc::make_mut(row);
        (row.state, row.changed_at) = (MessageState::Delivered, at);
        row.detail = format!("was sent again before message {id}");
        row.sent_with = Some(id);
        brought.push(row.id);
    }
    for id in brought {
        mailbox::tell(draft, session, id, MessageState::Delivered);
    }
}

#[cfg(test)]
#[path = "message_turns_tests.rs"]
mod tests;
