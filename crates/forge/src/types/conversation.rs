//! What people and bots say about a pull request: threads on lines, reviews with a text, comments.

use crate::text::Excerpt;
use crate::types::identity::{NodeId, Oid};
use crate::types::review::ReviewDecision;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// One comment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Comment {
    /// The forge's id: a comment is passed on once.
    pub id: NodeId,
    /// Who wrote it; none if the account is gone.
    pub author: Option<String>,
    /// Whether an app wrote it.
    pub by_bot: bool,
    /// What it says.
    pub body: Excerpt,
    /// Its page.
    pub url: String,
    /// When it was written.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
    /// The review that it was submitted with, for comments on lines.
    pub review: Option<NodeId>,
}

/// A thread on a place in a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Thread {
    /// The forge's id: what a reply goes to and what is resolved.
    pub id: NodeId,
    /// The file.
    pub path: String,
    /// The line in the file now; none if it is about the whole file, or the line is gone.
    pub line: Option<u32>,
    /// The line when the thread began.
    pub original_line: Option<u32>,
    /// Whether somebody resolved it.
    pub resolved: bool,
    /// Whether the lines changed since.
    pub outdated: bool,
    /// Its comments, the first ones first.
    pub comments: Vec<Comment>,
    /// Whether its newest comments are here.
    pub complete: bool,
    /// Whether its first comment is here; of a long thread only the newest ones are read.
    pub has_beginning: bool,
}

/// A submitted review with its own text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReviewBody {
    /// The forge's id: comments on lines name it.
    pub id: NodeId,
    /// Who wrote it.
    pub author: Option<String>,
    /// Whether an app wrote it.
    pub by_bot: bool,
    /// Whether it approves or asks for changes; none if it only comments.
    pub decision: Option<ReviewDecision>,
    /// What it says; it may be empty.
    pub body: Excerpt,
    /// When it was submitted.
    pub submitted_at: Option<Timestamp>,
    /// The commit that was reviewed.
    pub commit: Option<Oid>,
}

/// A pull request's conversation.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conversation {
    /// Threads on lines.
    pub threads: Vec<Thread>,
    /// The newest submitted reviews.
    pub reviews: Vec<ReviewBody>,
    /// The newest comments on the pull request itself.
    pub comments: Vec<Comment>,
    /// Whether all threads are here that are read at all.
    pub complete: bool,
    /// At most how many older threads and comments are not read, because there are too many.
    pub beyond: u32,
}
