//! How much may be asked now: by what the limit has left beside the agents' share, and by what was spent in the last hour.

use super::facts::Facts;
use jiff::{SignedDuration, Timestamp};

/// Points an hour for each 100 open pull requests: a tenth of what Agent Orchestrator publishes for 40 sessions.
const ALLOWANCE: u64 = 114;

/// The part of the allowance, in per cent, after which the rest is spread over the rest of the hour.
const SAVING_FROM: u64 = 90;

/// The parts of the allowance, in per cent, that may be spent in ten minutes and in half an hour: a burst leaves something
/// for the rest of the hour.
const BURSTS: [(SignedDuration, u64); 2] = [
    (SignedDuration::from_mins(10), 24),
    (SignedDuration::from_mins(30), 55),
];

/// The least and the greatest time for each point while saving.
const LEAST_GAP: SignedDuration = SignedDuration::from_secs(30);
const GREATEST_GAP: SignedDuration = SignedDuration::from_secs(300);

/// The window in which spending is counted.
const HOUR: SignedDuration = SignedDuration::from_hours(1);

/// How much may be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// Whatever is due.
    Normal,
    /// One point in this time.
    Saving(SignedDuration),
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
    let allowed = allowed(facts);
    let (in_hour, hour_ends) = spent(facts, now, HOUR);
    if in_hour >= allowed {
        return Pace::Stopped(hour_ends);
    }
    for (window, part) in BURSTS {
        let (in_burst, burst_ends) = spent(facts, now, window);
        if in_burst * 100 >= allowed * part {
            return Pace::Stopped(burst_ends);
        }
    }
    if in_hour * 100 >= allowed * SAVING_FROM {
        let left = i32::try_from(allowed - in_hour).unwrap_or(i32::MAX);
        return Pace::Saving((hour_ends.duration_since(now) / left).clamp(LEAST_GAP, GREATEST_GAP));
    }
    if saving {
        Pace::Saving(LEAST_GAP * 2)
    } else {
        Pace::Normal
    }
}

/// What is left of the allowance.
pub(super) fn left(facts: &Facts<'_>, now: Timestamp) -> u64 {
    allowed(facts).saturating_sub(spent(facts, now, HOUR).0)
}

fn allowed(facts: &Facts<'_>) -> u64 {
    allowance(facts.pulls.iter().filter(|pull| pull.open).count())
}

/// What was spent in a window that ends now, and when the first of it leaves the window.
fn spent(facts: &Facts<'_>, now: Timestamp, window: SignedDuration) -> (u64, Timestamp) {
    let begin = now.checked_sub(window).unwrap_or(now);
    let recent = || facts.spent.iter().filter(|one| one.at > begin && one.at <= now);
    let oldest = recent().map(|one| one.at).min().unwrap_or(now);
    (
        recent().map(|one| one.points).sum(),
        oldest.checked_add(window).unwrap_or(now),
    )
}
