//! Derives from a session's row how the last review of its work stands: whether it is still about the newest commit, and whether
//! anything is missing in what was approved.

use crate::session::report;
use downbeat_model::session::{Review, ReviewVerdict};
use downbeat_store::SessionRow;
use jiff::Timestamp;

/// Returns the last review, if it is of the commit that the session is at, as far as that is known.
pub fn current(row: &SessionRow) -> Option<&Review> {
    let head = row.checks.head.as_deref();
    row.review.as_ref().filter(|review| !review.is_outdated(head))
}

/// Returns the approval of the session's newest commit, with the time since which nothing is missing in it: the project's checks
/// passed on that commit, or it had none at the approval. `None` if something is missing.
pub fn ready(row: &SessionRow) -> Option<(&Review, Timestamp)> {
    let review = current(row).filter(|review| review.is_approval())?;
    let passed = report::checked_at(row).filter(|_| {
        let checked = row.checks.last.as_ref().map(|last| &last.commit);
        checked == Some(&review.commit)
    });
    match passed {
        Some(at) => Some((review, at.max(review.at))),
        None => (!review.has_checks && row.checks.run.is_none()).then_some((review, review.at)),
    }
}

/// Returns whether changes are requested of exactly this commit.
pub fn asks_for_changes(row: &SessionRow, commit: &str) -> bool {
    let review = row.review.as_ref();
    review.is_some_and(|review| review.verdict == ReviewVerdict::ChangesRequested && review.commit == commit)
}
