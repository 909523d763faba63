//! An issue as Linear describes it.

use crate::text::{Excerpt, line};
use crate::tracker::{IssueKey, Progress, States, TrackedIssue};
use crate::types::conversation::Comment;
use crate::types::identity::NodeId;
use crate::types::issue::{IssueLinks, LinkedIssue};
use jiff::Timestamp;
use serde::Deserialize;

#[derive(Deserialize)]
pub(super) struct Answer {
    viewer: Id,
    issue: Raw,
}

#[derive(Deserialize)]
struct Id {
    id: NodeId,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Raw {
    id: NodeId,
    identifier: String,
    url: String,
    title: String,
    description: Option<String>,
    branch_name: String,
    state: State,
    assignee: Option<Person>,
    team: Team,
    children: Nodes<Linked>,
    inverse_relations: Nodes<Relation>,
    comments: Comments,
}

#[derive(Deserialize)]
struct Linked {
    identifier: String,
    title: String,
    url: String,
    state: State,
}

/// What another issue is to this one: with the type `blocks`, that one blocks this one.
#[derive(Deserialize)]
struct Relation {
    #[serde(rename = "type")]
    kind: String,
    issue: Linked,
}

#[derive(Deserialize)]
struct State {
    #[serde(rename = "type")]
    kind: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Person {
    display_name: String,
}

#[derive(Deserialize)]
struct Team {
    states: Nodes<TeamState>,
}

#[derive(Deserialize)]
struct Nodes<T> {
    nodes: Vec<T>,
}

#[derive(Deserialize)]
struct TeamState {
    id: NodeId,
    #[serde(rename = "type")]
    kind: String,
    position: f64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Comments {
    page_info: PageInfo,
    nodes: Vec<RawComment>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PageInfo {
    has_next_page: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawComment {
    id: NodeId,
    body: String,
    url: String,
    created_at: Timestamp,
    updated_at: Timestamp,
    user: Option<Person>,
    bot_actor: Option<Bot>,
}

#[derive(Deserialize)]
struct Bot {
    name: Option<String>,
}

impl Answer {
    /// Returns the issue; none if its key cannot be read.
    pub(super) fn read(self) -> Option<TrackedIssue> {
        let raw = self.issue;
        let mut comments: Vec<Comment> = raw.comments.nodes.into_iter().map(RawComment::read).collect();
        comments.sort_by_key(|comment| comment.created_at);
        Some(TrackedIssue {
            id: raw.id,
            key: IssueKey::parse(&raw.identifier)?,
            url: line(&raw.url),
            title: line(&raw.title),
            body: Excerpt::body(raw.description.as_deref().unwrap_or_default()),
            branch: Some(line(&raw.branch_name)).filter(|branch| !branch.is_empty()),
            progress: progress(&raw.state.kind),
            assignee: raw.assignee.map(|person| line(&person.display_name)),
            links: IssueLinks {
                children: raw.children.nodes.into_iter().map(Linked::read).collect(),
                blocked_by: blocking(raw.inverse_relations.nodes),
                ..IssueLinks::default()
            },
            complete: !raw.comments.page_info.has_next_page,
            comments,
            states: States {
                begun: first(&raw.team.states.nodes, "started"),
                done: first(&raw.team.states.nodes, "completed"),
            },
            viewer: self.viewer.id,
        })
    }
}

/// Returns the issues that block the one with these relations.
fn blocking(relations: Vec<Relation>) -> Vec<LinkedIssue> {
    let blocking = relations.into_iter().filter(|one| one.kind == "blocks");
    blocking.map(|one| one.issue.read()).collect()
}

impl Linked {
    fn read(self) -> LinkedIssue {
        LinkedIssue {
            key: line(&self.identifier),
            title: line(&self.title),
            url: line(&self.url),
            open: progress(&self.state.kind) != Progress::Over,
        }
    }
}

/// Returns how far the work is in a state of this kind.
fn progress(kind: &str) -> Progress {
    match kind {
        "started" => Progress::Begun,
        "completed" | "canceled" | "duplicate" => Progress::Over,
        _ => Progress::Waiting,
    }
}

/// Returns the first state of a kind, in the order of the team.
fn first(states: &[TeamState], kind: &str) -> Option<NodeId> {
    let of_kind = states.iter().filter(|state| state.kind == kind);
    let first = of_kind.min_by(|one, other| one.position.total_cmp(&other.position));
    first.map(|state| state.id.clone())
}

impl RawComment {
    fn read(self) -> Comment {
        let bot = self.bot_actor.and_then(|bot| bot.name);
        let by_bot = self.user.is_none() && bot.is_some();
        Comment {
            id: self.id,
            author: self
                .user
                .map(|person| person.display_name)
                .or(bot)
                .map(|name| line(&name)),
            by_bot,
            body: Excerpt::body(&self.body),
            url: line(&self.url),
            created_at: self.created_at,
            updated_at: self.updated_at,
            review: None,
        }
    }
}
