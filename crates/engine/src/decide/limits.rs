//! Usage limits of agents: which sessions wait for one, and when they continue. The time is decided by
//! [`downbeat_model::usage_limit`]; this file supplies the clock. The message that continues a session goes
//! through its queue, in the transaction that records it, so that it is sent once, whatever ends when.
//! [`crate::reactors::resume_after_limits`] looks in time.

use crate::decide::mailbox::New;
use crate::decide::{mailbox, reason};
use crate::host::config::UsageLimits;
use crate::session::retry;
use crate::state::draft::Draft;
use crate::state::known::State;
use downbeat_model::{EventKind, Limited, Sender, SessionId, Status, When};
use downbeat_store::{MessageRow, SessionRow};
use downbeat_wire::{ApiError, Code};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use std::time::Duration;

/// The message to an agent after a limit.
const GO_ON: &str = "continue";

/// The time between two looks at the clock while a session has a limit.
pub const CHECK: Duration = Duration::from_secs(30);

/// Stands for a message if the queue is full: the session continues with the messages that wait.
const NO_MESSAGE: i64 = 0;

/// Returns the limit that keeps a session waiting.
pub(crate) fn of(row: &SessionRow) -> Option<&Limited> {
    let waits = row.status == Status::Waiting && row.intent.is_none();
    row.observed.as_ref().filter(|_| waits)?.limit.as_ref()
}

/// Returns the time until which a message waits for the end of a limit. A message for now does not wait; if
/// the session continues by itself, its own message comes first.
pub fn holds(
    config: &UsageLimits,
    row: &SessionRow,
    message: &MessageRow,
    now: Timestamp,
) -> Option<Timestamp> {
    let limited = of(row).filter(|_| message.mode != When::Now)?;
    let first = limited.message.is_none() && by_itself(row, config.go_on);
    let over = limited.over_at(config.margin()).filter(|_| first);
    limited.holds(config.margin(), now).or(over)
}

/// Formats a moment as people read it: `15:01`, with its day if that is not today.
pub fn clock(at: Timestamp, now: Timestamp) -> String {
    let (at, now) = (at.to_zoned(TimeZone::system()), now.to_zoned(TimeZone::system()));
    let form = match at.date() == now.date() {
        true => "%H:%M",
        false => "%a %-d %b, %H:%M",
    };
    at.strftime(form).to_string()
}

pub(crate) fn by_itself(row: &SessionRow, setting: bool) -> bool {
    row.hold.go_on.unwrap_or(setting)
}

/// Returns the sessions that are to continue now, and when the next one is to.
pub(crate) fn due(
    state: &State,
    config: &UsageLimits,
    now: Timestamp,
) -> (Vec<SessionId>, Option<Timestamp>) {
    let (mut due, mut next) = (Vec::new(), None);
    for row in state.sessions.values().filter(|row| by_itself(row, config.go_on)) {
        let Some(limited) = of(row).filter(|limited| limited.message.is_none()) else {
            continue;
        };
        match limited.over_at(config.margin()) {
            Some(over) if over <= now => due.push(row.id.clone()),
            Some(over) => next = next.into_iter().chain([over]).min(),
            None => {}
        }
    }
    (due, next)
}

/// Returns how long to wait for a moment before the clock is looked at again.
pub fn rest(until: Timestamp, now: Timestamp) -> Duration {
    match Duration::try_from(until.duration_since(now)) {
        Ok(rest) if !rest.is_zero() => rest.min(CHECK),
        _ => CHECK,
    }
}

pub(crate) fn go_on_if_due(draft: &mut Draft, config: &UsageLimits, id: &SessionId) -> Result<(), ApiError> {
    let now = draft.now();
    let is_due = of(draft.session(id)?).is_some_and(|limited| limited.is_due(config.margin(), now));
    if is_due { put(draft, id) } else { Ok(()) }
}

/// Puts the message that continues a session before all others in its queue, after a limit or an interrupted
/// turn.
pub fn put(draft: &mut Draft, id: &SessionId) -> Result<(), ApiError> {
    let new = New {
        text: GO_ON.into(),
        sender: Sender::Downbeat,
        when: When::WhenReady,
        is_task: false,
    };
    let number = match mailbox::enqueue(draft, id, new) {
        Ok(number) => {
            mailbox::put_first(draft, id, number)?;
            number
        }
        Err(error) if error.code == Code::Conflict => NO_MESSAGE,
        Err(error) => return Err(error),
    };
    let row = draft.session(id)?;
    if let Some(limited) = row.observed.as_mut().and_then(|seen| seen.limit.as_mut()) {
        limited.message = Some(number);
    }
    draft.session_event(id, EventKind::SessionChanged, serde_json::Value::Null);
    Ok(())
}

pub(crate) fn live<'a>(draft: &'a mut Draft, id: &SessionId) -> Result<&'a mut SessionRow, ApiError> {
    let row = draft.session(id)?;
    if row.status.is_ended() {
        let what = format!("{} has ended: {}", row.name, row.status.as_str());
        return Err(ApiError::new(Code::Conflict, what).hint("resume it first"));
    }
    Ok(row)
}

pub(crate) fn now(draft: &mut Draft, id: &SessionId) -> Result<(), ApiError> {
    let at = draft.now();
    let row = live(draft, id)?;
    let Some(limited) = of(row) else {
        let what = format!(
            "{} is not paused or rate limited; it is {}",
            row.name,
            reason::says(row)
        );
        return Err(ApiError::new(Code::Conflict, what).hint("send it a message instead"));
    };
    let put_before = limited.message;
    if retry::retries_at(row, at).is_some() {
        let is_put = |row: &MessageRow| row.sender == Sender::Downbeat && row.text == GO_ON;
        if mailbox::open(draft.state(), id).any(|row| is_put(row)) {
            return Ok(());
        }
        // The message cuts the agent's own next try short, which also ends the limit: the message stays.
        let new = New {
            text: GO_ON.into(),
            sender: Sender::Downbeat,
            when: When::Now,
            is_task: false,
        };
        return mailbox::enqueue(draft, id, new).map(drop);
    }
    // Requested twice, the session continues once.
    match put_before.is_some_and(|number| mailbox::open(draft.state(), id).any(|row| row.id == number)) {
        true => Ok(()),
        false => put(draft, id),
    }
}

/// Records that the session is not to continue after all.
pub(crate) fn take_back(draft: &mut Draft, id: &SessionId) -> Result<(), ApiError> {
    let limited = of(draft.session(id)?).cloned();
    let Some(limited) = limited else { return Ok(()) };
    mailbox::over(draft, id, &limited);
    let typed = limited
        .message
        .is_some_and(|number| mailbox::open(draft.state(), id).any(|row| row.id == number));
    let row = draft.session(id)?;
    if let Some(limited) = row.observed.as_mut().and_then(|seen| seen.limit.as_mut())
        && !typed
    {
        limited.message = None;
    }
    Ok(())
}

#[cfg(test)]
#[path = "limits_tests.rs"]
mod tests;
