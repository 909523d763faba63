//! Why work waits in a merge queue, in sentences.

use crate::state::known::State;
use downbeat_model::effect::Work;
use downbeat_model::queue::{Kept, PausedBy, Wait, WaitReason};
use downbeat_model::{SessionId, Subject, count, lines};
use jiff::Timestamp;

/// The place of a session's work in its queue, and why it waits there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiting {
    /// The place, from 1.
    pub place: u32,
    /// Since when it waits for this reason.
    pub since: Timestamp,
    /// The reason: `2nd in the queue of main: waits for the checks of cart`.
    pub sentence: String,
}

/// Returns why the work of a session waits in a merge queue; `None` if it waits in none.
pub fn of_session(state: &State, id: &SessionId) -> Option<Waiting> {
    let kept = state.merge_queue_of(id)?;
    let waits = kept.queue.waits();
    let at = waits.iter().position(|wait| wait.subject.session() == Some(id))?;
    waiting(state, kept, &waits, at)
}

/// Returns why the entry at this place waits, from 0.
pub fn waiting(state: &State, kept: &Kept, waits: &[Wait], at: usize) -> Option<Waiting> {
    let wait = waits.get(at)?;
    let first = waits.first()?;
    let target = &kept.queue.place.target;
    let place = u32::try_from(at + 1).unwrap_or(u32::MAX);
    let why = match &wait.why {
        WaitReason::AheadOf { .. } => ahead(state, kept, first),
        own => reason(state, kept, own),
    };
    let since = match &wait.why {
        WaitReason::AheadOf { .. } => first.since.max(wait.enqueued_at),
        _ => wait.since,
    };
    Some(Waiting {
        place,
        since,
        sentence: format!("{} in the queue of {target}: {why}", ordinal(place)),
    })
}

/// Says what an entry waits for that is not first.
fn ahead(state: &State, kept: &Kept, first: &Wait) -> String {
    let name = name(state, &first.subject);
    match &first.why {
        WaitReason::ChecksRunning { .. } => format!("waits for the checks of {name}"),
        WaitReason::Landing => format!("waits for {name} to land"),
        WaitReason::CandidateBeingMade | WaitReason::AheadOf { .. } | WaitReason::BatchDivided => {
            format!("waits for {name}, which is being merged")
        }
        own => format!("waits for {name}: {}", reason(state, kept, own)),
    }
}

fn reason(state: &State, kept: &Kept, why: &WaitReason) -> String {
    match why {
        WaitReason::AheadOf { first, .. } => format!("waits for {}", name(state, first)),
        WaitReason::BatchDivided => "its batch failed and is tried in parts".into(),
        WaitReason::CandidateBeingMade => "is being merged".into(),
        WaitReason::ChecksRunning { again, together } => {
            let again = if *again { " again, because they failed" } else { "" };
            let with = match together.saturating_sub(1) {
                0 => String::new(),
                others => format!(", together with {}", count(others as u64, "other", "others")),
            };
            match other_checks(state, kept) {
                Some(other) => format!("its checks{with} wait for those of {other}"),
                None => format!("its checks run{again}{with}"),
            }
        }
        WaitReason::Landing => "is landing".into(),
        WaitReason::TargetCheckedOutDirty { files, .. } => {
            let files = files.join(", ");
            format!("the checkout has uncommitted changes in the same files: {files}")
        }
        WaitReason::TargetMoved { times, .. } => format!(
            "{} moved {times} times while it was merged and checked; it is tried again soon",
            kept.queue.place.target
        ),
        WaitReason::TargetInOperation { .. } => "an operation is in progress in the checkout".into(),
        WaitReason::StepFailed { error, .. } => {
            format!("is retried after a failure: {}", lines::first_line(error))
        }
        WaitReason::Paused { by } => paused(by),
    }
}

/// Says by whom a queue is paused.
pub fn paused(by: &PausedBy) -> String {
    match by {
        PausedBy::Person => "the queue is paused".into(),
        PausedBy::Failures { why } => format!("the queue paused itself: {}", lines::first_line(why)),
    }
}

/// Returns the session whose checks run in the project before those of the queue.
fn other_checks(state: &State, kept: &Kept) -> Option<String> {
    let project = Subject::Project(kept.queue.place.project.clone());
    let mut effects = state.effects.iter().filter(|effect| effect.subject == project);
    match &effects.next()?.work {
        Work::Check(check) => Some(name(state, &Subject::Session(check.session.clone()))),
        _ => None,
    }
}

fn name(state: &State, subject: &Subject) -> String {
    let row = subject.session().and_then(|id| state.sessions.get(id));
    row.map_or_else(|| "another session".into(), |row| row.name.clone())
}

#[cfg(test)]
#[test]
fn places_are_said_as_people_say_them() {
    let said = [1, 2, 3, 4, 11, 12, 13, 21, 22, 111, 1001].map(ordinal);
    let words = "1st 2nd 3rd 4th 11th 12th 13th 21st 22nd 111th 1001st";
    assert_eq!(said.join(" "), words);
}

/// Returns a place as people say it: `1st`, `12th`, `23rd`.
pub fn ordinal(place: u32) -> String {
    let ending = match (place % 100, place % 10) {
        (11..=13, _) => "th",
        (_, 1) => "st",
        (_, 2) => "nd",
        (_, 3) => "rd",
        _ => "th",
    };
    format!("{place}{ending}")
}
