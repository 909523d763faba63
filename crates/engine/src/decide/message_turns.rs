//! What a turn that starts, or was interrupted, says of the messages of a queue: which were taken, and which
//! came back and go in with another one. Changes inside a draft of the ledger, as [`crate::decide::mailbox`] does; what stands
//! in a prompt is seen by [`crate::effects::terminal::given_back`].

use crate::decide::mailbox;
use crate::decide::mailbox::{BEFORE, MAX_MESSAGE};
use crate::state::draft::Draft;
use downbeat_model::{MessageState, SessionId};
use downbeat_store::MessageRow;
use downbeat_wire::ApiError;
use downbeat_wire::message::EditMessage;
use jiff::Timestamp;
use std::sync::Arc;

/// The agent started a turn `at` that time on `told`, as far as it says on what: the message that is being typed
/// was delivered; of one that was uncertain or given back it is known now, also where a person added to it
/// before they sent it.
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
        return Ok(());
    };
    leave_out(draft, session, found);
    let row = mailbox::find(draft, session, found.id)?;
    // Not when it is written down: its answer may have come before that.
    (row.state, row.changed_at) = (MessageState::Delivered, at);
    row.detail = "the agent's prompt hook fired".to_owned();
    mailbox::prune(draft.queue(session));
    mailbox::tell(draft, session, found.id, MessageState::Delivered);
    brought(draft, session, (found.id, &found.text), at);
    Ok(())
}

/// Puts a text that the agent gave back before that of a message that waits; both go in together. False
/// where it does not wait any more, or both are too long.
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

/// A message that came back was sent by hand: the one that waits with it goes in without it.
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

/// The agent gave a message back that it had taken: it is in no conversation, nor is what came back before
/// it. With `again` it waits before all others once more.
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
    let came = came_before(id);
    let mut all = vec![id];
    for row in draft.queue(session).iter_mut() {
        if row.state == MessageState::Delivered && row.detail == came {
            let row = Arc::make_mut(row);
            (row.state, row.detail) = (MessageState::Interrupted, detail.to_owned());
            all.push(row.id);
        }
    }
    for id in all {
        mailbox::tell(draft, session, id, MessageState::Interrupted);
    }
    let wish = EditMessage {
        again: Some(true),
        place: Some(1),
        ..EditMessage::default()
    };
    match again {
        true => mailbox::edit(draft, session, id, &wish),
        false => Ok(()),
    }
}

/// Whether a message was given back and comes with another one already: a prompt may show twice what
/// was given back once.
pub fn comes_with_another(draft: &mut Draft, session: &SessionId, id: i64) -> bool {
    let row = mailbox::find(draft, session, id).map(|row| row.clone());
    row.is_ok_and(|row| {
        row.state == MessageState::Interrupted && mailbox::brings(draft, session, &row).is_some()
    })
}

/// A message was delivered `at` that time: so were those that came back before it.
pub fn brought(draft: &mut Draft, session: &SessionId, (id, text): (i64, &str), at: Timestamp) {
    let came = |row: &Arc<MessageRow>| {
        row.state == MessageState::Interrupted && text.starts_with(&mailbox::with(row))
    };
    let mut brought = Vec::new();
    for row in draft.queue(session).iter_mut().filter(|row| came(row)) {
        let row = Arc::make_mut(row);
        (row.state, row.changed_at) = (MessageState::Delivered, at);
        row.detail = came_before(id);
        brought.push(row.id);
    }
    for id in brought {
        mailbox::tell(draft, session, id, MessageState::Delivered);
    }
}

/// What is written under a message that went in with another one.
fn came_before(id: i64) -> String {
    format!("came back before message {id}")
}

#[cfg(test)]
#[path = "message_turns_tests.rs"]
mod tests;
