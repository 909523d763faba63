//! Threads, reviews and comments of a pull request.

use crate::error::ForgeError;
use crate::text::{Excerpt, line};
use crate::types::conversation::{Comment, Conversation, ReviewBody, Thread};
use crate::types::identity::{NodeId, Oid};
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::json;

use super::api::Api;
use super::parts::{Actor, Connection, Hashed, Identified, review_state};
use super::queries::CONVERSATION;

/// How many conversations one query reads, and how many threads of each: together one point.
const AT_ONCE: usize = 6;
const THREADS: usize = 20;

/// How many further pages of how many threads are read.
const PAGES: usize = 10;
const MORE_THREADS: usize = 50;

const WHAT: &str = "read a conversation";

#[derive(Deserialize)]
struct Answer {
    nodes: Vec<Option<RawTalk>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RawTalk {
    talk_threads: Option<Connection<RawThread>>,
    talk_reviews: Option<Connection<RawReview>>,
    talk_comments: Option<Connection<RawComment>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RawThread {
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
pub(super) struct RawReview {
    id: NodeId,
    body: String,
    author: Option<Actor>,
    state: String,
    submitted_at: Option<Timestamp>,
    commit: Option<Hashed>,
}

impl Api {
    /// What was said about pull requests; one entry for each id, in their order, none for one that is gone.
    pub(super) async fn conversations(
        &self,
        pulls: &[NodeId],
    ) -> Result<Vec<Option<Conversation>>, ForgeError> {
        let mut found = Vec::with_capacity(pulls.len());
        for part in pulls.chunks(AT_ONCE) {
            let raws = self.pages(part, THREADS, None).await?;
            for (id, raw) in part.iter().zip(raws) {
                found.push(match raw {
                    Some(raw) => self.rest_of(id, raw).await?,
                    None => None,
                });
            }
        }
        Ok(found)
    }

    /// One page of each conversation.
    async fn pages(
        &self,
        pulls: &[NodeId],
        threads: usize,
        after: Option<&str>,
    ) -> Result<Vec<Option<RawTalk>>, ForgeError> {
        let variables = json!({ "pulls": pulls, "threads": threads, "after": after });
        let answer: Answer = self.query(WHAT, CONVERSATION, variables).await?;
        if answer.nodes.len() == pulls.len() {
            return Ok(answer.nodes);
        }
        Err(ForgeError::Unreadable {
            host: self.endpoint.host().to_owned(),
            what: WHAT.to_owned(),
            why: format!("{} entries for {} ids", answer.nodes.len(), pulls.len()),
            outcome_unknown: false,
        })
    }

    /// Reads the pages after the first. Nothing if it is no pull request.
    async fn rest_of(&self, pull: &NodeId, first: RawTalk) -> Result<Option<Conversation>, ForgeError> {
        let mut all = Conversation::default();
        let Some(mut after) = all.add(first) else {
            return Ok(None);
        };
        for _ in 0..PAGES {
            let Some(cursor) = after.take() else { break };
            let page = self
                .pages(std::slice::from_ref(pull), MORE_THREADS, Some(&cursor))
                .await?;
            match page.into_iter().flatten().next().and_then(|raw| all.add(raw)) {
                Some(next) => after = next,
                None => return Ok(None),
            }
        }
        all.complete = after.is_none();
        Ok(Some(all))
    }
}

impl RawTalk {
    /// The conversation in so far as it is in the first page; nothing if it was not asked for.
    pub(super) fn read(self) -> Option<Conversation> {
        let mut all = Conversation::default();
        all.complete = all.add(self)?.is_none();
        Some(all)
    }
}

impl Conversation {
    /// Adds a page, and returns where the next one begins. Nothing if it is of no pull request.
    fn add(&mut self, raw: RawTalk) -> Option<Option<String>> {
        let threads = raw.talk_threads?;
        let next = threads.next();
        self.threads.extend(threads.items().map(RawThread::read));
        // The newest ones; a later page has the same or newer ones.
        self.reviews = raw
            .talk_reviews
            .into_iter()
            .flat_map(Connection::items)
            .filter_map(RawReview::read)
            .collect();
        self.comments = raw
            .talk_comments
            .into_iter()
            .flat_map(Connection::items)
            .map(RawComment::read)
            .collect();
        Some(next)
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
            has_beginning: self.comments.has_beginning(),
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
