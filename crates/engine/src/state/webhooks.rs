//! What is known of webhooks while an engine runs: what they named and was not asked for yet, and how many arrive. A hint that is
//! lost with the engine is made up by the next look of the schedule.

use downbeat_forge::schedule::hinted_from;
use downbeat_forge::{RepositoryName, webhook};
use jiff::{SignedDuration, Timestamp};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

/// The maximum number of webhooks that are checked in a minute, genuine or not.
const MOST: usize = 600;

/// The time in which they are counted.
const MINUTE: SignedDuration = SignedDuration::from_secs(60);

/// The most pull requests, and the most commits, that wait for one repository. Beyond that, its lists are asked.
const MOST_NAMED: usize = 100;

/// The number of webhooks in the last minute.
#[derive(Default)]
pub struct Arrivals(Mutex<Vec<Timestamp>>);

impl Arrivals {
    /// Counts a webhook. Returns whether it is one too many.
    pub fn is_too_many(&self, now: Timestamp) -> bool {
        let mut times = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        times.retain(|at| *at <= now && now.duration_since(*at) < MINUTE);
        let is_too_many = times.len() >= MOST;
        if !is_too_many {
            times.push(now);
        }
        is_too_many
    }
}

/// What webhooks named in a repository.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Named {
    /// The numbers of pull requests.
    pub pulls: BTreeSet<u64>,
    /// Commits.
    pub commits: BTreeSet<String>,
    /// Whether more were named than are kept.
    pub is_more: bool,
}

/// What webhooks of one forge named and was not asked for yet.
#[derive(Default)]
pub struct Hints(Mutex<Waiting>);

#[derive(Default)]
struct Waiting {
    by_repository: BTreeMap<RepositoryName, Named>,
    /// When the forge was asked because of hints.
    looks: Vec<Timestamp>,
    /// Whether somebody follows them.
    is_followed: bool,
}

/// What to do about hints.
#[derive(Debug, PartialEq, Eq)]
pub enum Next {
    /// Nothing waits any more.
    Rest,
    /// Wait until this time.
    Wait(Timestamp),
    /// Ask for this now.
    Ask(BTreeMap<RepositoryName, Named>),
}

impl Hints {
    /// Adds a hint. Returns whether somebody has to begin to follow hints.
    pub fn add(&self, hint: webhook::Named) -> bool {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let named = waiting
            .by_repository
            .entry(hint.repository.repository)
            .or_default();
        named.pulls.extend(hint.pulls);
        named.commits.extend(hint.commits);
        named.is_more |= named.pulls.len() > MOST_NAMED || named.commits.len() > MOST_NAMED;
        while named.pulls.len() > MOST_NAMED {
            named.pulls.pop_first();
        }
        while named.commits.len() > MOST_NAMED {
            named.commits.pop_first();
        }
        !std::mem::replace(&mut waiting.is_followed, true)
    }

    /// Notes that nobody follows hints any more.
    pub fn leave(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_followed = false;
    }

    /// Returns what to do now.
    pub fn next(&self, now: Timestamp) -> Next {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting.by_repository.is_empty() {
            waiting.is_followed = false;
            return Next::Rest;
        }
        let from = hinted_from(&mut waiting.looks, now);
        if from > now {
            return Next::Wait(from);
        }
        waiting.looks.push(now);
        Next::Ask(std::mem::take(&mut waiting.by_repository))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::example::at;
    use downbeat_forge::RemoteAddress;

    fn hint(pulls: impl IntoIterator<Item = u64>) -> webhook::Named {
        webhook::Named {
            repository: RemoteAddress::parse("https://github.com/acme/shop").unwrap(),
            pulls: pulls.into_iter().collect(),
            commits: BTreeSet::new(),
        }
    }

    #[test]
    fn hints_that_arrive_together_are_one_look_and_follow_each_other_slowly() {
        let hints = Hints::default();
        assert!(hints.add(hint([1])));
        assert!(!hints.add(hint([2])), "somebody follows them already");
        let Next::Ask(named) = hints.next(at(0)) else {
            panic!()
        };
        assert_eq!(named.values().next().unwrap().pulls, BTreeSet::from([1, 2]));
        assert!(!hints.add(hint([1])));
        assert_eq!(hints.next(at(1)), Next::Wait(at(2)));
        assert!(matches!(hints.next(at(2)), Next::Ask(_)));
        assert_eq!(hints.next(at(2)), Next::Rest);
        assert!(hints.add(hint(1..=500)), "nobody follows them any more");
        let Next::Ask(named) = hints.next(at(60)) else {
            panic!()
        };
        let named = named.values().next().unwrap();
        assert!(named.pulls.len() == 100 && named.is_more);
    }

    #[test]
    fn a_bounded_number_is_checked_in_a_minute() {
        let arrivals = Arrivals::default();
        assert!((0..MOST).all(|_| !arrivals.is_too_many(at(0))));
        assert!(arrivals.is_too_many(at(59)));
        assert!(!arrivals.is_too_many(at(60)));
    }
}
