//! The forge itself: who we are, and each method of the trait passed to its module.

use crate::error::ForgeError;
use crate::forge::Forge;
use crate::http::{Options, Token};
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
use crate::types::write::{Write, Written};
use async_trait::async_trait;
use serde::Deserialize;

use super::api::Api;
use super::endpoint::Endpoint;
use super::parts::User;

/// A host of GitLab, with one token.
#[derive(Debug)]
pub struct GitLab {
    api: Api,
}

#[derive(Debug, Deserialize)]
struct Own {
    #[serde(default)]
    scopes: Vec<String>,
}

impl GitLab {
    /// Prepares a client. Nothing is sent.
    ///
    /// # Errors
    /// [`ForgeError::BadHost`], if TLS cannot be set up.
    pub fn new(endpoint: Endpoint, token: Token, options: Options) -> Result<Self, ForgeError> {
        Ok(Self {
            api: Api::new(endpoint, token, options)?,
        })
    }
}

#[async_trait]
impl Forge for GitLab {
    fn host(&self) -> &str {
        self.api.endpoint.host()
    }

    fn limits(&self) -> Limits {
        self.api.transport.meter.limits()
    }

    async fn viewer(&self) -> Result<Viewer, ForgeError> {
        let what = "read whose token it is";
        let user: User = self.api.get(what, &["user"], &[]).await?;
        // Only access tokens know their scopes; one of OAuth has no such page.
        let own = self
            .api
            .get::<Own>(what, &["personal_access_tokens", "self"], &[]);
        let scopes = own.await.map(|own| own.scopes).unwrap_or_default();
        Ok(Viewer {
            login: line(&user.username),
            scopes: scopes.iter().map(|scope| line(scope)).collect(),
        })
    }

    async fn repository(&self, name: &RepositoryName) -> Result<Repository, ForgeError> {
        self.api.repository(name).await
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

    async fn protection(&self, repository: &RepositoryName, _branch: &str) -> Result<Protection, ForgeError> {
        self.api.protection(repository).await
    }

    async fn confirm(&self, pull: &PullRequest, protection: &Protection) -> Result<Confirmation, ForgeError> {
        self.api.confirm(pull, protection).await
    }

    async fn failure(
        &self,
        _repository: &RepositoryName,
        check: &Check,
        detail: FailureDetail,
    ) -> Result<CheckFailure, ForgeError> {
        self.api.failure(check, detail).await
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
