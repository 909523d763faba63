//! How far a pull request is, in words. Not how they are painted or laid out.

use crate::paint::plain;
use downbeat_model::lifecycle::StageReason;
use downbeat_model::pull::{CheckState, PullState, ReviewState};
use downbeat_model::session::SessionPull;

/// Says how far a pull request is in a few words.
pub(crate) fn stage_word(pull: &SessionPull) -> String {
    match pull.state {
        PullState::Merged => "merged".to_owned(),
        PullState::Closed => "closed".to_owned(),
        PullState::Open => match pull.in_queue() {
            Some(queued) => format!("{}, {queued}", reason(&pull.reason)),
            None => reason(&pull.reason),
        },
    }
}

/// Says what is missing in a few words.
fn reason(reason: &StageReason) -> String {
    match reason {
        StageReason::Status | StageReason::Verified => "open".to_owned(),
        StageReason::Merged => "merged".to_owned(),
        StageReason::Closed => "closed".to_owned(),
        StageReason::ChecksFailed { names } => format!("checks failed: {}", named(names)),
        StageReason::ChecksPending { names } if names.is_empty() => "checks have not started".to_owned(),
        StageReason::ChecksPending { names } => format!("checks pending: {}", named(names)),
        StageReason::ChangesRequested { by } if by.is_empty() => "changes requested".to_owned(),
        StageReason::ChangesRequested { by } => format!("changes requested by {}", named(by)),
        StageReason::Gone => {
            "not found at the forge: deleted, or not visible to your token (`downbeat pr forges`)".to_owned()
        }
        StageReason::Denied { why } => format!("as it was last seen: {}", plain(why)),
        StageReason::Conflicts => "conflicts with its base".to_owned(),
        StageReason::Draft => "draft".to_owned(),
        StageReason::ReviewRequired => "review required".to_owned(),
        StageReason::MergeabilityUnknown => "the forge is computing whether it can be merged".to_owned(),
        StageReason::Behind => "behind its base".to_owned(),
        StageReason::Ready => "ready to merge".to_owned(),
    }
}

fn named(names: &[String]) -> String {
    plain(&names.join(", "))
}

/// Counts the checks of a pull request.
pub(crate) fn checks(pull: &SessionPull) -> String {
    match (pull.passed, pull.failed, pull.pending) {
        (0, 0, 0) => "none".to_owned(),
        (passed, 0, 0) => format!("{passed} passed"),
        (passed, failed, pending) => {
            let all = passed + failed + pending;
            let mut parts = vec![format!("{passed} of {all} passed")];
            if failed > 0 {
                parts.push(format!("{failed} failed"));
            }
            parts.join(", ")
        }
    }
}

/// Says how a check is.
pub(crate) fn state_word(state: CheckState) -> &'static str {
    match state {
        CheckState::Expected => "expected",
        CheckState::Running => "running",
        CheckState::Passed => "passed",
        CheckState::Skipped => "skipped",
        CheckState::Failed => "failed",
        CheckState::Stopped => "cancelled",
    }
}

/// Says what a review says.
pub(crate) fn review_word(state: ReviewState) -> &'static str {
    match state {
        ReviewState::Approved => "approved",
        ReviewState::ChangesRequested => "requested changes",
        ReviewState::Commented => "commented",
        ReviewState::Dismissed => "was dismissed",
    }
}
