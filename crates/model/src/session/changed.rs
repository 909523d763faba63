//! How much a session's worktree changed, as it was last counted, and the commits at which its turns ended. Not the changes
//! themselves, which are read from the worktree when somebody asks.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// The number of ends of turns that are kept.
const TURNS: usize = 20;

/// How much a worktree changed against its base, committed or not.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct ChangeCount {
    /// How many files differ.
    pub files: u32,
    /// Lines that were added, in all files whose lines can be counted.
    #[ts(type = "number")]
    pub added: u64,
    /// Lines that were removed.
    #[ts(type = "number")]
    pub removed: u64,
    /// Whether there are more changes than could be counted in time; the numbers are then the least that there are.
    pub is_many: bool,
}

/// The end of a turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct TurnEnd {
    /// Which end of a turn it is, from 1.
    pub number: u32,
    /// When the turn ended.
    #[ts(type = "string")]
    pub at: Timestamp,
    /// The commit that the worktree was at.
    pub commit: String,
}

/// What was counted of a session's worktree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Changed {
    /// How much changed; `None` if it could not be read.
    pub count: Option<ChangeCount>,
    /// The time of the count.
    pub at: Timestamp,
    /// The commit that the worktree was at.
    pub commit: Option<String>,
    /// The files that changed, at most 300; a renamed file has both of its names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// A hash of the commit and of the size and time of each changed file: it is another one after each change of the code,
    /// and perhaps after a change that was taken back. `None` if it could not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// When a person changed something in the worktree through Downbeat that was not counted since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stale_since: Option<Timestamp>,
    /// The ends of the latest turns, the oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub turns: Vec<TurnEnd>,
}

impl Changed {
    /// Returns what is known after another count. `ended` is the time at which a turn ended before it, if one did.
    #[must_use]
    pub fn counted(
        before: Option<&Self>,
        count: Option<ChangeCount>,
        commit: Option<String>,
        ended: Option<Timestamp>,
        at: Timestamp,
    ) -> Self {
        let mut turns = before.map(|before| before.turns.clone()).unwrap_or_default();
        if let (Some(ended), Some(commit)) = (ended, &commit) {
            let number = turns.last().map_or(0, |last| last.number).saturating_add(1);
            turns.push(TurnEnd {
                number,
                at: ended,
                commit: commit.clone(),
            });
            let surplus = turns.len().saturating_sub(TURNS);
            turns.drain(..surplus);
        }
        // What was counted once is shown until something else is known.
        let count = count.or_else(|| before.and_then(|before| before.count));
        let paths = before.map(|before| before.paths.clone()).unwrap_or_default();
        Self {
            count,
            at,
            commit,
            paths,
            code: None,
            stale_since: None,
            turns,
        }
    }

    /// Returns the same with the files that were counted.
    #[must_use]
    pub fn of_paths(self, paths: Vec<String>) -> Self {
        Self { paths, ..self }
    }

    /// Returns the same with the hash of the code.
    #[must_use]
    pub fn of_code(self, code: String) -> Self {
        Self {
            code: Some(code),
            ..self
        }
    }

    /// Returns the end of the turn before the latest one. While the agent works, the latest turn has not ended.
    #[must_use]
    pub fn turn_before(&self, is_working: bool) -> Option<&TurnEnd> {
        let back = if is_working { 1 } else { 2 };
        let at = self.turns.len().checked_sub(back)?;
        self.turns.get(at)
    }
}

#[cfg(test)]
mod tests {
    use super::{ChangeCount, Changed, TURNS};
    use jiff::Timestamp;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn next(before: Option<&Changed>, commit: &str, ended: Option<i64>) -> Changed {
        Changed::counted(
            before,
            Some(ChangeCount::default()),
            Some(commit.into()),
            ended.map(at),
            at(9),
        )
    }

    #[test]
    fn the_latest_turn_began_where_the_one_before_ended() {
        let none = next(None, "a", None);
        assert_eq!((none.turn_before(false), none.turn_before(true)), (None, None));
        let first = next(Some(&none), "b", Some(1));
        assert_eq!(first.turn_before(false), None, "it began at the base");
        assert_eq!(first.turn_before(true).unwrap().commit, "b");
        let second = next(Some(&first), "c", Some(2));
        let before = second.turn_before(false).unwrap();
        assert_eq!((before.number, &*before.commit), (1, "b"));
        assert_eq!(second.turn_before(true).unwrap().commit, "c");
        // A commit without the end of a turn.
        assert_eq!(next(Some(&second), "d", None).turns, second.turns);
    }

    #[test]
    fn few_turns_are_kept_and_keep_their_numbers() {
        let mut known = next(None, "0", Some(0));
        for turn in 1..30 {
            known = next(Some(&known), &turn.to_string(), Some(turn));
        }
        assert_eq!(known.turns.len(), TURNS);
        let ends = (known.turns[0].number, known.turns[TURNS - 1].number);
        assert_eq!(ends, (11, 30));
    }

    #[test]
    fn a_count_stays_until_another_one_is_known() {
        let count = Some(ChangeCount {
            files: 3,
            ..ChangeCount::default()
        });
        let known = Changed::counted(None, count, None, None, at(1));
        let failed = Changed::counted(Some(&known), None, None, Some(at(2)), at(3));
        assert_eq!((failed.count, failed.at, failed.turns.len()), (count, at(3), 0));
    }
}
