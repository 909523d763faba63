//! Changes the state of a message (typed, delivered, uncertain, failed or removed), with the effects on its
//! session.

use crate::decide::{exchanges, mailbox, message_turns, notices, observe, status};
use crate::session::hold;
use crate::state::draft::Draft;
use downbeat_model::{About, EvidenceSource, Fact, FactKind, MessageState, SessionId};
use downbeat_store::SessionRow;
use downbeat_wire::ApiError;
use downbeat_wire::notice::NoticeKind;

/// Takes the first message of a queue out to be typed, if its session is still as `seen`; returns its present
/// text.
pub fn begin(draft: &mut Draft, seen: &SessionRow, id: i64) -> Result<Option<String>, ApiError> {
    let row = draft.session(&seen.id)?;
    let asks = row.open_question().is_some();
    if row.status != seen.status || row.intent != seen.intent || row.hold != seen.hold || asks {
        return Ok(None);
    }
    let first = mailbox::open(draft.state(), &seen.id).next();
    if first.is_none_or(|first| first.id != id || first.state != MessageState::Queued) {
        return Ok(None);
    }
    set(draft, &seen.id, id, MessageState::Typing, "")?;
    mailbox::find(draft, &seen.id, id).map(|row| Some(row.text.clone()))
}

/// Records the state of a message, and notifies the person of trouble. Does nothing to a message that was
/// closed meanwhile, or is no longer there.
pub fn set(
    draft: &mut Draft,
    session: &SessionId,
    id: i64,
    state: MessageState,
    detail: &str,
) -> Result<(), ApiError> {
    let now = draft.now();
    let Ok(row) = mailbox::find(draft, session, id) else {
        return Ok(());
    };
    if !row.state.is_open() {
        return Ok(());
    }
    (row.state, row.detail, row.changed_at) = (state, detail.to_owned(), now);
    let (text, is_task, sender) = (row.text.clone(), row.is_task, row.sender.clone());
    mailbox::prune(draft.queue(session));
    mailbox::tell(draft, session, id, state);
    if state == MessageState::Delivered {
        message_turns::brought(draft, session, (id, &text), now);
        if !is_task {
            exchanges::took(draft, session, &sender)?;
        }
        works(draft, session)?;
    }
    if is_task && !state.is_open() {
        awaits_no_prompt(draft, session)?;
    }
    let what = match is_task {
        true => "its task".to_owned(),
        false => format!("a message ({})", mailbox::beginning(&text)),
    };
    match state {
        MessageState::Uncertain => {
            let text = format!(
                "{what} may not have arrived: check its terminal, and send it again if it is missing"
            );
            notices::notify(draft, session, NoticeKind::NeedsInput, text)
        }
        MessageState::Failed => {
            let text = format!("{what} was not delivered: {detail}");
            notices::notify(draft, session, NoticeKind::Failed, text)
        }
        MessageState::Queued | MessageState::Typing | MessageState::Delivered | MessageState::Interrupted => {
            Ok(())
        }
    }
}

/// Records that an agent for which no hook speaks took a message: a limit that it reported before may be
/// over.
fn works(draft: &mut Draft, session: &SessionId) -> Result<(), ApiError> {
    let at = draft.now();
    let row = draft.session(session)?;
    if row.observed.as_ref().is_none_or(|seen| seen.limit.is_none()) {
        return Ok(());
    }
    let fact = Fact {
        at,
        source: EvidenceSource::Engine,
        detail: "a message was delivered".into(),
        kind: FactKind::Working,
        about: About::default(),
    };
    observe::note(draft, session, &fact)
}

/// Removes a message.
pub fn remove(draft: &mut Draft, session: &SessionId, id: i64) -> Result<(), ApiError> {
    mailbox::take_off(draft, session, id)?;
    awaits_no_prompt(draft, session)
}

/// Shows a session as it was observed once its first prompt is not on its way any more.
pub fn awaits_no_prompt(draft: &mut Draft, id: &SessionId) -> Result<(), ApiError> {
    if mailbox::has_task(draft.state(), id) {
        return Ok(());
    }
    let row = draft.session(id)?;
    match row.observed.clone() {
        Some(seen) if row.is_up_at_start() => {
            let (status, evidence) = hold::shown(row, &seen);
            status::set(draft, id, status, evidence)
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
#[path = "message_state_tests.rs"]
mod tests;
