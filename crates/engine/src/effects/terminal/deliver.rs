//! Delivers messages: one task for each session with open messages, woken by changes to the session. The task
//! ends when no message is left or the session is over.

use crate::decide::delivery::Ready;
use crate::decide::{delivery, limits, mailbox, message_state};
use crate::effects::terminal::signals::Signals;
use crate::effects::terminal::typing::Outcome;
use crate::effects::terminal::{given_back, signals, typing};
use crate::facts::tools;
use crate::host::failpoint::point;
use crate::keepers::screen;
use crate::keepers::screen::link;
use crate::state::context::Engine;
use downbeat_agents::Manifest;
use downbeat_keeper::Text;
use downbeat_model::{MessageState, SessionId};
use downbeat_store::{MessageRow, SessionRow};
use downbeat_wire::ApiError;
use jiff::Timestamp;
use std::sync::Arc;
use std::time::Duration;

/// How long an agent has, after the engine crashed, to show that it took a message. The posts that its keeper
/// journaled are stored within that time.
const FOUND: Duration = Duration::from_secs(10);

/// The delay before a retry after a failure outside the session, such as a full disk.
pub(crate) const AGAIN: Duration = Duration::from_secs(5);

/// The number of attempts to type a message that the program refuses.
const TRIES: u32 = 3;

/// The state of a message's delivery that is not stored in its row.
#[derive(Default)]
pub(crate) struct Tries {
    pub(crate) message: i64,
    /// The number of times that the program refused its bytes.
    pub(crate) refused: u32,
    /// Whether the turn could not be interrupted, so that the message waits for its end.
    pub(crate) cannot_interrupt: bool,
    /// The number of attempts to take its text out of the prompt.
    pub(crate) taken_out: u32,
}

pub(crate) async fn deliver_all(engine: &Arc<Engine>, id: &SessionId) -> Result<(), ApiError> {
    let mut tries = Tries::default();
    loop {
        let mut signals = Signals::of(engine, id);
        let state = engine.ledger.state();
        let (Some(row), Some(message)) = (state.row(id), mailbox::open(&state, id).next()) else {
            return Ok(());
        };
        if tries.message != message.id {
            tries = Tries {
                message: message.id,
                ..Tries::default()
            };
        }
        if message.state == MessageState::Typing {
            look_for(engine, row, message.id, &mut signals).await?;
            continue;
        }
        if row.status.is_ended() {
            return Ok(());
        }
        match look(engine, row, message, &tries, &signals).await? {
            Ready::No(why, again) => {
                if message.detail != why {
                    let noted = |draft: &mut _| mailbox::waits(draft, id, message.id, &why);
                    // The message may be gone by now; the next look finds out.
                    let _ = engine.ledger.write(noted).await;
                }
                signals.next(again).await;
            }
            Ready::Yes if delivery::awaited(row, Timestamp::now()).is_some() => {
                tools::missing(engine, id).await?;
            }
            Ready::Interrupt => {
                let next = Some(message.id);
                tries.cannot_interrupt = !typing::interrupt(engine, row, &mut signals, next).await?;
            }
            Ready::TakeOut => {
                tries.taken_out += 1;
                let last = mailbox::last_prompt(&engine.ledger.state(), id);
                let is_own = |agent: &Manifest, shown: &Text| {
                    delivery::hands_on(shown).is_none()
                        && delivery::is_own(agent, shown, message, last.as_deref())
                };
                given_back::take_out(engine, row, is_own).await?;
            }
            Ready::Yes => match typing::deliver(engine, row, message).await? {
                Outcome::Over => {}
                Outcome::Refused(why) => {
                    tries.refused += 1;
                    refused(engine, id, message.id, tries.refused, &why).await?;
                }
            },
        }
    }
}

