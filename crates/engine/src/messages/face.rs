//! What faces ask of messages: to send one, to see the queue, to change it.

use super::queue::{self, New};
use crate::engine::Engine;
use crate::ledger::State;
use crate::once;
use crate::point::point;
use downbeat_model::{MessageState, Sender, SessionId};
use downbeat_store::{MessageRow, SessionRow};
use downbeat_wire::message::{EditMessage, Message, MessageReceipt, MessageRef, SendMessage};
use downbeat_wire::{ApiError, Caller, Code};
use std::sync::Arc;
use std::time::Duration;

/// How long an answer waits for the delivery, in seconds, unless it is said.
const WAIT: u32 = 6;

/// The longest such wait.
const LONGEST: u32 = 60;

/// Puts a message into the queue and waits a while for what becomes of it. An answer to a question
/// comes `ahead` of what waits.
pub async fn send(
    engine: &Engine,
    caller: &Caller,
    row: &SessionRow,
    request: &SendMessage,
    ahead: bool,
) -> Result<MessageReceipt, ApiError> {
    let mut changes = engine.ledger.changes();
    let id = &row.id;
    let new = || New {
        text: request.content.clone(),
        sender: match caller {
            Caller::Owner => Sender::Person,
            Caller::Session(id) => Sender::Session(id.clone()),
        },
        when: request.when.unwrap_or_default(),
        is_task: false,
    };
    let put = engine.ledger.write(|draft| {
        let row = draft.session(id)?;
        once::takes(engine, row, "messages")?;
        if row.status.is_ended() {
            let what = format!("{} is over: {}", row.name, row.status.as_str());
            return Err(ApiError::new(Code::Conflict, what).hint("resume it first"));
        }
        let number = queue::enqueue(draft, id, new())?;
        if ahead {
            queue::put_first(draft, id, number)?;
        }
        Ok(number)
    });
    let number = put.await?;
    point("message-queued");
    let wait = Duration::from_secs(request.wait_seconds.unwrap_or(WAIT).min(LONGEST).into());
    let known = async {
        while find(&engine.ledger.state(), id, number).is_some_and(|row| row.state.is_open()) {
            if let Err(tokio::sync::broadcast::error::RecvError::Closed) = changes.recv().await {
                std::future::pending::<()>().await;
            }
        }
    };
    // What takes longer is told as it is now.
    let _ = tokio::time::timeout(wait, known).await;
    let row = find(&engine.ledger.state(), id, number)
        .ok_or_else(|| ApiError::new(Code::Conflict, "the message was taken out of the queue meanwhile"))?;
    let detail = match (row.state, row.detail.as_str()) {
        (MessageState::Queued, "") => "it is delivered as soon as the agent can take it",
        (MessageState::Typing, "") => "typed; the agent has not shown yet that it took it",
        (_, detail) => detail,
    };
    Ok(MessageReceipt {
        message: number,
        state: row.state,
        detail: detail.to_owned(),
    })
}

fn find(state: &State, id: &SessionId, number: i64) -> Option<Arc<MessageRow>> {
    let queue = state.queues.get(id)?;
    queue.iter().find(|row| row.id == number).cloned()
}

/// The messages of a session.
pub fn list(state: &State, id: &SessionId) -> Vec<Message> {
    let queue = state
        .queues
        .get(id)
        .map(|queue| queue.as_slice())
        .unwrap_or_default();
    let done = queue.iter().filter(|row| !row.state.is_open());
    let open = queue.iter().filter(|row| row.state.is_open());
    let done = done.map(|row| view(row, None));
    done.chain((1..).zip(open).map(|(place, row)| view(row, Some(place))))
        .collect()
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

fn number(text: &str) -> Result<i64, ApiError> {
    text.parse().map_err(|_| queue::gone(text))
}

/// Changes a message that waits, or sends one again.
pub async fn edit(engine: &Engine, row: &SessionRow, request: &EditMessage) -> Result<Message, ApiError> {
    let number = number(&request.message)?;
    engine
        .ledger
        .write(|draft| queue::edit(draft, &row.id, number, request))
        .await?;
    let all = list(&engine.ledger.state(), &row.id);
    all.into_iter()
        .find(|message| message.id == number)
        .ok_or_else(|| queue::gone(number))
}

/// Takes a message out of the queue.
pub async fn delete(engine: &Engine, row: &SessionRow, request: &MessageRef) -> Result<(), ApiError> {
    let number = number(&request.message)?;
    engine
        .ledger
        .write(|draft| queue::remove(draft, &row.id, number))
        .await
}
