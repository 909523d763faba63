//! Counts the messages that a conductor and its worker exchange without a change to the worker's code, and decides when the
//! person is told. A commit, a changed file and the person begin the count anew. Holds and ends nothing, and reads no words:
//! two agents that go in circles say something new each time.

use crate::decide::notices;
use crate::state::draft::Draft;
use downbeat_model::session::Exchanges;
use downbeat_model::{EventKind, QuestionKind, Sender, SessionId, Status};
use downbeat_store::SessionRow;
use downbeat_wire::notice::NoticeKind;
use downbeat_wire::{ApiError, Caller};
use serde_json::Value;

/// Records that a session took a message of this sender. A message of Downbeat's own, such as the result of checks, is part of
/// no exchange.
pub fn took(draft: &mut Draft, id: &SessionId, sender: &Sender) -> Result<(), ApiError> {
    match sender {
        Sender::Session(_) => add(draft, id),
        Sender::Person => looked_after(draft, id),
        Sender::Downbeat => Ok(()),
    }
}

/// Records that somebody answered a question on a session's screen. A permission lets the turn continue, so that a conductor
/// that gives many has not said anything yet.
pub fn answered(
    draft: &mut Draft,
    id: &SessionId,
    by: &Caller,
    question: QuestionKind,
) -> Result<(), ApiError> {
    match by {
        Caller::Owner => looked_after(draft, id),
        Caller::Session(_) if question == QuestionKind::Choice => add(draft, id),
        Caller::Session(_) => Ok(()),
    }
}

fn add(draft: &mut Draft, id: &SessionId) -> Result<(), ApiError> {
    let row = draft.session(id)?;
    if row.parent.is_some() {
        row.exchanges.count = row.exchanges.count.saturating_add(1);
    }
    Ok(())
}

/// Records that the person looked after a session: its exchanges, and those of its workers with it, begin anew.
pub fn looked_after(draft: &mut Draft, id: &SessionId) -> Result<(), ApiError> {
    let sessions = draft.state().sessions.values();
    let own = sessions.filter(|row| row.id == *id || row.parent.as_ref() == Some(id));
    let own = own.filter(|row| row.exchanges != row.exchanges.restarted());
    let own: Vec<SessionId> = own.map(|row| row.id.clone()).collect();
    for id in own {
        let next = draft.session(&id)?.exchanges.restarted();
        put(draft, &id, next)?;
    }
    Ok(())
}

/// Records that a session's code was looked at, as it is noted with the session: after a change, its exchanges begin anew.
pub fn seen(draft: &mut Draft, id: &SessionId) -> Result<(), ApiError> {
    let row = draft.session(id)?;
    let Some(changed) = row.changed.as_ref().filter(|_| row.parent.is_some()) else {
        return Ok(());
    };
    let Some(code) = changed.code.clone() else {
        return Ok(());
    };
    let known = &row.exchanges;
    if known.code.as_ref() == Some(&code) {
        return Ok(());
    }
    let is_at_base = row.base.as_ref().map(|base| &base.commit) == changed.commit.as_ref();
    let has_work = !is_at_base || changed.count.is_none_or(|count| count.files > 0);
    // The first look shows no change by itself.
    let counted = match known.code.is_none() && !has_work {
        true => known.clone(),
        false => Exchanges::default(),
    };
    let next = Exchanges {
        code: Some(code),
        ..counted
    };
    put(draft, id, next)
}

/// Records exchanges, with an event if the person was told of those before.
fn put(draft: &mut Draft, id: &SessionId, next: Exchanges) -> Result<(), ApiError> {
    let row = draft.session(id)?;
    let was_raised = row.exchanges.raised_at.is_some() && next.raised_at.is_none();
    row.exchanges = next;
    if was_raised {
        draft.session_event(id, EventKind::SessionChanged, Value::Null);
    }
    Ok(())
}

/// Returns whether a worker's code has to be looked at, because it has had `limit` exchanges and what followed the last of
/// these is over. A limit of 0 is none.
pub fn are_many(row: &SessionRow, limit: u32) -> bool {
    let works = matches!(row.status, Status::Queued | Status::Spawning | Status::Running);
    let known = &row.exchanges;
    // One message more shows that the turn before it is over.
    let is_reached = known.count > limit || (known.count == limit && !works);
    limit > 0 && is_reached && known.raised_at.is_none() && row.parent.is_some() && row.status.is_live()
}

/// Tells the person, once, that a worker and its conductor have had `limit` exchanges without a change to the code. Its code has to
/// have been looked at in the same moment.
pub fn raise(draft: &mut Draft, id: &SessionId, limit: u32) -> Result<(), ApiError> {
    let at = draft.now();
    let row = draft.session(id)?;
    if !are_many(row, limit) || row.exchanges.code.is_none() {
        return Ok(());
    }
    row.exchanges.raised_at = Some(at);
    let text = format!(
        "{} and its conductor have exchanged {} messages without a change to the code",
        row.name, row.exchanges.count
    );
    draft.session_event(id, EventKind::SessionChanged, Value::Null);
    notices::notify(draft, id, NoticeKind::NeedsLook, text)
}

/// Returns what a conductor is told with the next event of a worker, if its exchanges with that worker were raised.
pub fn warning(row: &SessionRow) -> Option<String> {
    row.exchanges.raised_at?;
    let (name, count) = (&row.name, row.exchanges.count);
    Some(format!(
        "You and {name} have exchanged {count} messages without a change to its code, and the person was told. Do not answer in the \
         same way again: look at its output and its changes, then give it the decision that it lacks or a smaller task, or end it."
    ))
}

#[cfg(test)]
#[path = "exchanges_tests.rs"]
mod tests;