/// Lets a message whose bytes the program refused wait for another try; after the last one it has failed.
async fn refused(
    engine: &Engine,
    id: &SessionId,
    message: i64,
    times: u32,
    why: &str,
) -> Result<(), ApiError> {
    let state = match times < TRIES {
        true => MessageState::Queued,
        false => MessageState::Failed,
    };
    engine
        .ledger
        .write(|draft| message_state::set(draft, id, message, state, why))
        .await?;
    if state == MessageState::Queued {
        // Does not wait for the next change: the write above was one.
        tokio::time::sleep(AGAIN).await;
    }
    Ok(())
}

/// Determines what can be done with the message now.
async fn look(
    engine: &Engine,
    row: &SessionRow,
    message: &MessageRow,
    tries: &Tries,
    signals: &Signals,
) -> Result<Ready, ApiError> {
    let agent = engine.agent(&row.agent)?;
    let now = Timestamp::now();
    if let Some(until) = limits::holds(&engine.config().usage_limits, row, message, now) {
        let why = format!("usage limit until {}", limits::clock(until, now));
        return Ok(Ready::No(why, Some(limits::rest(until, now))));
    }
    let settled = *signals.settled.borrow();
    let ready = match delivery::by_status(row, &agent, message, settled, now) {
        Ready::Interrupt if tries.cannot_interrupt => {
            let why = "the interrupt key did not stop the turn; the message waits for its end";
            return Ok(Ready::No(why.into(), None));
        }
        Ready::No(why, again) => return Ok(Ready::No(why, again)),
        ready => ready,
    };
    let not_there = || Ready::No("its terminal is not connected".into(), Some(AGAIN));
    let Ok(link) = link(engine, row) else {
        return Ok(not_there());
    };
    let Ok(shown) = screen::look(engine, &row.id, &link).await else {
        return Ok(not_there());
    };
    let left = mailbox::left(&engine.ledger.state(), &row.id);
    let last = mailbox::last_prompt(&engine.ledger.state(), &row.id);
    Ok(
        match delivery::by_screen(
            &agent,
            delivery::to_draw(row, now),
            &shown,
            &left,
            last.as_deref(),
        ) {
            Ready::TakeOut if tries.taken_out >= TRIES => {
                let why = "its text is in the prompt and cannot be removed from there";
                Ready::No(why.into(), None)
            }
            Ready::Yes => match delivery::awaited(row, now).filter(|rest| !rest.is_zero()) {
                Some(rest) => Ready::No(delivery::AWAITED.into(), Some(rest)),
                None => ready,
            },
            no => no,
        },
    )
}

/// Resolves a message that a previous engine began to type. It is not typed again unless its text still
/// is in the prompt and can be removed.
async fn look_for(
    engine: &Engine,
    row: &SessionRow,
    message: i64,
    signals: &mut Signals,
) -> Result<(), ApiError> {
    let until = tokio::time::Instant::now() + FOUND;
    let has_hooks = engine.agent(&row.agent).is_ok_and(|agent| agent.has_hooks());
    let text = mailbox::open(&engine.ledger.state(), &row.id)
        .find(|row| row.id == message)
        .map(|row| row.text.clone());
    while has_hooks && signals::is_typing(engine, &row.id, message) {
        let over = engine.row(&row.id)?.status.is_ended();
        let rest = until.saturating_duration_since(tokio::time::Instant::now());
        if over || rest.is_zero() {
            break;
        }
        signals.next(Some(rest)).await;
    }
    let left = |agent: &Manifest, shown: &Text| {
        let text = text.as_deref().unwrap_or_default();
        given_back::is_left(agent, shown, text)
    };
    // Text that is still in the prompt was certainly not taken, so it is typed again.
    let is_out = signals::is_typing(engine, &row.id, message)
        && given_back::take_out(engine, row, left).await.unwrap_or(false);
    if is_out {
        let detail = "Downbeat exited while typing it; the text was removed and will be typed again";
        return engine
            .ledger
            .write(|draft| message_state::set(draft, &row.id, message, MessageState::Queued, detail))
            .await;
    }
    let detail = "Downbeat exited while typing it; nothing shows that the agent accepted it";
    engine
        .ledger
        .write(|draft| message_state::set(draft, &row.id, message, MessageState::Uncertain, detail))
        .await?;
    point("message-delivered");
    Ok(())
}
