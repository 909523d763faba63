//! Decides which delivery of a notifier is next and what becomes of it, and records what an answer means: the end of a
//! delivery, or its next try, together with the fact about the notifier.

use crate::decide::notices;
use crate::state::addressed::waiting;
use crate::state::draft::Draft;
use crate::state::known::State;
use downbeat_model::delivery::{Delivery, Known, NotifierSeen, Skip, Verdict, judge};
use downbeat_model::effect::{EffectState, Work};
use downbeat_model::{NotifierName, SessionId, Subject};
use downbeat_notifiers::retry::{Outcome, Tried};
use jiff::Timestamp;

/// The next delivery of a notifier.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Next {
    /// The key of its effect.
    pub key: String,
    /// The number of its failed tries.
    pub attempts: u32,
    /// The time from which it is due.
    pub due: Timestamp,
    /// The delivery.
    pub delivery: Delivery,
}

/// When a notifier has something to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum When {
    /// Now.
    Now(Box<Next>),
    /// Not before this time.
    At(Timestamp),
    /// Nothing waits.
    Never,
}

/// Returns what a notifier has to do. While one delivery waits for its next try, the others wait with it.
pub fn next(state: &State, name: &str, now: Timestamp) -> When {
    let held = waiting(state, name).filter(|(_, delivery)| delivery.holds);
    if let Some(until) = held.map(|(effect, _)| effect.not_before).max()
        && until > now
    {
        return When::At(until);
    }
    let due = waiting(state, name).find(|(effect, _)| effect.not_before <= now);
    if let Some((effect, delivery)) = due {
        return When::Now(Box::new(Next {
            key: effect.key.clone(),
            attempts: effect.attempts,
            due: effect.not_before,
            delivery: delivery.clone(),
        }));
    }
    let later = waiting(state, name).map(|(effect, _)| effect.not_before).min();
    later.map_or(When::Never, When::At)
}

/// What the memory of an engine adds to its state.
#[derive(Debug, Clone, Copy, Default)]
pub struct Remembered {
    /// When the session was last in view.
    pub looked_at: Option<Timestamp>,
    /// When a message about the session was last sent through this notifier.
    pub sent_at: Option<Timestamp>,
}

/// Returns what becomes of a delivery that is due.
pub fn verdict(state: &State, next: &Next, remembered: Remembered, now: Timestamp) -> Verdict {
    let delivery = &next.delivery;
    let session = delivery.notice.session_id.as_ref();
    let is_newer = |other: &&Delivery| {
        session.is_some() && other.notice.session_id.as_ref() == session && other.id != delivery.id
    };
    let mut later = waiting(state, &delivery.notifier).map(|(_, other)| other);
    // Those before it were recorded earlier.
    later.find(|other| other.id == delivery.id);
    let known = Known {
        looked_at: remembered.looked_at,
        is_open: is_open(state, session, delivery.question),
        sent_at: remembered.sent_at,
        newer: later.filter(is_newer).map(|other| other.notice.priority).max(),
    };
    judge(delivery, known, now)
}

/// Returns whether the same question is still open.
fn is_open(state: &State, session: Option<&SessionId>, question: Option<Timestamp>) -> bool {
    let row = session.and_then(|id| state.row(id));
    let open = row.and_then(|row| notices::open(row)).map(|(_, since, _)| since);
    question.is_some() && open == question
}

/// Closes a delivery that is not sent.
pub fn skip(draft: &mut Draft, key: &str, why: Skip) {
    let state = match why {
        Skip::Seen | Skip::Answered | Skip::Superseded => EffectState::Done,
        Skip::Expired => EffectState::Dropped,
    };
    draft.change_effect(key, |effect| effect.state = state);
}

/// Lets a delivery wait until then, and others pass it. That is no try.
pub fn postpone(draft: &mut Draft, key: &str, until: Timestamp) {
    draft.change_effect(key, |effect| {
        effect.not_before = until;
        release(&mut effect.work);
    });
}

/// Records what became of a try.
pub fn conclude(draft: &mut Draft, next: &Next, outcome: &Outcome, seen: NotifierSeen) {
    let now = draft.now();
    draft.change_effect(&next.key, |effect| match outcome {
        Outcome::Delivered => effect.state = EffectState::Done,
        Outcome::GaveUp(_) => effect.state = EffectState::Dropped,
        Outcome::Wait(until) => {
            effect.not_before = *until;
            hold(&mut effect.work, next.delivery.unanswered);
        }
        Outcome::Again { at, tried, .. } => {
            (effect.not_before, effect.attempts) = (*at, tried.failed);
            hold(&mut effect.work, tried.unanswered);
        }
    });
    note(draft, &next.delivery.notifier, &after(seen, outcome, now));
}

fn release(work: &mut Work) {
    if let Work::Notify(delivery) = work {
        delivery.holds = false;
    }
}

fn hold(work: &mut Work, unanswered: u32) {
    if let Work::Notify(delivery) = work {
        (delivery.holds, delivery.unanswered) = (true, unanswered);
    }
}

/// Returns what is seen of a notifier after a try.
pub fn after(seen: NotifierSeen, outcome: &Outcome, now: Timestamp) -> NotifierSeen {
    match outcome {
        Outcome::Delivered => seen.delivered(now),
        Outcome::GaveUp(why) => seen.failed(why, true, now),
        Outcome::Again { why, .. } => seen.failed(why, false, now),
        Outcome::Wait(until) => NotifierSeen {
            waits_until: Some(*until),
            ..seen
        },
    }
}

/// Records a fact about a notifier.
pub fn note(draft: &mut Draft, name: &str, seen: &NotifierSeen) {
    if let Some(name) = NotifierName::new(name) {
        draft.fact(&Subject::Notifier(name), None, seen);
    }
}

/// Returns what was tried already of a delivery.
pub fn tried(next: &Next) -> Tried {
    Tried {
        failed: next.attempts,
        unanswered: next.delivery.unanswered,
    }
}

#[cfg(test)]
#[path = "notifying_tests.rs"]
mod tests;
