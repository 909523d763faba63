//! Usage limits that agents run into: decides when a session continues after one. Pure. Not the caps on how
//! many sessions run: see `limit.rs`.

use jiff::{SignedDuration, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// The time between the end of a limit and the message that continues the session: clocks differ, and an
/// agent that continues by itself comes first.
pub const MARGIN: SignedDuration = SignedDuration::from_mins(1);

/// The factors by which the margin grows each time that the agent is refused again without having finished
/// a turn in between; the last factor counts for all further times.
const GROWTH: [i32; 4] = [1, 5, 15, 60];

/// A usage limit in the words of the agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct UsageLimit {
    /// The agent's words.
    pub text: String,
    /// The end of the limit, if the agent names it.
    #[ts(type = "string | null")]
    pub resets_at: Option<Timestamp>,
}

/// A usage limit that holds a session now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Limited {
    /// The limit as the agent reported it.
    pub limit: UsageLimit,
    /// The time at which the limit was reported.
    pub at: Timestamp,
    /// The number of times that the agent was refused since it last finished a turn, this time included.
    pub refusals: u32,
    /// The message that continues the session, once it is in the queue: one is enough.
    #[serde(default)]
    pub message: Option<i64>,
}

impl Limited {
    /// Returns the time at which to continue; `None` if nobody said when the limit ends. The time is later
    /// with each refusal, so that an agent that names a time in the past is not asked forever.
    #[must_use]
    pub fn over_at(&self, margin: SignedDuration) -> Option<Timestamp> {
        let ends = self.limit.resets_at?.max(self.at);
        let times = usize::try_from(self.refusals.saturating_sub(1)).unwrap_or(usize::MAX);
        let growth = GROWTH[times.min(GROWTH.len() - 1)];
        Some(ends.checked_add(margin.saturating_mul(growth)).unwrap_or(ends))
    }

    /// Returns the time until which messages wait; `None` once they may be delivered. If no end is known,
    /// messages do not wait: the next message finds it out.
    #[must_use]
    pub fn holds(&self, margin: SignedDuration, now: Timestamp) -> Option<Timestamp> {
        let over = self.over_at(margin).filter(|_| self.message.is_none())?;
        (now < over).then_some(over)
    }

    /// Returns whether the message that continues the session is to be queued now.
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
    fn a_limit_is_over_a_margin_after_its_end_and_later_with_each_refusal() {
        let over = |limit: Limited| limit.over_at(MARGIN).map(Timestamp::as_second);
        assert_eq!(over(limited(Some(1000), 10, 1)), Some(1060));
        assert_eq!(
            over(limited(Some(1000), 2000, 1)),
            Some(2060),
            "an end that has passed"
        );
        // A minute, five, a quarter of an hour, an hour.
        for (refusals, minutes) in [(1, 1), (2, 5), (3, 15), (4, 60), (5, 60), (9, 60)] {
            assert_eq!(
                over(limited(Some(1000), 2000, refusals)),
                Some(2000 + minutes * 60),
                "{refusals}"
            );
        }
        assert_eq!(over(limited(None, 10, 1)), None);
    }

    #[test]
    fn a_session_continues_once_and_never_early() {
        let mut limit = limited(Some(1000), 10, 1);
        assert!(!limit.is_due(MARGIN, at(1059)));
        assert_eq!(limit.holds(MARGIN, at(1059)), Some(at(1060)));
        // The machine slept: a time long after the end is as good.
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
