//! Which other sessions' worktrees change the same files, as it was last seen. Not how that is found out.

use crate::SessionId;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// The number of sessions that one is noted to collide with.
pub const SESSIONS: usize = 8;

/// The number of files that are named of a collision.
pub const FILES: usize = 10;

/// The number of sessions about which a conductor was told that are remembered.
const TOLD: usize = 100;

/// A file that two sessions changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct CollidingFile {
    /// Where, relative to the workspace. Not shown as it is: it may contain control characters.
    pub path: String,
    /// Whether both changed the same place: the same lines, or lines with at most three between them.
    pub same_place: bool,
    /// Whether a merge of both conflicts here.
    pub conflicts: bool,
}

/// What a session and another one both changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct Collision {
    /// The other session.
    pub session: SessionId,
    /// The files, conflicts first, then those with changes at the same place; at most ten.
    pub files: Vec<CollidingFile>,
    /// The number of files in all.
    pub file_count: u32,
    /// Whether both changed the same place in a file.
    pub same_place: bool,
    /// Whether a merge of both conflicts.
    pub conflicts: bool,
    /// When it was seen.
    #[ts(type = "string")]
    pub at: Timestamp,
}

impl Collision {
    /// Returns the collision as the other session sees it.
    #[must_use]
    pub fn seen_by_other(&self, own: &SessionId) -> Self {
        Self {
            session: own.clone(),
            ..self.clone()
        }
    }

    /// Whether both changed the same place, or a merge of both conflicts.
    #[must_use]
    pub fn is_at_same_place(&self) -> bool {
        self.conflicts || self.same_place
    }

    /// Whether both are about the same, whenever they were seen.
    #[must_use]
    pub fn says_the_same(&self, other: &Self) -> bool {
        let at = self.at;
        *self == Self { at, ..other.clone() }
    }
}

/// The collisions of a session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Collisions {
    /// The time of the count of changes that was compared last with those of other sessions.
    pub compared: Option<Timestamp>,
    /// The sessions that it collides with, at most [`SESSIONS`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub all: Vec<Collision>,
    /// The sessions about which the conductor of both was told.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub told: Vec<SessionId>,
}

impl Collisions {
    /// Whether nothing is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Returns the collision with this session.
    #[must_use]
    pub fn with(&self, id: &SessionId) -> Option<&Collision> {
        self.all.iter().find(|one| one.session == *id)
    }

    /// Puts what was found about another session in place of what was known, and returns whether that is news.
    pub fn put(&mut self, id: &SessionId, found: Option<Collision>) -> bool {
        let Some(found) = found else {
            let before = self.all.len();
            self.all.retain(|one| one.session != *id);
            return self.all.len() < before;
        };
        if let Some(known) = self.all.iter_mut().find(|one| one.session == *id) {
            let is_news = !known.says_the_same(&found);
            *known = found;
            return is_news;
        }
        let has_room = self.all.len() < SESSIONS;
        if has_room {
            self.all.push(found);
        }
        has_room
    }

    /// Notes that the conductor was told about this session, and returns whether that is the first time.
    pub fn tell(&mut self, id: &SessionId) -> bool {
        let is_first = !self.told.contains(id);
        if is_first {
            self.told.push(id.clone());
            let surplus = self.told.len().saturating_sub(TOLD);
            self.told.drain(..surplus);
        }
        is_first
    }
}

#[cfg(test)]
mod tests {
    use super::{CollidingFile, Collision, Collisions, SESSIONS};
    use crate::SessionId;
    use crate::fixture::at;

    fn id(number: usize) -> SessionId {
        SessionId::parse(&format!("s{number:012}")).unwrap()
    }

    fn with(number: usize, second: i64, same_place: bool) -> Collision {
        Collision {
            session: id(number),
            files: vec![CollidingFile {
                path: "a".into(),
                same_place,
                conflicts: false,
            }],
            file_count: 1,
            same_place,
            conflicts: false,
            at: at(second),
        }
    }

    #[test]
    fn only_what_differs_is_news() {
        let mut known = Collisions::default();
        assert!(known.put(&id(1), Some(with(1, 1, false))));
        assert!(!known.put(&id(1), Some(with(1, 2, false))), "another look");
        assert_eq!(known.with(&id(1)).unwrap().at, at(2));
        assert!(known.put(&id(1), Some(with(1, 3, true))));
        assert!(known.with(&id(1)).unwrap().is_at_same_place());
        assert!(known.put(&id(1), None) && !known.put(&id(1), None));
        assert!(known.is_empty());
    }

    #[test]
    fn few_are_kept_and_each_is_told_once() {
        let mut known = Collisions::default();
        for number in 0..SESSIONS + 3 {
            assert_eq!(
                known.put(&id(number), Some(with(number, 1, true))),
                number < SESSIONS
            );
        }
        assert!(known.tell(&id(1)) && !known.tell(&id(1)) && known.tell(&id(2)));
    }

    #[test]
    fn the_other_session_sees_the_same() {
        let seen = with(2, 1, true).seen_by_other(&id(1));
        assert_eq!((&seen.session, seen.file_count), (&id(1), 1));
    }
}
