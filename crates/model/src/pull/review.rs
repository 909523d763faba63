//! Reviews of a pull request: their decision, their threads and comments.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// The number of comments of a thread or a conversation that are kept: the last ones.
const MOST_COMMENTS: usize = 100;

/// The longest text of a comment or a review that is kept, in bytes.
const LONGEST_TEXT: usize = 16 * 1024;

/// The reviews of a pull request, taken together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub enum ReviewDecision {
    /// The base requires no review. Forges answer that with nothing at all.
    NotRequired,
    /// A review is required, and there is none.
    Required,
    /// It is approved.
    Approved,
    /// A reviewer requests changes.
    ChangesRequested,
}

/// The latest review of a reviewer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
#[ts(rename = "PullReview")]
pub struct Review {
    /// The forge's id.
    pub id: String,
    /// The reviewer's name.
    pub author: String,
    /// Whether a program wrote it.
    pub is_bot: bool,
    /// What it says.
    pub state: ReviewState,
    /// Its text.
    pub text: String,
}

/// What a review says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub enum ReviewState {
    /// It approves.
    Approved,
    /// It requests changes.
    ChangesRequested,
    /// It only comments.
    Commented,
    /// It does not count any more.
    Dismissed,
}

/// A review thread.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
#[ts(rename = "ReviewThread")]
pub struct Thread {
    /// The forge's id.
    pub id: String,
    /// The file, if it is about one.
    pub file: Option<String>,
    /// The line, if it is about one.
    pub line: Option<u32>,
    /// Whether somebody resolved it.
    pub is_resolved: bool,
    /// Its comments, oldest first.
    pub comments: Vec<Comment>,
}

/// A comment in a thread, or in the conversation of a pull request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
#[ts(rename = "ReviewComment")]
pub struct Comment {
    /// The forge's id.
    pub id: String,
    /// The author's name.
    pub author: String,
    /// Whether a program wrote it.
    pub is_bot: bool,
    /// Whether it was written by the session's agent or through Downbeat: nobody needs to be told.
    pub is_ours: bool,
    /// Whether it belongs to a review that was submitted as a whole, so that no other comment of it is to come.
    pub is_of_review: bool,
    /// Its text.
    pub text: String,
    /// The time of writing, by the forge's clock.
    #[ts(type = "string")]
    pub at: Timestamp,
}

impl Thread {
    pub(super) fn bound(&mut self) {
        bound_comments(&mut self.comments);
    }
}

/// Keeps the last comments, with bounded texts.
pub(super) fn bound_comments(comments: &mut Vec<Comment>) {
    let surplus = comments.len().saturating_sub(MOST_COMMENTS);
    comments.drain(..surplus);
    for comment in comments {
        bound_text(&mut comment.text);
    }
}

impl Review {
    pub(super) fn bound(&mut self) {
        bound_text(&mut self.text);
    }
}

/// Cuts a text off at its bound, between two characters.
pub(super) fn bound_text(text: &mut String) {
    let mut end = text.len().min(LONGEST_TEXT);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.truncate(end);
}
