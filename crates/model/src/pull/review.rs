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
    /// Whether there are comments before them that are not read, because there are too many.
    #[serde(default)]
    pub has_earlier: bool,
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
        self.has_earlier |= self.comments.len() > MOST_COMMENTS;
        bound_comments(&mut self.comments);
    }
}

/// Keeps at most so many threads, of which the first are the oldest: resolved ones give way first, then the oldest. Returns how
/// many gave way.
pub(super) fn bound_threads(threads: &mut Vec<Thread>, most: usize) -> u32 {
    let surplus = threads.len().saturating_sub(most);
    let resolved = threads.iter().filter(|thread| thread.is_resolved).count();
    let (mut of_resolved, mut of_open) = (surplus.min(resolved), surplus.saturating_sub(resolved));
    threads.retain(|thread| {
        let left = match thread.is_resolved {
            true => &mut of_resolved,
            false => &mut of_open,
        };
        let is_kept = *left == 0;
        *left = left.saturating_sub(1);
        is_kept
    });
    u32::try_from(surplus).unwrap_or(u32::MAX)
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

#[cfg(test)]
mod tests {
    use super::{Thread, bound_threads};

    #[test]
    fn of_too_many_threads_the_open_and_the_newest_stay() {
        let thread = |(id, is_resolved): (&str, bool)| Thread {
            id: id.into(),
            file: None,
            line: None,
            is_resolved,
            comments: Vec::new(),
            has_earlier: false,
        };
        let all = [("a", false), ("b", true), ("c", false), ("d", true), ("e", false)];
        for (most, left, kept) in [
            (5, 0, "abcde"),
            (4, 1, "acde"),
            (3, 2, "ace"),
            (2, 3, "ce"),
            (0, 5, ""),
        ] {
            let mut threads: Vec<Thread> = all.map(thread).into();
            assert_eq!(bound_threads(&mut threads, most), left);
            let ids: String = threads.iter().map(|thread| thread.id.as_str()).collect();
            assert_eq!(ids, kept);
        }
    }
}
