//! The board: decides in which column a session is, by who must act next. Pure, and the only place that decides it: the
//! window, the command line and the API show what comes from here. Not whether the person is needed (see `attention.rs`):
//! a session is in the column for that exactly if it has an attention.

use crate::lifecycle::Stage;
use crate::session::{DoneState, MergeState, ReviewVerdict};
use crate::status::Status;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// A column of the board.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub enum Column {
    /// Its agent acts next, or the sessions below it, or Downbeat: nobody has to do anything.
    #[default]
    Working,
    /// The person acts next: it cannot continue alone.
    NeedsYou,
    /// A reader acts next: a turn ended, or a pull request is open, and something is missing before it can be merged.
    InReview,
    /// Nothing is missing: it can be merged, or is on its way to the target branch.
    ReadyToMerge,
    /// Nobody acts: merged, ended or archived.
    Done,
}

impl Column {
    /// Returns the column in words.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Working => "working",
            Self::NeedsYou => "needs you",
            Self::InReview => "in review",
            Self::ReadyToMerge => "ready to merge",
            Self::Done => "done",
        }
    }
}

/// The facts of a session that decide in which column it is.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts")]
pub struct Known {
    /// The session's status.
    pub status: Status,
    /// Whether it is archived.
    pub is_archived: bool,
    /// Whether it needs the person.
    pub needs_person: bool,
    /// Whether it waits for its first prompt.
    pub is_fresh: bool,
    /// Whether it is a shell, whose turns nobody reviews.
    pub is_shell: bool,
    /// Whether a session below it is at work.
    pub works_below: bool,
    /// How far it is on its way to the base.
    pub stage: Stage,
    /// The merge of its work, as far as it is about what the session has now.
    pub merge: Option<MergeState>,
    /// Whether the project's checks run on its work, or wait to.
    pub is_checking: bool,
    /// Whether the project's checks passed on its newest commit, one of its own, since it last worked.
    pub is_checked: bool,
    /// Whether its task is done, as it says or as was verified.
    pub done: Option<DoneState>,
    /// What the last review says of the commit that the session is at now; `None` if there is none.
    pub review: Option<ReviewVerdict>,
    /// Whether the project had no checks at the review, so that none are missing.
    pub needs_no_checks: bool,
    /// Whether it has a branch of its own, in a worktree that still exists.
    pub has_branch: bool,
}

/// Decides in which column a session is.
#[must_use]
pub fn column(known: &Known) -> Column {
    if known.is_archived {
        return Column::Done;
    }
    if known.needs_person {
        return Column::NeedsYou;
    }
    // What lands is pinned to its commit, whatever its agent does meanwhile. A forge that was to merge later may have done so.
    if known.merge == Some(MergeState::UnderWay) && known.stage != Stage::Merged {
        return Column::ReadyToMerge;
    }
    if is_at_work(known.status) || (known.works_below && !known.status.is_ended()) {
        return Column::Working;
    }
    match known.stage {
        Stage::Merged | Stage::Killed | Stage::Errored => Column::Done,
        Stage::Mergeable => Column::ReadyToMerge,
        Stage::PrOpen | Stage::CiFailed | Stage::ReviewPending | Stage::ChangesRequested => Column::InReview,
        Stage::Spawning => Column::Working,
        Stage::Working | Stage::Done => without_pull(known),
    }
}

/// Returns whether a session of this status acts next by itself. A session that waits does so once its usage limit is
/// over, unless it needs the person.
#[must_use]
pub fn is_at_work(status: Status) -> bool {
    matches!(
        status,
        Status::Queued | Status::Spawning | Status::Running | Status::Waiting
    )
}

/// Decides for a session that is not at work and has no open pull request.
fn without_pull(known: &Known) -> Column {
    if known.merge == Some(MergeState::Landed) {
        return Column::Done;
    }
    if known.is_checking {
        return Column::Working;
    }
    let is_verified = known.is_checked || known.done == Some(DoneState::Verified);
    let is_approved = known.review == Some(ReviewVerdict::Approved);
    match (known.done, known.status) {
        _ if known.review == Some(ReviewVerdict::ChangesRequested) => Column::InReview,
        _ if (is_verified || is_approved && known.needs_no_checks) && known.has_branch => {
            Column::ReadyToMerge
        }
        // Its checks are missing.
        _ if is_approved && known.has_branch => Column::InReview,
        (Some(DoneState::Verified), _) | (_, Status::Exited) => Column::Done,
        (Some(DoneState::Said), _) => Column::InReview,
        (None, Status::Idle) if !known.is_fresh && !known.is_shell => Column::InReview,
        (None, _) => Column::Working,
    }
}

#[cfg(test)]
#[path = "board_tests.rs"]
mod tests;
