//! The list of sessions of a client that follows changes: tells what to request after a change, and merges the answers.
//! Sends no requests itself. The window has its own, `ui/src/state/roster.svelte.ts`.

use crate::Topic;
use crate::event::StreamItem;
use crate::session::{SessionFilter, SessionSummary};
use downbeat_model::{SessionId, Status};
use std::collections::BTreeSet;

/// The most sessions that are requested by id; for more, the whole list is.
const MOST: usize = 64;

/// See the module.
#[derive(Debug, Clone)]
pub struct Roster {
    sessions: Vec<SessionSummary>,
    /// Whether any session may have changed.
    is_stale: bool,
    /// The sessions that changed.
    changed: BTreeSet<SessionId>,
}

impl Default for Roster {
    fn default() -> Self {
        Self {
            sessions: Vec::new(),
            is_stale: true,
            changed: BTreeSet::new(),
        }
    }
}

impl Roster {
    /// Returns the sessions as they were last read, in the order of the sidebar.
    #[must_use]
    pub fn sessions(&self) -> &[SessionSummary] {
        &self.sessions
    }

    /// Notes which sessions are out of date after an item of the event stream.
    pub fn note(&mut self, item: &StreamItem) {
        let StreamItem::Change(change) = item else {
            return self.note_gap();
        };
        self.is_stale |= change.invalidates.contains(&Topic::Sessions);
        if change.invalidates.contains(&Topic::Session) {
            self.changed.extend(change.session_id.clone());
        }
    }

    /// Notes that changes were missed: any session may be out of date.
    pub fn note_gap(&mut self) {
        self.is_stale = true;
    }

    /// Returns whether no session is out of date.
    #[must_use]
    pub fn is_current(&self) -> bool {
        !self.is_stale && self.changed.is_empty()
    }

    /// Returns the request for the sessions that are out of date, of those that match `within`.
    #[must_use]
    pub fn request(&self, within: SessionFilter) -> SessionFilter {
        // A queued session's place depends on the other sessions.
        let queued = self.sessions.iter().filter(|one| one.status == Status::Queued);
        let mut ids = self.changed.clone();
        ids.extend(self.above());
        ids.extend(queued.map(|one| one.id.clone()));
        let few = !self.is_stale && ids.len() <= MOST;
        SessionFilter {
            ids: few.then(|| ids.into_iter().collect()),
            ..within
        }
    }

    /// Returns the sessions above those that changed: whether a conductor waits for its workers depends on them.
    fn above(&self) -> BTreeSet<SessionId> {
        let parent = |id: &SessionId| {
            let known = self.sessions.iter().find(|one| one.id == *id);
            known.and_then(|one| one.parent.clone())
        };
        let mut above = BTreeSet::new();
        for changed in &self.changed {
            let mut next = parent(changed);
            while let Some(id) = next.filter(|id| above.insert(id.clone())) {
                next = parent(&id);
            }
        }
        above
    }

    /// Merges the answer to a request. Requested sessions that are missing from the answer are gone. No change may have been
    /// noted since the request was made.
    pub fn take_up(&mut self, asked: &SessionFilter, fresh: Vec<SessionSummary>) {
        match &asked.ids {
            Some(ids) => self.sessions.retain(|one| !ids.contains(&one.id)),
            None => self.sessions.clear(),
        }
        self.sessions.extend(fresh);
        self.sessions
            .sort_by(|a, b| (a.created_at, &a.id).cmp(&(b.created_at, &b.id)));
        self.is_stale = false;
        self.changed.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Change;
    use downbeat_model::{EventKind, Subject};
    use jiff::Timestamp;

    fn known() -> Vec<SessionSummary> {
        let (all, _): (Vec<SessionSummary>, usize) =
            serde_json::from_str(include_str!("../fixtures/attention.json")).unwrap();
        let second = |(n, one): (i64, SessionSummary)| SessionSummary {
            created_at: Timestamp::from_second(n).unwrap(),
            status: Status::Idle,
            ..one
        };
        (0..).zip(all).map(second).collect()
    }

    fn change(topic: Topic, session: Option<&SessionSummary>) -> StreamItem {
        StreamItem::Change(Change {
            seq: 1,
            at: Timestamp::UNIX_EPOCH,
            kind: EventKind::SessionStatus,
            project_id: None,
            session_id: session.map(|one| one.id.clone()),
            subject: session.map_or(Subject::Engine, |one| Subject::Session(one.id.clone())),
            invalidates: vec![topic],
        })
    }

    fn read(all: &[SessionSummary]) -> Roster {
        let mut roster = Roster::default();
        let asked = roster.request(SessionFilter::default());
        assert_eq!(asked.ids, None, "nothing is known yet");
        roster.take_up(&asked, all.to_vec());
        assert!(roster.is_current());
        roster
    }

    #[test]
    fn of_sessions_that_changed_only_those_are_read_again() {
        let all = known();
        let mut roster = read(&all);
        for one in [&all[2], &all[0], &all[2]] {
            roster.note(&change(Topic::Session, Some(one)));
        }
        roster.note(&change(Topic::Notices, Some(&all[1])));
        let asked = roster.request(SessionFilter::default());
        let mut ids = vec![all[0].id.clone(), all[2].id.clone()];
        ids.sort();
        assert_eq!(asked.ids, Some(ids));
        let fresh = SessionSummary {
            title: "New".into(),
            ..all[0].clone()
        };
        roster.take_up(&asked, vec![fresh.clone()]);
        let mut left = all;
        left.remove(2);
        left[0] = fresh;
        assert_eq!(
            roster.sessions(),
            left,
            "the other one is gone, and the order stays"
        );
    }

    #[test]
    fn the_list_is_read_after_a_gap_and_where_no_session_or_very_many_are_named() {
        let all = known();
        let asks_all = |note: &dyn Fn(&mut Roster)| {
            let mut roster = read(&all);
            note(&mut roster);
            assert!(!roster.is_current());
            assert_eq!(roster.request(SessionFilter::default()).ids, None);
        };
        asks_all(&|roster| roster.note(&StreamItem::Resync { seq: 1 }));
        asks_all(&|roster| roster.note(&change(Topic::Sessions, None)));
        asks_all(&|roster| {
            roster.note(&change(Topic::Session, Some(&all[0])));
            roster.note_gap();
        });
        asks_all(&|roster| {
            for _ in 0..=MOST {
                let id = SessionId::random().unwrap();
                roster.changed.insert(id);
            }
        });
    }

    #[test]
    fn queued_sessions_are_read_with_any_change() {
        let mut all = known();
        all[1].status = Status::Queued;
        let mut roster = read(&all);
        roster.note(&change(Topic::Session, Some(&all[0])));
        let ids = roster.request(SessionFilter::default()).ids.unwrap();
        assert!(ids.contains(&all[1].id) && ids.len() == 2, "{ids:?}");
    }

    #[test]
    fn the_sessions_above_a_changed_one_are_read_with_it() {
        let mut all = known();
        all[1].parent = Some(all[0].id.clone());
        all[2].parent = Some(all[1].id.clone());
        let mut roster = read(&all);
        roster.note(&change(Topic::Session, Some(&all[2])));
        let ids = roster.request(SessionFilter::default()).ids.unwrap();
        let mut expected: Vec<_> = all[..3].iter().map(|one| one.id.clone()).collect();
        expected.sort();
        assert_eq!(ids, expected);
    }
}
