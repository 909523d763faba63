//! What follows from an answer: the end of a delivery, a wait, or another try. Pure: the time is passed in.

use crate::answer::Answer;
use crate::config::{Kind, NotifierConfig};
use jiff::{SignedDuration, Timestamp};

/// The number of further tries if the configuration says nothing.
const RETRIES: u32 = 4;

/// The wait before the first of them, if the configuration says nothing.
const DELAY: SignedDuration = SignedDuration::from_secs(2);

/// The longest wait between two tries.
const LONGEST: SignedDuration = SignedDuration::from_mins(10);

/// The number of further tries after one that may have arrived, at a receiver that does not recognise repeats.
const REPEATS: u32 = 1;

/// What was tried already.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tried {
    /// The number of failed tries.
    pub failed: u32,
    /// The number of those that may have arrived.
    pub unanswered: u32,
}

/// What becomes of a delivery.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It is over: the receiver took it.
    Delivered,
    /// The receiver wants to be left alone until then.
    Wait(Timestamp),
    /// It is tried again then.
    Again {
        /// When.
        at: Timestamp,
        /// What was tried, this time included.
        tried: Tried,
        /// Why it failed.
        why: String,
    },
    /// It is over: it cannot be delivered.
    GaveUp(String),
}

/// Returns what follows from an answer.
#[must_use]
pub fn after(answer: Answer, kind: Kind, config: &NotifierConfig, tried: Tried, now: Timestamp) -> Outcome {
    let later = |by: SignedDuration| now.checked_add(by).unwrap_or(Timestamp::MAX);
    match answer {
        Answer::Delivered => Outcome::Delivered,
        Answer::GiveUp(why) => Outcome::GaveUp(why),
        Answer::Wait(long) => Outcome::Wait(later(long)),
        Answer::Again {
            why,
            may_have_arrived,
        } => {
            let tried = Tried {
                failed: tried.failed.saturating_add(1),
                unanswered: tried.unanswered.saturating_add(u32::from(may_have_arrived)),
            };
            let most = config.retries.unwrap_or(RETRIES);
            let repeated = !kind.recognises_repeats() && tried.unanswered > REPEATS;
            if tried.failed > most || repeated {
                let tries = downbeat_model::count(u64::from(tried.failed), "try", "tries");
                return Outcome::GaveUp(format!("{why}, after {tries}"));
            }
            let first = config
                .retry_delay_ms
                .map_or(DELAY, |millis| SignedDuration::from_millis(millis.into()));
            let wait = first.saturating_mul(1 << (tried.failed - 1).min(16)).min(LONGEST);
            Outcome::Again {
                at: later(wait),
                tried,
                why,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn tries(kind: Kind, config: &NotifierConfig, may_have_arrived: bool) -> (Vec<i64>, String) {
        let (mut tried, mut waits) = (Tried::default(), Vec::new());
        loop {
            let answer = Answer::Again {
                why: "no answer".into(),
                may_have_arrived,
            };
            match after(answer, kind, config, tried, at(0)) {
                Outcome::Again { at, tried: now, .. } => {
                    waits.push(at.as_millisecond());
                    tried = now;
                }
                Outcome::GaveUp(why) => return (waits, why),
                other => panic!("{other:?}"),
            }
        }
    }

    #[test]
    fn tries_are_bounded_and_wait_twice_as_long_each_time() {
        let usual = NotifierConfig::default();
        let own = NotifierConfig {
            retries: Some(1),
            retry_delay_ms: Some(500),
            ..NotifierConfig::default()
        };
        let never = NotifierConfig {
            retries: Some(0),
            ..NotifierConfig::default()
        };
        let patient = NotifierConfig {
            retries: Some(10),
            retry_delay_ms: Some(600_000),
            ..NotifierConfig::default()
        };
        let five = "no answer, after 5 tries".to_owned();
        assert_eq!(
            tries(Kind::Slack, &usual, false),
            (vec![2000, 4000, 8000, 16_000], five.clone())
        );
        assert_eq!(
            tries(Kind::Slack, &own, false),
            (vec![500], "no answer, after 2 tries".to_owned())
        );
        assert_eq!(
            tries(Kind::Slack, &never, false),
            (vec![], "no answer, after 1 try".to_owned())
        );
        assert_eq!(tries(Kind::Slack, &patient, false).0, [600_000; 10]);
        // What may have arrived is repeated once, unless the receiver recognises repeats.
        assert_eq!(
            tries(Kind::Slack, &usual, true),
            (vec![2000], "no answer, after 2 tries".to_owned())
        );
        assert_eq!(
            tries(Kind::Webhook, &usual, true),
            (vec![2000, 4000, 8000, 16_000], five)
        );
    }

    #[test]
    fn an_ordered_wait_costs_no_try_and_a_refusal_ends_it() {
        let config = NotifierConfig {
            retries: Some(0),
            ..NotifierConfig::default()
        };
        let tried = Tried {
            failed: 9,
            unanswered: 9,
        };
        let after = |answer| after(answer, Kind::Discord, &config, tried, at(10));
        assert_eq!(
            after(Answer::Wait(SignedDuration::from_secs(5))),
            Outcome::Wait(at(15))
        );
        assert_eq!(after(Answer::GiveUp("404".into())), Outcome::GaveUp("404".into()));
        assert_eq!(after(Answer::Delivered), Outcome::Delivered);
    }
}
