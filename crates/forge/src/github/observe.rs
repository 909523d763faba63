//! Pull requests as GitHub describes them, turned into ours. One query for at most 100; one that GitHub gives up on is
//! asked again in halves.

use crate::error::ForgeError;
use crate::text::line;
use crate::types::checks::Checks;
use crate::types::identity::{NodeId, Oid};
use crate::types::pull::{
    Base, Detail, Head, MergeState, Mergeable, Observed, PullRequest, PullState, QueueEntry, Review, Talk,
};
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::json;
use std::collections::VecDeque;

use super::api::Api;
use super::checks::{Context, checks};
use super::conversation::RawTalk;
use super::parts::{Actor, Connection, Hashed, Named, RepositoryPart, Total, review_state};
use super::queries::{CONTEXTS, OBSERVE};

/// How many ids GitHub takes in one query.
const AT_ONCE: usize = 100;

/// Queries of fewer are not halved again.
const FEWEST: usize = 2;
/// How many may fail with an error of the server before the first that does not, until the forge counts as out of order.
const MOST_FAILED: usize = 3;

/// How many pages of checks are read: 1,000 checks.
const PAGES: usize = 10;

/// What requests are for, in errors.
const WHAT: &str = "observe pull requests";

#[derive(Deserialize)]
struct Answer {
    nodes: Vec<Option<Node>>,
}

