//! The forge itself: who we are, repositories, and each method of the trait passed to its module.

use crate::error::ForgeError;
use crate::forge::Forge;
use crate::text::line;
use crate::types::changes::{Changes, PullStub, Seen};
use crate::types::checks::{Check, Confirmation, Protection};
use crate::types::conversation::Conversation;
use crate::types::failure::{CheckFailure, FailureDetail};
use crate::types::identity::{NodeId, Oid, RepositoryName};
use crate::types::issue::{Issue, IssueLinks};
use crate::types::limit::{Limits, Viewer};
use crate::types::pull::{Detail, Observed, PullRequest};
use crate::types::repository::Repository;
use crate::types::write::{MergeStrategy, Write, Written};
use async_trait::async_trait;
use serde::Deserialize;
use serde_json::json;

use super::api::Api;
use super::endpoint::Endpoint;
use super::parts::Named;
use super::queries::REPOSITORY;
use crate::http::Options;
use crate::http::Token;
use crate::http::asked::listed;
use crate::http::meter::text;

/// A host of GitHub, with one token.
#[derive(Debug)]
pub struct GitHub {
    api: Api,
}

#[derive(Deserialize)]
struct User {
    login: String,
}

#[derive(Deserialize)]
struct Answer {
    repository: Option<Raw>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_excessive_bools, reason = "GitHub's own fields")]
struct Raw {
    id: NodeId,
    name_with_owner: String,
    url: String,
    is_archived: bool,
    viewer_permission: Option<String>,
    squash_merge_allowed: bool,
    merge_commit_allowed: bool,
    rebase_merge_allowed: bool,
    auto_merge_allowed: bool,
    delete_branch_on_merge: bool,
    default_branch_ref: Option<Named>,
}

impl GitHub {
    /// Prepares a client. Nothing is sent.
    ///
    /// # Errors
    /// [`ForgeError::BadHost`], if TLS cannot be set up.
    pub fn new(endpoint: Endpoint, token: Token, options: Options) -> Result<Self, ForgeError> {
        Ok(Self {
            api: Api::new(endpoint, token, options)?,
        })
    }

    fn gone(&self, what: &str) -> ForgeError {
        ForgeError::Gone {
            host: self.host().to_owned(),
            what: what.to_owned(),
        }
    }
}

#[async_trait]
impl Forge for GitHub {
    fn host(&self) -> &str {
        self.api.endpoint.host()
    }

    fn limits(&self) -> Limits {
        self.api.transport.meter.limits()
    }

    /// By REST, because only its headers name the scopes.
    async fn viewer(&self) -> Result<Viewer, ForgeError> {
        let what = "read whose token it is";
        let answer = self
            .api
            .send(self.api.getting(what, &["user"], &[], None))
            .await?;
        let user: User = serde_json::from_slice(&answer.body).map_err(|error| ForgeError::Unreadable {
            host: self.host().to_owned(),
            what: what.to_owned(),
            why: line(&error.to_string()),
            outcome_unknown: false,
        })?;
        let scopes = text(&answer.headers, "x-oauth-scopes")
            .map(|names| listed(names, ','))
            .unwrap_or_default();
        Ok(Viewer {
            login: line(&user.login),
            scopes,
        })
    }

    async fn repository(&self, name: &RepositoryName) -> Result<Repository, ForgeError> {
        let what = "read a repository";
        let variables = json!({ "owner": name.owner(), "name": name.name() });
        let answer: Answer = self.api.query(what, REPOSITORY, variables).await?;
        let raw = answer.repository.ok_or_else(|| self.gone(what))?;
        raw.read(self.host(), name).ok_or_else(|| self.gone(what))
    }

    async fn changes(&self, repository: &RepositoryName, seen: &Seen) -> Result<Changes, ForgeError> {
        self.api.changes(repository, seen).await
    }

    async fn open_pulls(&self, repository: &RepositoryName) -> Result<Vec<PullStub>, ForgeError> {
        self.api.open_pulls(repository).await
    }

    async fn pulls_with(
        &self,
        repository: &RepositoryName,
        commit: &Oid,
    ) -> Result<Vec<PullStub>, ForgeError> {
        self.api.pulls_with(repository, commit).await
    }

    async fn observe(&self, pulls: &[NodeId], detail: Detail) -> Result<Vec<Observed>, ForgeError> {
        self.api.observe(pulls, detail).await
    }

    async fn protection(&self, repository: &RepositoryName, branch: &str) -> Result<Protection, ForgeError> {
        self.api.protection(repository, branch).await
    }

    async fn confirm(&self, pull: &PullRequest, protection: &Protection) -> Result<Confirmation, ForgeError> {
        self.api.confirm(pull, protection).await
    }

    async fn failure(
        &self,
        repository: &RepositoryName,
        check: &Check,
        detail: FailureDetail,
    ) -> Result<CheckFailure, ForgeError> {
        self.api.failure(repository, check, detail).await
    }

    async fn conversations(&self, pulls: &[NodeId]) -> Result<Vec<Option<Conversation>>, ForgeError> {
        self.api.conversations(pulls).await
    }

    async fn left_queue(&self, pull: &NodeId) -> Result<Option<String>, ForgeError> {
        self.api.left_queue(pull).await
    }

    async fn issue(&self, repository: &RepositoryName, number: u64) -> Result<Issue, ForgeError> {
        self.api.issue(repository, number).await
    }

    async fn links(&self, repository: &RepositoryName, number: u64) -> Result<IssueLinks, ForgeError> {
        self.api.links(repository, number).await
    }

    async fn write(&self, write: &Write) -> Result<Written, ForgeError> {
        self.api.write(write).await
    }
}

impl Raw {
    fn read(self, host: &str, asked: &RepositoryName) -> Option<Repository> {
        let name = RepositoryName::parse(&self.name_with_owner)?;
        let strategies = [
            (self.squash_merge_allowed, MergeStrategy::Squash),
            (self.merge_commit_allowed, MergeStrategy::Merge),
            (self.rebase_merge_allowed, MergeStrategy::Rebase),
        ];
        Some(Repository {
            id: self.id,
            host: host.to_owned(),
            renamed: name != *asked,
            name,
            url: line(&self.url),
            default_branch: self.default_branch_ref.map(|branch| line(&branch.name)),
            archived: self.is_archived,
            can_push: matches!(
                self.viewer_permission.as_deref(),
                Some("ADMIN" | "MAINTAIN" | "WRITE")
            ),
            strategies: strategies
                .into_iter()
                .filter(|(allowed, _)| *allowed)
                .map(|(_, one)| one)
                .collect(),
            auto_merge_allowed: self.auto_merge_allowed,
            deletes_branch_on_merge: self.delete_branch_on_merge,
        })
    }
}
