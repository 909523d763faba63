//! The issues that an issue is connected with: its sub-issues, and those that block it. By REST, because a GraphQL query with a field
//! that an older GitHub lacks fails as a whole.

use crate::error::ForgeError;
use crate::text::line;
use crate::types::identity::RepositoryName;
use crate::types::issue::{IssueLinks, LinkedIssue, MOST_LINKS};
use serde::Deserialize;

use super::api::Api;

const WHAT: &str = "read the issues that an issue is connected with";

#[derive(Deserialize)]
struct Raw {
    number: u64,
    title: String,
    html_url: String,
    state: String,
}

impl Api {
    pub(super) async fn links(
        &self,
        repository: &RepositoryName,
        number: u64,
    ) -> Result<IssueLinks, ForgeError> {
        Ok(IssueLinks {
            children: self.linked(repository, number, &["sub_issues"]).await?,
            blocked_by: self
                .linked(repository, number, &["dependencies", "blocked_by"])
                .await?,
            ..IssueLinks::default()
        })
    }

    /// One kind; none if this GitHub does not have it.
    async fn linked(
        &self,
        repository: &RepositoryName,
        number: u64,
        kind: &[&str],
    ) -> Result<Vec<LinkedIssue>, ForgeError> {
        let (number, most) = (number.to_string(), MOST_LINKS.to_string());
        let rest = [&["issues", number.as_str()], kind].concat();
        let path = Self::path(repository, &rest);
        match self.get::<Vec<Raw>>(WHAT, &path, &[("per_page", &most)]).await {
            Ok(all) => Ok(all
                .into_iter()
                .take(MOST_LINKS)
                .map(|one| one.read(repository))
                .collect()),
            Err(ForgeError::Gone { .. }) => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    }
}

impl Raw {
    /// An issue of another repository names it in the address of its page.
    fn read(self, asked: &RepositoryName) -> LinkedIssue {
        let place = self.html_url.rsplit_once("/issues/").and_then(|(page, _)| {
            let mut parts = page.rsplit('/');
            let (name, owner) = (parts.next()?, parts.next()?);
            RepositoryName::parse(&format!("{owner}/{name}"))
        });
        let place = place.unwrap_or_else(|| asked.clone());
        LinkedIssue {
            key: format!("{place}#{}", self.number),
            title: line(&self.title),
            url: line(&self.html_url),
            open: self.state == "open",
        }
    }
}
