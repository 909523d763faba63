//! A usage limit that an agent ran into: what it said, when it ends, and when to go on. Pure. Not the
//! caps on how many sessions run: see [`crate::limit`].

use jiff::{SignedDuration, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Between the end of a limit and the message that goes on: clocks differ, and an agent that goes on
/// by itself comes first.
pub const MARGIN: SignedDuration = SignedDuration::from_mins(1);

/// By how much the margin grows each time that the agent was refused again without having finished
/// a turn in between; the last one counts for all further times.
const GROWTH: [i32; 4] = [1, 5, 15, 60];

/// A usage limit, as the agent tells it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct UsageLimit {
    /// What it said.
    pub text: String,
    /// When it ends, as far as it says.
    #[ts(type = "string | null")]
    pub resets_at: Option<Timestamp>,
}

/// A limit that holds a session now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Limited {
    /// The limit.
    pub limit: UsageLimit,
    /// When it was told.
    pub at: Timestamp,
    /// How often it was refused since it finished a turn, this time with it.
    pub refusals: u32,
    /// The message with which it goes on, once that is in its queue: one is enough.
    #[serde(default)]
    pub message: Option<i64>,
}

impl Limited {
    /// When to go on; `None` where nobody said when the limit ends. Later each time that it was
    /// refused again, so that an agent that names a time that has passed is not asked without end.
    #[must_use]
    pub fn over_at(&self, margin: SignedDuration) -> Option<Timestamp> {
        let ends = self.limit.resets_at?.max(self.at);
        let times = usize::try_from(self.refusals.saturating_sub(1)).unwrap_or(usize::MAX);
        let growth = GROWTH[times.min(GROWTH.len() - 1)];
        Some(ends.checked_add(margin.saturating_mul(growth)).unwrap_or(ends))
    }

    /// Until when messages wait; `None` once they may go. Where no end was told they do not wait: a
    /// message is how it is found out.
    #[must_use]
    pub fn holds(&self, margin: SignedDuration, now: Timestamp) -> Option<Timestamp> {
        let over = self.over_at(margin).filter(|_| self.message.is_none())?;
        (now < over).then_some(over)
    }

    /// Whether the message that goes on is to be put into the queue now.
    #[must_use]
    pub fn is_due(&self, margin: SignedDuration, now: Timestamp) -> bool {
        self.message.is_none() && self.over_at(margin).is_some_and(|over| over <= now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn limited(resets: Option<i64>, told: i64, refusals: u32) -> Limited {
        Limited {
            limit: UsageLimit {
                text: "limit".into(),
                resets_at: resets.map(at),
            },
            at: at(told),
            refusals,
            message: None,
        }
    }

    #[test]
    fn it_is_over_a_margin_after_its_end_and_later_each_time_in_a_row() {
        let over = |limit: Limited| limit.over_at(MARGIN).map(Timestamp::as_second);
        assert_eq!(over(limited(Some(1000), 10, 1)), Some(1060));
        assert_eq!(
            over(limited(Some(1000), 2000, 1)),
            Some(2060),
            "an end that has passed"
        );
        assert_eq!(over(limited(Some(1000), 2000, 2)), Some(2300));
        assert_eq!(over(limited(Some(1000), 2000, 9)), Some(5600));
        assert_eq!(over(limited(None, 10, 1)), None);
    }

    #[test]
    fn it_is_gone_on_with_once_and_never_early() {
        let mut limit = limited(Some(1000), 10, 1);
        assert!(!limit.is_due(MARGIN, at(1059)));
        assert_eq!(limit.holds(MARGIN, at(1059)), Some(at(1060)));
        // The machine slept: long after is as good.
        for now in [1060, 90_000] {
            assert!(limit.is_due(MARGIN, at(now)));
            assert_eq!(limit.holds(MARGIN, at(now)), None);
        }
        limit.message = Some(7);
        assert!(!limit.is_due(MARGIN, at(90_000)));
        assert_eq!(
            limit.holds(MARGIN, at(20)),
            None,
            "somebody said to go on at once"
        );
        assert_eq!(limited(None, 10, 1).holds(MARGIN, at(11)), None);
    }
}
