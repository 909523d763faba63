//! What is known of notifiers while an engine runs: when each was last asked, and about which session; what the person looks
//! at; how often sessions raised notices. Nothing of it is stored. What became of deliveries is: as facts about the notifier.

use crate::state::views::Views;
use downbeat_model::SessionId;
use downbeat_model::delivery::COOL_DOWN;
use downbeat_notifiers::Client;
use jiff::{SignedDuration, Timestamp};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The time in which raised notices are counted.
const MINUTE: SignedDuration = SignedDuration::from_secs(60);

/// The notifiers of an engine.
#[derive(Default)]
pub struct Notifiers {
    /// Sends requests.
    pub client: Client,
    memory: Mutex<Memory>,
    /// One for each notifier, held while it is asked.
    turns: Mutex<BTreeMap<String, Arc<tokio::sync::Mutex<()>>>>,
}

/// What is kept in memory.
#[derive(Debug, Default)]
pub struct Memory {
    /// What the person looks at.
    pub views: Views,
    /// When each notifier was last asked.
    pub asked_at: BTreeMap<String, Timestamp>,
    sent: BTreeMap<(String, SessionId), Timestamp>,
    raised: BTreeMap<Option<SessionId>, Vec<Timestamp>>,
}

impl Notifiers {
    /// Returns the memory. A plain lock: held for a copy only, never across an await.
    pub fn memory(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the lock of a notifier, which is held while it is asked.
    pub fn turn(&self, name: &str) -> Arc<tokio::sync::Mutex<()>> {
        let mut turns = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(turns.entry(name.to_owned()).or_default())
    }
}

impl Memory {
    /// Returns when a message about a session was last sent through a notifier.
    pub fn sent_at(&self, notifier: &str, session: &SessionId) -> Option<Timestamp> {
        self.sent.get(&(notifier.to_owned(), session.clone())).copied()
    }

    /// Records that a message about a session was sent.
    pub fn sent(&mut self, notifier: &str, session: &SessionId, now: Timestamp) {
        self.sent.retain(|_, at| now.duration_since(*at) < COOL_DOWN);
        self.sent.insert((notifier.to_owned(), session.clone()), now);
    }

    /// Counts a notice that a session, or the person, raises. Returns whether it is one too many in this minute.
    pub fn raises_too_many(&mut self, who: Option<&SessionId>, most: usize, now: Timestamp) -> bool {
        self.raised.retain(|_, times| {
            times.retain(|at| *at <= now && now.duration_since(*at) < MINUTE);
            !times.is_empty()
        });
        let times = self.raised.entry(who.cloned()).or_default();
        let too_many = times.len() >= most;
        if !too_many {
            times.push(now);
        }
        too_many
    }
}

#[cfg(test)]
mod tests {
    use super::Memory;
    use crate::state::example::{at, id};

    #[test]
    fn a_session_raises_a_few_notices_a_minute() {
        let mut memory = Memory::default();
        let mut raises = |who: Option<u32>, now| {
            let who = who.map(id);
            !memory.raises_too_many(who.as_ref(), 2, at(now))
        };
        assert!(raises(Some(1), 0) && raises(Some(1), 1));
        assert!(!raises(Some(1), 2), "the third in a minute");
        assert!(raises(Some(2), 2) && raises(None, 2), "others have their own");
        assert!(!raises(Some(1), 59));
        assert!(raises(Some(1), 60), "the first is a minute ago");
        assert!(!raises(Some(1), 60));
        assert!(raises(Some(1), 10), "the clock was set back");
    }

    #[test]
    fn the_last_message_about_a_session_is_known_for_its_cool_down() {
        let mut memory = Memory::default();
        memory.sent("slack", &id(1), at(0));
        memory.sent("phone", &id(1), at(30));
        assert_eq!(memory.sent_at("slack", &id(1)), Some(at(0)));
        memory.sent("phone", &id(2), at(60));
        assert_eq!(memory.sent_at("slack", &id(1)), None);
        assert_eq!(memory.sent_at("phone", &id(1)), Some(at(30)));
    }
}
