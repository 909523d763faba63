//! Lists, edits and deletes queued messages. Sending one is [`crate::effects::terminal::messages`].

use crate::decide::{mailbox, message_state};
use crate::effects::terminal::messages;
use crate::effects::terminal::messages::NOT_LOOKED_AT;
use crate::state::context::Engine;
use crate::state::known::State;
use crate::state::requests::Effect;
use downbeat_model::{MessageState, SessionId};
use downbeat_store::{MessageRow, SessionRow};
use downbeat_wire::ApiError;
use downbeat_wire::message::{EditMessage, Message, MessageRef};
use serde_json::json;

/// Returns the messages of a session.
pub fn list(state: &State, id: &SessionId) -> Vec<Message> {
    let queue = state
        .queues
        .get(id)
        .map(|queue| queue.as_slice())
        .unwrap_or_default();
    let done = queue.iter().filter(|row| !row.state.is_open());
    let open = queue.iter().filter(|row| row.state.is_open());
    let done = done.map(|row| view(row, None));
    let first = open.clone().next().map(|row| row.id);
    let open = (1..).zip(open).map(|(place, row)| {
        let mut message = view(row, Some(place));
        match first.filter(|first| *first != row.id) {
            Some(first) => message.detail = messages::is_behind(first),
            None if row.state == MessageState::Queued && row.detail.is_empty() => {
                NOT_LOOKED_AT.clone_into(&mut message.detail);
            }
            None => {}
        }
        message
    });
    done.chain(open).collect()
}

fn view(row: &MessageRow, place: Option<u32>) -> Message {
    Message {
        id: row.id,
        session_id: row.session_id.clone(),
        place,
        text: row.text.clone(),
        from: row.sender.clone(),
        when: row.mode,
        state: row.state,
        detail: row.detail.clone(),
        created_at: row.created_at,
        changed_at: row.changed_at,
    }
}

/// Edits a waiting message, or sends an interrupted one again.
pub async fn edit(engine: &Engine, row: &SessionRow, request: &EditMessage) -> Result<Message, ApiError> {
    let number = messages::number(&request.message)?;
    let edited = engine.ledger.write(|draft| {
        mailbox::edit(draft, &row.id, number, request)?;
        draft.effect(Effect::Message(row.id.clone(), number));
        Ok(())
    });
    edited.await?;
    one(engine, &row.id, number)
}

/// Finds one message of a session.
pub fn one(engine: &Engine, session: &SessionId, number: i64) -> Result<Message, ApiError> {
    let all = list(&engine.ledger.state(), session);
    all.into_iter()
        .find(|message| message.id == number)
        .ok_or_else(|| mailbox::gone(number))
}

/// Deletes a message from the queue.
pub async fn delete(engine: &Engine, row: &SessionRow, request: &MessageRef) -> Result<(), ApiError> {
    let number = messages::number(&request.message)?;
    engine
        .ledger
        .write(|draft| {
            message_state::remove(draft, &row.id, number)?;
            draft.effect(Effect::Answer(json!({})));
            Ok(())
        })
        .await
}
