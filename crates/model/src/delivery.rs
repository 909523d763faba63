//! Deliveries: which notifiers get a notice, when it is sent, and when it is not sent at all. Not how it is sent, and not
//! what an answer means.

use crate::notice::NewNotice;
use crate::reactions::NoticePriority;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The name of the notifier that shows notices on this machine. It has no deliveries: the window or `serve` shows them.
pub const DESKTOP: &str = "desktop";

/// The time for which a question has to be open before it is sent: an answer within it spares the message.
pub const DWELL: SignedDuration = SignedDuration::from_secs(5);

/// The shortest time between two messages about a session through one notifier, except for questions and what is urgent.
pub const COOL_DOWN: SignedDuration = SignedDuration::from_secs(60);

/// The time after which a notice that could not be delivered is not news any more.
pub const EXPIRES: SignedDuration = SignedDuration::from_hours(6);

/// The number of deliveries that may wait for one notifier. Beyond it, the oldest one is given up.
pub const MOST_WAITING: usize = 200;

/// A notice on its way to one notifier.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Delivery {
    /// The name of the notifier.
    pub notifier: String,
    /// The identifier of the delivery, the same in each try, by which a receiver recognises a repeat.
    pub id: String,
    /// The notice.
    pub notice: NewNotice,
    /// Since when the question is open that the notice is about, if it is about one.
    #[serde(default)]
    pub question: Option<Timestamp>,
    /// The number of tries of which it is unknown whether they were received.
    #[serde(default)]
    pub unanswered: u32,
    /// Whether it was tried and waits for its next try. All that its notifier gets waits with it.
    #[serde(default)]
    pub holds: bool,
}

/// Which notifiers get the notices of each priority.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Routes(BTreeMap<NoticePriority, Vec<String>>);

impl Routes {
    /// All priorities.
    pub const PRIORITIES: [NoticePriority; 4] = [
        NoticePriority::Urgent,
        NoticePriority::Action,
        NoticePriority::Warning,
        NoticePriority::Info,
    ];

    /// Returns the routes for these notifiers. What `chosen` does not name goes to the desktop, and to all others unless it is
    /// only information.
    #[must_use]
    pub fn of(notifiers: &[String], chosen: &BTreeMap<NoticePriority, Vec<String>>) -> Self {
        let usual = |priority| {
            let others = notifiers.iter().filter(|name| *name != DESKTOP).cloned();
            let others = others.filter(|_| priority > NoticePriority::Info);
            std::iter::once(DESKTOP.to_owned()).chain(others).collect()
        };
        let own = |priority| {
            let chosen = chosen.get(&priority).cloned();
            (priority, chosen.unwrap_or_else(|| usual(priority)))
        };
        Self(Self::PRIORITIES.into_iter().map(own).collect())
    }

    /// Returns the notifiers that get notices of this priority.
    #[must_use]
    pub fn to(&self, priority: NoticePriority) -> &[String] {
        self.0.get(&priority).map_or(&[], Vec::as_slice)
    }

    /// Returns the priorities that a notifier gets, the most urgent first.
    #[must_use]
    pub fn of_notifier(&self, name: &str) -> Vec<NoticePriority> {
        let gets = |priority: &NoticePriority| self.to(*priority).iter().any(|to| to == name);
        Self::PRIORITIES.into_iter().filter(gets).collect()
    }
}

/// Returns the time from which a notice may be sent.
#[must_use]
pub fn due(notice: &NewNotice, is_question: bool) -> Timestamp {
    match is_question {
        true => later(notice.at, DWELL),
        false => notice.at,
    }
}

/// What is known when a delivery is due.
#[derive(Debug, Clone, Copy, Default)]
pub struct Known {
    /// The last time at which the session was in view in a focused window.
    pub looked_at: Option<Timestamp>,
    /// Whether the question of the notice is still open, if it is about one.
    pub is_open: bool,
    /// The time of the last message about the session through this notifier.
    pub sent_at: Option<Timestamp>,
    /// The greatest priority of the newer notices about the session that wait for this notifier.
    pub newer: Option<NoticePriority>,
}

/// What becomes of a delivery that is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It is sent now.
    Send,
    /// It is looked at again then.
    Later(Timestamp),
    /// It is not sent.
    Skip(Skip),
}

/// Why a notice is not sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Skip {
    /// The person was looking at the session.
    Seen,
    /// The question was answered.
    Answered,
    /// A newer notice about the same session is at least as urgent.
    Superseded,
    /// It waited too long.
    Expired,
}

/// Decides what becomes of a delivery that is due.
#[must_use]
pub fn judge(delivery: &Delivery, known: Known, now: Timestamp) -> Verdict {
    let (notice, is_question) = (&delivery.notice, delivery.question.is_some());
    if known.looked_at.is_some_and(|looked| looked >= notice.at) {
        return Verdict::Skip(Skip::Seen);
    }
    if is_question && !known.is_open {
        return Verdict::Skip(Skip::Answered);
    }
    if now.duration_since(notice.at) > EXPIRES {
        return Verdict::Skip(Skip::Expired);
    }
    // A time in the future is one of a clock that was set back since.
    let quiet_until = known
        .sent_at
        .filter(|sent| *sent <= now)
        .map(|sent| later(sent, COOL_DOWN));
    match quiet_until.filter(|until| *until > now) {
        None => Verdict::Send,
        Some(_) if is_question || notice.priority == NoticePriority::Urgent => Verdict::Send,
        Some(_) if known.newer.is_some_and(|newer| newer >= notice.priority) => {
            Verdict::Skip(Skip::Superseded)
        }
        Some(until) => Verdict::Later(until),
    }
}

/// What was last seen of a notifier; each fact about it says all of this.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct NotifierSeen {
    /// When it last took a message.
    pub delivered_at: Option<Timestamp>,
    /// When it last failed to.
    pub failed_at: Option<Timestamp>,
    /// Why it failed, in words, without secrets.
    pub error: Option<String>,
    /// The number of notices that were given up since it last took one.
    pub given_up: u32,
    /// Until when it wants to be left alone.
    pub waits_until: Option<Timestamp>,
}

impl NotifierSeen {
    /// Returns the fact after a delivery.
    #[must_use]
    pub fn delivered(self, now: Timestamp) -> Self {
        Self {
            delivered_at: Some(now),
            given_up: 0,
            waits_until: None,
            ..self
        }
    }

    /// Returns the fact after a failure.
    #[must_use]
    pub fn failed(self, why: &str, gave_up: bool, now: Timestamp) -> Self {
        Self {
            failed_at: Some(now),
            error: Some(why.to_owned()),
            given_up: self.given_up.saturating_add(u32::from(gave_up)),
            waits_until: None,
            ..self
        }
    }

    /// Returns the error, if nothing was delivered since.
    #[must_use]
    pub fn stands(&self) -> Option<&str> {
        let error = self.error.as_deref()?;
        (self.failed_at > self.delivered_at).then_some(error)
    }
}

/// Returns the moment `by` after `at`.
fn later(at: Timestamp, by: SignedDuration) -> Timestamp {
    at.checked_add(by).unwrap_or(Timestamp::MAX)
}

#[cfg(test)]
#[path = "delivery_tests.rs"]
mod tests;
