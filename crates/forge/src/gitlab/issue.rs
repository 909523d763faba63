//! Issues with their comments.

use crate::error::ForgeError;
use crate::text::{Excerpt, line};
use crate::types::identity::RepositoryName;
use crate::types::issue::Issue;
use jiff::Timestamp;
use serde::Deserialize;

use super::api::Api;
use super::conversation::Note;
use super::ids::{Kind, Numbered};
use super::parts::User;

const WHAT: &str = "read an issue";

#[derive(Debug, Deserialize)]
struct Raw {
    id: u64,
    iid: u64,
    project_id: u64,
    title: String,
    description: Option<String>,
    state: String,
    web_url: String,
    author: Option<User>,
    #[serde(default)]
    assignees: Vec<User>,
    #[serde(default)]
    labels: Vec<String>,
    updated_at: Timestamp,
    references: Option<References>,
}

#[derive(Debug, Deserialize)]
struct References {
    full: String,
}

impl Api {
    /// An issue by its number.
    pub(super) async fn issue(&self, repository: &RepositoryName, number: u64) -> Result<Issue, ForgeError> {
        let (name, number) = (repository.to_string(), number.to_string());
        let path = ["projects", name.as_str(), "issues", number.as_str()];
        let raw: Raw = self.get(WHAT, &path, &[]).await?;
        let oldest = [("order_by", "created_at"), ("sort", "asc")];
        let notes = self
            .list::<Note>(WHAT, &[&path[..], &["notes"]].concat(), &oldest, 1)
            .await?;
        let full = raw.references.as_ref().and_then(|all| all.full.rsplit_once('#'));
        let id = Numbered {
            kind: Kind::Issue,
            id: raw.id,
            project: raw.project_id,
            iid: raw.iid,
        };
        let said = notes.items.iter().filter(|note| !note.system);
        Ok(Issue {
            id: id.node(),
            repository: full
                .and_then(|(path, _)| RepositoryName::parse(path))
                .unwrap_or_else(|| repository.clone()),
            number: raw.iid,
            url: line(&raw.web_url),
            title: line(&raw.title),
            body: Excerpt::body(raw.description.as_deref().unwrap_or_default()),
            open: raw.state == "opened",
            author: User::of(raw.author.as_ref()).0,
            assignees: raw.assignees.iter().map(|one| line(&one.username)).collect(),
            labels: raw.labels.iter().map(|one| line(one)).collect(),
            updated_at: raw.updated_at,
            comments: said.map(|note| note.read(&raw.web_url)).collect(),
            complete: notes.complete,
        })
    }
}
