//! Puts together what each session did when, from the changes of its status. Pure.

use downbeat_model::{ReasonKind, Status};
use downbeat_store::StatusChange;
use downbeat_wire::timeline::{TimelineSpan, TimelineState, TimelineSums};
use jiff::Timestamp;

/// The end of a session's story: its state now, and why.
pub struct Now {
    /// Its status.
    pub status: Status,
    /// The kind of its reason, if it has one.
    pub reason: Option<ReasonKind>,
    /// One line on it.
    pub detail: String,
    /// When the session was created.
    pub created: Timestamp,
}

/// Returns what a session with a status does; `None` if it has ended.
fn state(status: Status, reason: Option<ReasonKind>) -> Option<TimelineState> {
    use TimelineState::{Held, Idle, Unknown, Waiting, Working};
    Some(match (status, reason) {
        (Status::Queued | Status::Paused, _) => Held,
        (Status::Waiting | Status::Idle, Some(ReasonKind::Limit)) => Held,
        (Status::Spawning | Status::Running, _) => Working,
        (Status::SetupFailed | Status::Waiting, _) => Waiting,
        (Status::Idle, _) => Idle,
        (Status::Unknown, _) => Unknown,
        (Status::Exited | Status::Killed | Status::Errored, _) => return None,
    })
}

/// Returns the spans of one session between `from` and `until`, oldest first. `changes` are those of its status since `from`,
/// oldest first.
pub fn spans(
    (from, until): (Timestamp, Timestamp),
    changes: &[StatusChange],
    now: &Now,
) -> Vec<TimelineSpan> {
    let begin = from.max(now.created);
    let first = match changes.first() {
        // What it was before its first change is known, why is not.
        Some(change) => (state(change.from, None), String::new()),
        None => (state(now.status, now.reason), now.detail.clone()),
    };
    let mut spans = Vec::new();
    let mut open = (begin, first.0, first.1);
    for change in changes {
        close(&mut spans, open, change.at);
        open = (change.at, state(change.to, change.reason), change.detail.clone());
    }
    close(&mut spans, open, until);
    spans
}

/// Ends a span, unless the session had ended, or it is empty. One that only continues the last one is added to it.
fn close(
    spans: &mut Vec<TimelineSpan>,
    (from, state, reason): (Timestamp, Option<TimelineState>, String),
    until: Timestamp,
) {
    let Some(state) = state.filter(|_| from < until) else {
        return;
    };
    match spans.last_mut() {
        Some(last) if last.until == from && last.state == state && last.reason == reason => {
            last.until = until;
        }
        _ => spans.push(TimelineSpan {
            from,
            until,
            state,
            reason,
        }),
    }
}

/// Adds up spans.
pub fn sums(spans: &[TimelineSpan]) -> TimelineSums {
    let mut sums = TimelineSums::default();
    for span in spans {
        let lasted = span.until.as_millisecond() - span.from.as_millisecond();
        let sum = match span.state {
            TimelineState::Working => &mut sums.working,
            TimelineState::Waiting => &mut sums.waiting,
            TimelineState::Held => &mut sums.held,
            TimelineState::Idle | TimelineState::Unknown => &mut sums.idle,
        };
        *sum += u64::try_from(lasted).unwrap_or(0);
    }
    sums
}

#[cfg(test)]
#[path = "timeline_tests.rs"]
mod tests;
