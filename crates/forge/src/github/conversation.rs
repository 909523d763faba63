//! Threads, reviews and comments of a pull request.

use crate::error::ForgeError;
use crate::text::{Excerpt, line};
use crate::types::conversation::{Comment, Conversation, ReviewBody, Thread};
use crate::types::identity::{NodeId, Oid};
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::json;

use super::parts::{Actor, Connection, Hashed, Identified, review_state};
use super::queries::CONVERSATION;
use super::transport::Transport;

/// How many pages of 50 threads are read.
const PAGES: usize = 10;

const WHAT: &str = "read a conversation";

#[derive(Deserialize)]
struct Answer {
    node: Option<Raw>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Raw {
    review_threads: Option<Connection<RawThread>>,
    reviews: Option<Connection<RawReview>>,
    comments: Option<Connection<RawComment>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawThread {
    id: NodeId,
    path: String,
    line: Option<u32>,
    original_line: Option<u32>,
    is_resolved: bool,
    is_outdated: bool,
    comments: Connection<RawComment>,
}

/// A comment as GitHub describes it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RawComment {
    id: NodeId,
    body: String,
    created_at: Timestamp,
    updated_at: Timestamp,
    author: Option<Actor>,
    url: String,
    pull_request_review: Option<Identified>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawReview {
    id: NodeId,
    body: String,
    author: Option<Actor>,
    state: String,
    submitted_at: Option<Timestamp>,
    commit: Option<Hashed>,
}

impl Transport {
    /// What was said about a pull request.
    pub(super) async fn conversation(&self, pull: &NodeId) -> Result<Conversation, ForgeError> {
        let mut all = Conversation::default();
        let mut after: Option<String> = None;
        for _ in 0..PAGES {
            let answer: Answer = self.query(WHAT, CONVERSATION, json!({ "pull": pull, "after": after })).await?;
            let gone = || ForgeError::Gone { host: self.endpoint.host().to_owned(), what: WHAT.to_owned() };
            let raw = answer.node.ok_or_else(gone)?;
            let threads = raw.review_threads.ok_or_else(gone)?;
            after = threads.next();
            all.threads.extend(threads.items().map(RawThread::read));
            // The newest ones; a later page has the same or newer ones.
            all.reviews = raw.reviews.into_iter().flat_map(Connection::items).filter_map(RawReview::read).collect();
            all.comments = raw.comments.into_iter().flat_map(Connection::items).map(RawComment::read).collect();
            if after.is_none() {
                all.complete = true;
                break;
            }
        }
        Ok(all)
    }
}

impl RawThread {
    fn read(self) -> Thread {
        Thread {
            id: self.id,
            path: line(&self.path),
            line: self.line,
            original_line: self.original_line,
            resolved: self.is_resolved,
            outdated: self.is_outdated,
            complete: self.comments.next().is_none(),
            comments: self.comments.items().map(RawComment::read).collect(),
        }
    }
}

impl RawComment {
    /// Bounds its text.
    pub(super) fn read(self) -> Comment {
        let (author, by_bot) = Actor::of(self.author);
        Comment {
            id: self.id,
            author,
            by_bot,
            body: Excerpt::body(&self.body),
            url: line(&self.url),
            created_at: self.created_at,
            updated_at: self.updated_at,
            review: self.pull_request_review.map(|review| review.id),
        }
    }
}

impl RawReview {
    /// Nothing for one that was not submitted: its author is still writing it.
    fn read(self) -> Option<ReviewBody> {
        let (author, by_bot) = Actor::of(self.author);
        (self.state != "PENDING").then(|| ReviewBody {
            id: self.id,
            author,
            by_bot,
            decision: review_state(&self.state),
            body: Excerpt::body(&self.body),
            submitted_at: self.submitted_at,
            commit: self.commit.map(|commit| Oid(commit.oid)),
        })
    }
}
