//! How a merge at a forge ended, in the words that the person reads.

use downbeat_model::session::MergeOutcome;

/// How a merge ended; see [`downbeat_model::session::MergeResult`].
pub struct Made {
    pub outcome: MergeOutcome,
    pub commit: Option<String>,
    pub detail: String,
}

impl Made {
    /// A merge with this outcome and no commit.
    pub fn new(outcome: MergeOutcome, detail: String) -> Self {
        Self {
            outcome,
            commit: None,
            detail,
        }
    }

    /// A merge that something stands in the way of.
    pub fn refused(detail: String) -> Self {
        Self::new(MergeOutcome::Refused, detail)
    }
}
