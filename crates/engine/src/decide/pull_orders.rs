//! Orders to open or change a pull request: records them, what is known before the forge is asked, and their ends. Pure.

use crate::decide::notices;
use crate::state::draft::Draft;
use crate::state::known::State;
use crate::state::requests;
use downbeat_model::effect::{Effect, EffectState, Work};
use downbeat_model::pull::{Ordered, PullChange, PullDone, PullOrder, Sent};
use downbeat_model::{SessionId, Subject};
use downbeat_wire::notice::NoticeKind;
use downbeat_wire::{ApiError, Code};

/// Returns the order of a waiting effect.
pub fn waiting<'a>(state: &'a State, key: &str) -> Option<(&'a Effect, &'a PullOrder)> {
    let effect = state.effects.iter().find(|effect| effect.key == key)?;
    match &effect.work {
        Work::Pull(order) => Some((effect, order)),
        _ => None,
    }
}

/// Returns the keys of the waiting orders of a session, the oldest first, without one of the same content, which would be taken up.
pub fn before(state: &State, session: &SessionId, what: &Ordered) -> Vec<String> {
    let mut earlier: Vec<_> = state
        .effects
        .iter()
        .filter(|effect| match &effect.work {
            Work::Pull(order) => order.session == *session && order.what != *what,
            _ => false,
        })
        .collect();
    earlier.sort_by_key(|effect| effect.created_at);
    earlier.into_iter().map(|effect| effect.key.clone()).collect()
}

/// Records an order, and returns the key of its effect. One that waits already, because an answer was lost, is taken up instead
/// of being given twice.
///
/// # Errors
/// Fails if the session is gone.
pub fn record(draft: &mut Draft, session: &SessionId, what: Ordered) -> Result<String, ApiError> {
    draft.session(session)?;
    let same = |effect: &Effect| match &effect.work {
        Work::Pull(order) => order.session == *session && order.what == what,
        _ => false,
    };
    let known = draft.state().effects.iter().find(|effect| same(effect));
    let key = match known {
        Some(effect) => effect.key.clone(),
        None => {
            let now = draft.now();
            let key = format!("pull:{session}:{}", now.as_nanosecond());
            let order = PullOrder {
                session: session.clone(),
                what,
                sent: None,
                done: None,
            };
            let subject = Subject::Session(session.clone());
            let work = Work::Pull(Box::new(order));
            draft.carry_out(Effect::new(key.clone(), subject, work, now));
            key
        }
    };
    draft.effect(requests::Effect::Pull(key.clone()));
    Ok(key)
}

/// Records that the request is about to be sent, with what the forge has before it.
///
/// # Errors
/// Fails if the order was dropped meanwhile: then nothing may be sent.
pub fn sending(draft: &mut Draft, key: &str, sent: Sent) -> Result<(), ApiError> {
    if waiting(draft.state(), key).is_none() {
        return Err(ApiError::new(Code::Conflict, "its session was removed meanwhile"));
    }
    draft.change_effect(key, |effect| {
        if let Work::Pull(order) = &mut effect.work {
            order.sent.get_or_insert(sent);
        }
    });
    Ok(())
}

/// Records the result.
pub fn conclude(draft: &mut Draft, key: &str, done: &PullDone) {
    draft.change_effect(key, |effect| {
        effect.state = EffectState::Done;
        if let Work::Pull(order) = &mut effect.work {
            order.done = Some(done.clone());
        }
    });
}

/// Drops an order that whoever gave it was told about.
pub fn refuse(draft: &mut Draft, key: &str) {
    draft.change_effect(key, |effect| effect.state = EffectState::Dropped);
}

/// Drops an order that nobody waits for any more, and notifies the person.
///
/// # Errors
/// Fails if the notice cannot be written.
pub fn give_up(draft: &mut Draft, key: &str, why: &str) -> Result<(), ApiError> {
    let Some((_, order)) = waiting(draft.state(), key) else {
        return Ok(());
    };
    let (session, text) = (order.session.clone(), format!("{}: {why}", failure(&order.what)));
    refuse(draft, key);
    match draft.state().sessions.contains_key(&session) {
        true => notices::notify(draft, &session, NoticeKind::NeedsLook, text),
        false => Ok(()),
    }
}

/// Says what did not happen.
fn failure(what: &Ordered) -> String {
    let (number, change) = match what {
        Ordered::Open(new) => return format!("No pull request was opened for {}", new.branch),
        Ordered::Change { number, change, .. } => (number, change),
    };
    let what = match change {
        PullChange::Edit { .. } => "was not changed",
        PullChange::Comment { .. } => "did not get the comment",
        PullChange::Reply { .. } => "did not get the reply",
        PullChange::Resolve { .. } => "did not get its thread resolved or reopened",
        PullChange::Label { .. } => "did not get its labels changed",
        PullChange::RequestReview { .. } => "did not get its review requested",
        PullChange::Draft { draft: true } => "was not made a draft",
        PullChange::Draft { draft: false } => "was not made ready for review",
        PullChange::Close => "was not closed",
    };
    format!("Pull request #{number} {what}")
}

#[cfg(test)]
#[path = "pull_orders_tests.rs"]
mod tests;
