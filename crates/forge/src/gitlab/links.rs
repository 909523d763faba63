//! The issues that an issue is linked with. Child items have no REST API at GitLab; epics are of a group and not of an issue.

use crate::error::ForgeError;
use crate::text::line;
use crate::types::identity::RepositoryName;
use crate::types::issue::{IssueLinks, LinkedIssue, MOST_LINKS};
use serde::Deserialize;

use super::api::Api;

const WHAT: &str = "read the issues that an issue is connected with";

#[derive(Debug, Deserialize)]
struct Raw {
    iid: u64,
    title: String,
    web_url: String,
    state: String,
    link_type: String,
    references: Option<References>,
}

#[derive(Debug, Deserialize)]
struct References {
    full: String,
}

impl Api {
    pub(super) async fn links(
        &self,
        repository: &RepositoryName,
        number: u64,
    ) -> Result<IssueLinks, ForgeError> {
        let (name, number) = (repository.to_string(), number.to_string());
        let path = ["projects", name.as_str(), "issues", number.as_str(), "links"];
        let all = match self.get::<Vec<Raw>>(WHAT, &path, &[]).await {
            Ok(all) => all,
            Err(ForgeError::Gone { .. }) => Vec::new(),
            Err(error) => return Err(error),
        };
        let of = |kinds: &[&str]| {
            let wanted = all.iter().filter(|one| kinds.contains(&one.link_type.as_str()));
            wanted.take(MOST_LINKS).map(|one| one.read(repository)).collect()
        };
        Ok(IssueLinks {
            children: Vec::new(),
            blocked_by: of(&["is_blocked_by"]),
            perhaps_parts: of(&["relates_to", "is_blocked_by"]),
        })
    }
}

impl Raw {
    fn read(&self, asked: &RepositoryName) -> LinkedIssue {
        let full = self.references.as_ref().map(|all| line(&all.full));
        LinkedIssue {
            key: full.unwrap_or_else(|| format!("{asked}#{}", self.iid)),
            title: line(&self.title),
            url: line(&self.web_url),
            open: self.state == "opened",
        }
    }
}
