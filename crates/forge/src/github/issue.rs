//! Issues with their comments.

use crate::error::ForgeError;
use crate::text::{Excerpt, line};
use crate::types::identity::{NodeId, RepositoryName};
use crate::types::issue::Issue;
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::json;

use super::api::Api;
use super::conversation::RawComment;
use super::parts::{Actor, Connection, Named};
use super::queries::ISSUE;

const WHAT: &str = "read an issue";

#[derive(Deserialize)]
struct Answer {
    repository: Option<Holder>,
}

#[derive(Deserialize)]
struct Holder {
    issue: Option<Raw>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Raw {
    id: NodeId,
    number: u64,
    url: String,
    title: String,
    body: String,
    state: String,
    updated_at: Timestamp,
    author: Option<Actor>,
    repository: Place,
    assignees: Connection<Actor>,
    labels: Option<Connection<Named>>,
    comments: Connection<RawComment>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Place {
    name_with_owner: String,
}

impl Api {
    /// An issue by its number. One that was transferred answers under its new repository.
    pub(super) async fn issue(&self, repository: &RepositoryName, number: u64) -> Result<Issue, ForgeError> {
        let variables = json!({ "owner": repository.owner(), "name": repository.name(), "number": number });
        let answer: Answer = self.query(WHAT, ISSUE, variables).await?;
        let raw = answer
            .repository
            .and_then(|repository| repository.issue)
            .ok_or_else(|| ForgeError::Gone {
                host: self.endpoint.host().to_owned(),
                what: WHAT.to_owned(),
            })?;
        Ok(raw.read(repository))
    }
}

impl Raw {
    fn read(self, asked: &RepositoryName) -> Issue {
        Issue {
            id: self.id,
            repository: RepositoryName::parse(&self.repository.name_with_owner)
                .unwrap_or_else(|| asked.clone()),
            number: self.number,
            url: line(&self.url),
            title: line(&self.title),
            body: Excerpt::body(&self.body),
            open: self.state == "OPEN",
            author: Actor::of(self.author).0,
            assignees: self.assignees.items().map(|one| line(&one.login)).collect(),
            labels: self
                .labels
                .into_iter()
                .flat_map(Connection::items)
                .map(|one| line(&one.name))
                .collect(),
            updated_at: self.updated_at,
            complete: self.comments.next().is_none(),
            comments: self.comments.items().map(RawComment::read).collect(),
        }
    }
}
