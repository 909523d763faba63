//! What the person looks at: the session in view in each focused window. Kept in memory only; pages report it again. Pure:
//! the time is passed in.

use downbeat_model::SessionId;
use downbeat_model::delivery::EXPIRES;
use jiff::{SignedDuration, Timestamp};
use std::collections::BTreeMap;

/// The time after which a page that reported nothing is gone.
const GONE: SignedDuration = SignedDuration::from_secs(45);

/// The number of pages that are known; a person has only few, and more are not the person's.
const MOST: usize = 64;

/// What is in view, by page, and when each session was last.
#[derive(Debug, Default)]
pub struct Views {
    pages: BTreeMap<String, (SessionId, Timestamp)>,
    past: BTreeMap<SessionId, Timestamp>,
}

impl Views {
    /// Records what a page reports.
    pub fn report(&mut self, page: &str, session: Option<SessionId>, now: Timestamp) {
        if let Some((before, at)) = self.pages.remove(page) {
            let until = if is_there(at, now) { now } else { at };
            let past = self.past.entry(before).or_insert(until);
            *past = (*past).max(until);
        }
        self.past.retain(|_, at| now.duration_since(*at) < EXPIRES);
        if self.pages.len() >= MOST {
            self.pages.retain(|_, (_, at)| is_there(*at, now));
        }
        if let Some(session) = session.filter(|_| self.pages.len() < MOST) {
            self.pages.insert(page.to_owned(), (session, now));
        }
    }

    /// Returns when a session was last in view.
    pub fn looked_at(&self, session: &SessionId, now: Timestamp) -> Option<Timestamp> {
        let pages = self.pages.values().filter(|(shown, _)| shown == session);
        let pages = pages.map(|(_, at)| if is_there(*at, now) { now } else { *at });
        pages.chain(self.past.get(session).copied()).max()
    }
}

/// Whether a page that reported at `at` is still there. A time in the future is one of a clock that was set back.
fn is_there(at: Timestamp, now: Timestamp) -> bool {
    at <= now && now.duration_since(at) <= GONE
}

#[cfg(test)]
mod tests {
    use super::Views;
    use crate::state::example::{at, id};

    #[test]
    fn a_session_is_looked_at_until_its_page_says_otherwise_or_is_gone() {
        let mut views = Views::default();
        let looked = |views: &Views, number, now| {
            let at = views.looked_at(&id(number), at(now));
            at.map(|at| at.as_second())
        };
        assert_eq!(looked(&views, 1, 0), None);
        views.report("a", Some(id(1)), at(100));
        assert_eq!(looked(&views, 1, 130), Some(130), "in view");
        assert_eq!(looked(&views, 2, 130), None);
        views.report("a", Some(id(2)), at(140));
        assert_eq!(
            (looked(&views, 1, 150), looked(&views, 2, 150)),
            (Some(140), Some(150))
        );
        // The page was closed without a word.
        assert_eq!(looked(&views, 2, 999), Some(140));
        views.report("a", None, at(999));
        assert_eq!(looked(&views, 2, 1000), Some(140));
        // Two pages, one of which loses the focus.
        views.report("b", Some(id(1)), at(1000));
        views.report("c", Some(id(1)), at(1000));
        views.report("b", None, at(1001));
        assert_eq!(looked(&views, 1, 1010), Some(1010));
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let mut views = Views::default();
        for page in 0..200 {
            views.report(&page.to_string(), Some(id(page)), at(0));
        }
        assert_eq!(views.pages.len(), super::MOST);
        for page in 0..200 {
            views.report(&page.to_string(), None, at(1_000_000));
        }
        assert!(views.pages.is_empty() && views.past.is_empty(), "{views:?}");
    }
}
