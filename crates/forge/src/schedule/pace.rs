//! How much may be asked now: by what the limit has left beside the agents' share, and by what was spent in the last hour.

use super::facts::Facts;
use jiff::{SignedDuration, Timestamp};

/// Points an hour for each 100 open pull requests: a tenth of what Agent Orchestrator publishes for 40 sessions.
const ALLOWANCE: u64 = 114;

/// The part of the allowance, in per cent, after which queries are a minute apart.
const SAVING_FROM: u64 = 60;

/// The time between two queries while saving.
pub(super) const SAVING_GAP: SignedDuration = SignedDuration::from_secs(60);

/// The window in which spending is counted.
const HOUR: SignedDuration = SignedDuration::from_hours(1);

/// How much may be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// Whatever is due.
    Normal,
    /// One query a minute.
    Saving,
    /// No query before this time.
    Stopped(Timestamp),
}

/// How many points an hour may be spent on so many open pull requests.
#[must_use]
pub fn allowance(open: usize) -> u64 {
    ALLOWANCE * (open.div_ceil(100).max(1) as u64)
}

/// How much may be asked now.
#[must_use]
pub fn pace(facts: &Facts<'_>, now: Timestamp) -> Pace {
    if let Some(until) = facts.limits.not_before.filter(|until| *until > now) {
        return Pace::Stopped(until);
    }
    let mut saving = false;
    if let Some(points) = facts.limits.points.filter(|points| points.resets_at > now) {
        // A twentieth is kept for what a person asks for at once; half belongs to the agents' own calls.
        if points.remaining <= points.limit / 20 {
            return Pace::Stopped(points.resets_at);
        }
        saving = points.remaining <= points.limit / 2;
    }
    let begin = now.checked_sub(HOUR).unwrap_or(now);
    let recent = || facts.spent.iter().filter(|one| one.at > begin && one.at <= now);
    let spent: u64 = recent().map(|one| one.points).sum();
    let allowed = allowance(facts.pulls.iter().filter(|pull| pull.open).count());
    if spent >= allowed {
        let oldest = recent().map(|one| one.at).min().unwrap_or(now);
        return Pace::Stopped(oldest.checked_add(HOUR).unwrap_or(now));
    }
    if saving || spent * 100 >= allowed * SAVING_FROM { Pace::Saving } else { Pace::Normal }
}
