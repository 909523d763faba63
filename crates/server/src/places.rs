//! Limits how many requests, waits among them, and WebSockets one session may have in progress, so that an
//! agent in a loop cannot lock the person out. The person has no such limit. The maximum number of
//! connections is in [`crate::connections`].

use downbeat_model::SessionId;
use downbeat_wire::{ApiError, Caller, Code};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The kind of a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    /// A request in progress, of any sort.
    Request,
    /// A request that waits for workers, perhaps for an hour. It takes the place of a request, too.
    Wait,
    /// An open WebSocket.
    Socket,
}

impl Kind {
    /// Returns the number of places of one session. An agent sends one request at a time; a few more are for
    /// sub-agents and shells. Waits leave places for other requests.
    const fn most(self) -> usize {
        match self {
            Self::Request | Self::Socket => 8,
            Self::Wait => 4,
        }
    }

    /// Returns the number of places of all sessions together. Fewer than there are connections: the rest is
    /// for the person.
    const fn most_in_all(self) -> usize {
        match self {
            Self::Request | Self::Socket => 96,
            Self::Wait => 72,
        }
    }

    const fn words(self) -> &'static str {
        match self {
            Self::Request => "requests under way",
            Self::Wait => "waits under way",
            Self::Socket => "open streams",
        }
    }
}

/// The places in use by each session. Locked only for counting.
#[derive(Debug, Clone, Default)]
pub(crate) struct Places(Arc<Mutex<Counts>>);

#[derive(Debug, Default)]
struct Counts {
    of: HashMap<(SessionId, Kind), usize>,
    all: HashMap<Kind, usize>,
}

/// A place, which is freed when this is dropped. The person's is not counted.
#[derive(Debug)]
#[must_use = "dropping it frees the place"]
pub(crate) struct Place(Option<(Places, SessionId, Kind)>);

impl Places {
    /// Takes a place for a caller, or refuses with the limit that was reached.
    pub(crate) fn take(&self, caller: &Caller, kind: Kind) -> Result<Place, ApiError> {
        let Caller::Session(id) = caller else {
            return Ok(Place(None));
        };
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let own = counts.of.get(&(id.clone(), kind)).copied().unwrap_or_default();
        let all = counts.all.get(&kind).copied().unwrap_or_default();
        let refuse = |whose: &str, most: usize| {
            let what = format!("{whose} {most} {} already", kind.words());
            ApiError::new(Code::LimitReached, what).hint("try again once one of them has ended")
        };
        if own >= kind.most() {
            return Err(refuse("this session has", kind.most()));
        }
        if all >= kind.most_in_all() {
            return Err(refuse("sessions have", kind.most_in_all()));
        }
        counts.of.insert((id.clone(), kind), own + 1);
        counts.all.insert(kind, all + 1);
        Ok(Place(Some((self.clone(), id.clone(), kind))))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let Some((places, id, kind)) = self.0.take() else {
            return;
        };
        let mut counts = places.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(all) = counts.all.get_mut(&kind) {
            *all = all.saturating_sub(1);
        }
        let key = (id, kind);
        match counts.of.get_mut(&key) {
            Some(own) if *own > 1 => *own -= 1,
            _ => drop(counts.of.remove(&key)),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failure here is a failed test")]
    use super::*;

    fn session(n: u32) -> Caller {
        Caller::Session(SessionId::parse(&format!("s{n:012}")).unwrap())
    }

    #[test]
    fn a_session_has_a_limit_of_places_and_frees_dropped_ones() {
        let places = Places::default();
        let mut held: Vec<_> = (0..8)
            .map(|_| places.take(&session(1), Kind::Request).unwrap())
            .collect();
        let refused = places.take(&session(1), Kind::Request).unwrap_err();
        assert_eq!(refused.code, Code::LimitReached);
        assert!(places.take(&session(1), Kind::Socket).is_ok());
        assert!(places.take(&session(2), Kind::Request).is_ok());
        held.pop();
        held.push(places.take(&session(1), Kind::Request).unwrap());
        drop(held);
        assert!(places.0.lock().unwrap().of.is_empty());
    }

    #[test]
    fn all_sessions_together_leave_places_for_the_person() {
        let places = Places::default();
        let held: Vec<_> = (0..12)
            .flat_map(|n| (0..8).map(move |_| n))
            .map(|n| places.take(&session(n), Kind::Request).unwrap())
            .collect();
        assert!(places.take(&session(99), Kind::Request).is_err());
        let owner: Vec<_> = (0..200)
            .map(|_| places.take(&Caller::Owner, Kind::Request).unwrap())
            .collect();
        assert_eq!((held.len(), owner.len()), (96, 200));
    }
}
