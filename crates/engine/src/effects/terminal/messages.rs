//! Sends messages and reports their delivery. Listing and changing them is in [`crate::api::messages`].

use crate::decide::mailbox::New;
use crate::decide::{mailbox, one_shot};
use crate::host::failpoint::point;
use crate::state::context::Engine;
use crate::state::known::State;
use crate::state::requests;
use crate::state::requests::Effect;
use downbeat_model::{MessageState, Sender, SessionId};
use downbeat_store::{MessageRow, SessionRow};
use downbeat_wire::message::{MessageReceipt, SendMessage};
use downbeat_wire::{ApiError, Caller, Code};
use std::sync::Arc;
use std::time::Duration;

/// The default time that a response waits for the delivery, in seconds.
const WAIT: u32 = 6;

/// The longest time that a request may ask for, in seconds.
const LONGEST: u32 = 60;

/// Puts a message into the queue and waits a while for its delivery. With `ahead`, which is set for the
/// answer to a question, the message goes to the front of the queue.
pub async fn send(
    engine: &Engine,
    caller: &Caller,
    row: &SessionRow,
    request: &SendMessage,
    ahead: bool,
) -> Result<MessageReceipt, ApiError> {
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
        one_shot::takes(&engine.known_agents(), row, "messages")?;
        if row.status.is_ended() {
            let what = format!("{} has ended: {}", row.name, row.status.as_str());
            return Err(ApiError::new(Code::Conflict, what).hint("resume it first"));
        }
        let number = mailbox::enqueue(draft, id, new())?;
        if ahead {
            mailbox::put_first(draft, id, number)?;
        }
        draft.effect(Effect::Message(id.clone(), number));
        Ok(number)
    });
    let number = put.await?;
    point("message-queued");
    receipt(engine, id, number, request.wait_seconds).await
}

/// Waits a while for a queued message to be delivered or to fail, and reports its state.
pub async fn receipt(
    engine: &Engine,
    id: &SessionId,
    number: i64,
    wait_seconds: Option<u32>,
) -> Result<MessageReceipt, ApiError> {
    let mut changes = engine.ledger.changes();
    let wait = Duration::from_secs(wait_seconds.unwrap_or(WAIT).min(LONGEST).into());
    let known = async {
        while find(&engine.ledger.state(), id, number).is_some_and(|row| row.state.is_open()) {
            if let Err(tokio::sync::broadcast::error::RecvError::Closed) = changes.recv().await {
                std::future::pending::<()>().await;
            }
        }
    };
    tokio::select! {
        // After the timeout, the present state is reported.
        _ = tokio::time::timeout(wait, known) => {}
        // The message is queued. A sender with an idempotency key asks the next engine for its state.
        () = engine.closing.cancelled() => {
            let is_open = find(&engine.ledger.state(), id, number).is_some_and(|row| row.state.is_open());
            if is_open && requests::is_keyed() {
                return Err(crate::state::error::handed_over());
            }
        }
    }
    let state = engine.ledger.state();
    let row = find(&state, id, number)
        .ok_or_else(|| ApiError::new(Code::Conflict, "the message was removed from the queue meanwhile"))?;
    let first = mailbox::open(&state, id).next().map(|first| first.id);
    let behind = first.filter(|first| *first != number && row.state == MessageState::Queued);
    let behind = behind.map(is_behind);
    let detail = match (row.state, behind.as_deref().unwrap_or(&row.detail)) {
        (MessageState::Queued, "") => NOT_LOOKED_AT,
        (MessageState::Typing, "") => "typed; nothing shows yet that the agent accepted it",
        (_, detail) => detail,
    };
    Ok(MessageReceipt {
        message: number,
        state: row.state,
        detail: detail.to_owned(),
    })
}

/// The reason given for a queued message while no other is known.
pub(crate) const NOT_LOOKED_AT: &str = "it is next in the queue";

/// Returns the reason given for a queued message that is not the first one.
pub(crate) fn is_behind(first: i64) -> String {
    format!("it follows message {first}")
}

fn find(state: &State, id: &SessionId, number: i64) -> Option<Arc<MessageRow>> {
    let queue = state.queues.get(id)?;
    queue.iter().find(|row| row.id == number).cloned()
}

pub(crate) fn number(text: &str) -> Result<i64, ApiError> {
    text.parse().map_err(|_| mailbox::gone(text))
}
