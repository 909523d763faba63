//! Reviews of a session's work here. How the last one stands is in [`crate::session::SessionSummary`]; reviews at a forge are in
//! [`crate::pull`].

pub use downbeat_model::session::{LineComment, ReviewVerdict, SessionReview};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Ends a review of a session's work. Only the person approves; a conductor may request changes of its workers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReviewSession {
    /// Id or readable name.
    pub id: String,
    /// What you say of the work.
    pub verdict: ReviewVerdict,
    /// The full id of the commit that you looked at, `head` of the list of changes. Nothing happens if the session has committed since.
    pub commit: String,
    /// What you say of the work as a whole. A request for changes needs this, or comments.
    #[serde(default)]
    #[ts(optional)]
    pub message: Option<String>,
    /// Comments on lines, at most 200.
    #[serde(default)]
    #[ts(optional)]
    pub comments: Option<Vec<LineComment>>,
}