#[derive(Deserialize)]
#[serde(tag = "__typename")]
enum Node {
    PullRequest(Box<Raw>),
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Raw {
    id: NodeId,
    number: u64,
    url: String,
    title: String,
    author: Option<Actor>,
    state: String,
    is_draft: bool,
    updated_at: Timestamp,
    merged_at: Option<Timestamp>,
    merge_commit: Option<Hashed>,
    head_ref_oid: String,
    head_ref_name: String,
    is_cross_repository: bool,
    head_repository: Option<RepositoryPart>,
    base_ref_oid: String,
    base_ref_name: String,
    base_repository: Option<RepositoryPart>,
    mergeable: String,
    merge_state_status: String,
    review_decision: Option<String>,
    is_in_merge_queue: bool,
    merge_queue_entry: Option<Entry>,
    auto_merge_request: Option<Enabled>,
    base_ref: Option<BaseRef>,
    status_check_rollup: Option<Rollup>,
    labels: Option<Connection<Named>>,
    latest_opinionated_reviews: Option<Connection<RawReview>>,
    comments: Option<Total>,
    reviews: Option<Total>,
    review_threads: Option<Total>,
    #[serde(flatten)]
    conversation: RawTalk,
}

#[derive(Deserialize)]
struct Entry {
    position: u32,
    state: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Enabled {
    enabled_at: Option<Timestamp>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct BaseRef {
    ref_update_rule: Option<Rule>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Rule {
    required_status_check_contexts: Option<Vec<Option<String>>>,
}

#[derive(Deserialize)]
struct Rollup {
    contexts: Connection<Context>,
}

#[derive(Deserialize)]
struct RawReview {
    state: String,
    author: Option<Actor>,
    commit: Option<Hashed>,
}

#[derive(Deserialize)]
struct Page {
    node: Option<PageNode>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PageNode {
    head_ref_oid: Option<String>,
    status_check_rollup: Option<Rollup>,
}

impl Api {
    /// Observes pull requests; one entry for each id, in their order.
    pub(super) async fn observe(&self, ids: &[NodeId], detail: Detail) -> Result<Vec<Observed>, ForgeError> {
        let mut parts: VecDeque<&[NodeId]> = ids.chunks(AT_ONCE).collect();
        let mut found = Vec::with_capacity(ids.len());
        let (mut read, mut failed) = (0, 0);
        while let Some(part) = parts.pop_front() {
            match self.observe_part(part, detail).await {
                Ok(some) => {
                    read += some.len();
                    found.extend(some);
                }
                Err(ForgeError::ServerFault { .. } | ForgeError::TooLarge { .. }) if part.len() >= FEWEST => {
                    let (first, second) = part.split_at(part.len() / 2);
                    parts.push_front(second);
                    parts.push_front(first);
                }
                // If none can be read, that is the forge's fault, and not that of each.
                Err(error)
                    if part.len() < FEWEST && error.concerns_one() && (read > 0 || failed < MOST_FAILED) =>
                {
                    failed += usize::from(matches!(error, ForgeError::ServerFault { .. }));
                    found.extend(part.iter().map(|id| Observed::Failed(id.clone(), error.clone())));
                }
                Err(error) => return Err(error),
            }
        }
        match found.pop() {
            Some(Observed::Failed(_, error)) if read == 0 => Err(error),
            last => {
                found.extend(last);
                Ok(found)
            }
        }
    }

    async fn observe_part(&self, ids: &[NodeId], detail: Detail) -> Result<Vec<Observed>, ForgeError> {
        let variables =
            json!({ "ids": ids, "whole": detail != Detail::Checks, "talk": detail == Detail::Talk });
        let (answer, denied): (Answer, _) = self.query_nodes(WHAT, OBSERVE, variables).await?;
        if answer.nodes.len() != ids.len() {
            return Err(ForgeError::Unreadable {
                host: self.endpoint.host().to_owned(),
                what: WHAT.to_owned(),
                why: format!("{} entries for {} ids", answer.nodes.len(), ids.len()),
                outcome_unknown: false,
            });
        }
        let mut found = Vec::with_capacity(ids.len());
        // Attributed by position: an id that was asked for may come back as another one after a migration.
        for (place, (id, node)) in ids.iter().zip(answer.nodes).enumerate() {
            let why = denied
                .iter()
                .find(|(at, _)| *at == place)
                .map(|(_, why)| why.to_string());
            found.push(match (node, why) {
                (Some(Node::PullRequest(raw)), _) => Observed::Pull(Box::new(self.pull(*raw).await?)),
                (Some(Node::Other) | None, Some(why)) => Observed::Denied(id.clone(), why),
                (Some(Node::Other) | None, None) => Observed::Gone(id.clone()),
            });
        }
        Ok(found)
    }

    async fn pull(&self, mut raw: Raw) -> Result<PullRequest, ForgeError> {
        let (mut contexts, next) = match raw.status_check_rollup.take() {
            Some(rollup) => {
                let next = rollup.contexts.next();
                (rollup.contexts.items().collect::<Vec<_>>(), next)
            }
            None => (Vec::new(), None),
        };
        let complete = match next {
            None => true,
            Some(next) => match self.further(&raw, next).await? {
                Some(more) => {
                    contexts.extend(more);
                    true
                }
                None => false,
            },
        };
        let mut checks = Checks {
            runs: checks(contexts),
            expected: Vec::new(),
            complete,
        };
        let rule = raw.base_ref.take().and_then(|base| base.ref_update_rule);
        let names: Vec<String> = rule
            .and_then(|rule| rule.required_status_check_contexts)
            .into_iter()
            .flatten()
            .flatten()
            .collect();
        checks.require(&names.iter().map(String::as_str).collect::<Vec<_>>());
        Ok(raw.read(checks))
    }

    /// Reads the pages of checks after the first. Nothing if the head moved meanwhile: they would be of two commits.
    async fn further(&self, raw: &Raw, first: String) -> Result<Option<Vec<Context>>, ForgeError> {
        let (mut contexts, mut next) = (Vec::new(), Some(first));
        for _ in 1..PAGES {
            let Some(after) = next else { break };
            let page: Page = self
                .query(WHAT, CONTEXTS, json!({ "pull": raw.id, "after": after }))
                .await?;
            let Some(node) = page
                .node
                .filter(|node| node.head_ref_oid.as_ref() == Some(&raw.head_ref_oid))
            else {
                return Ok(None);
            };
            let Some(rollup) = node.status_check_rollup else {
                return Ok(None);
            };
            next = rollup.contexts.next();
            contexts.extend(rollup.contexts.items());
        }
        Ok(next.is_none().then_some(contexts))
    }
}

impl Raw {
    fn read(self, checks: Checks) -> PullRequest {
        let counts = (self.comments, self.reviews, self.review_threads);
        PullRequest {
            id: self.id,
            number: self.number,
            url: line(&self.url),
            title: line(&self.title),
            author: Actor::of(self.author).0,
            state: pull_state(&self.state),
            draft: self.is_draft,
            updated_at: self.updated_at,
            merged_at: self.merged_at,
            merge_commit: self.merge_commit.map(|commit| Oid(commit.oid)),
            head: Head {
                oid: Oid(self.head_ref_oid),
                branch: line(&self.head_ref_name),
                repository: self.head_repository.and_then(RepositoryPart::read),
                from_fork: self.is_cross_repository,
            },
            base: Base {
                oid: Oid(self.base_ref_oid),
                branch: line(&self.base_ref_name),
                repository: self.base_repository.and_then(RepositoryPart::read),
            },
            mergeable: mergeable(&self.mergeable),
            merge_state: merge_state(&self.merge_state_status),
            review: self.review_decision.as_deref().and_then(review_state),
            queue: self
                .merge_queue_entry
                .filter(|_| self.is_in_merge_queue)
                .map(queue_entry),
            auto_merge_since: self
                .auto_merge_request
                .map(|auto| auto.enabled_at.unwrap_or(self.updated_at)),
            checks,
            labels: self
                .labels
                .map(|labels| labels.items().map(|label| line(&label.name)).collect()),
            reviews: self
                .latest_opinionated_reviews
                .map(|reviews| reviews.items().map(review).collect()),
            talk: match counts {
                (Some(comments), Some(reviews), Some(threads)) => Some(Talk {
                    comments: comments.total_count,
                    reviews: reviews.total_count,
                    threads: threads.total_count,
                }),
                _ => None,
            },
            conversation: self.conversation.read(),
        }
    }
}

fn queue_entry(entry: Entry) -> QueueEntry {
    QueueEntry {
        position: Some(entry.position),
        state: line(&entry.state.to_ascii_lowercase()),
    }
}

fn review(raw: RawReview) -> Review {
    Review {
        author: Actor::of(raw.author).0,
        decision: review_state(&raw.state),
        commit: raw.commit.map(|commit| Oid(commit.oid)),
    }
}

fn pull_state(word: &str) -> PullState {
    match word {
        "MERGED" => PullState::Merged,
        "CLOSED" => PullState::Closed,
        _ => PullState::Open,
    }
}

fn mergeable(word: &str) -> Mergeable {
    match word {
        "MERGEABLE" => Mergeable::Yes,
        "CONFLICTING" => Mergeable::Conflicts,
        _ => Mergeable::Unknown,
    }
}

fn merge_state(word: &str) -> MergeState {
    match word {
        // Hooks run on the server before a push and are no obstacle.
        "CLEAN" | "HAS_HOOKS" => MergeState::Clean,
        "UNSTABLE" => MergeState::Unstable,
        "BLOCKED" => MergeState::Blocked,
        "BEHIND" => MergeState::Behind,
        "DIRTY" => MergeState::Conflicts,
        "DRAFT" => MergeState::Draft,
        _ => MergeState::Unknown,
    }
}
