//! The trait of a forge. An implementation translates; it keeps no facts and decides nothing. Every method is bounded in
//! time and in what it reads, and its errors name the way out.

use crate::error::ForgeError;
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

/// One forge, with one token.
#[async_trait]
pub trait Forge: Send + Sync {
    /// The host as people name it: `github.com`.
    fn host(&self) -> &str;

    /// What the answers so far said about limits. Asks nothing.
    fn limits(&self) -> Limits;

    /// Whose token it is, and what it may do.
    async fn viewer(&self) -> Result<Viewer, ForgeError>;

    /// Looks a repository up by name. One that was renamed or transferred answers under its new name.
    async fn repository(&self, name: &RepositoryName) -> Result<Repository, ForgeError>;

    /// Asks whether anything changed since `seen`. Free of cost if not.
    async fn changes(&self, repository: &RepositoryName, seen: &Seen) -> Result<Changes, ForgeError>;

    /// Lists the open pull requests, at most 1,000, the most recently changed first.
    async fn open_pulls(&self, repository: &RepositoryName) -> Result<Vec<PullStub>, ForgeError>;

    /// Finds the pull requests that have this commit, whoever opened them.
    async fn pulls_with(
        &self,
        repository: &RepositoryName,
        commit: &Oid,
    ) -> Result<Vec<PullStub>, ForgeError>;

    /// Observes pull requests. The result has one entry for each id, in the order of the ids.
    async fn observe(&self, pulls: &[NodeId], detail: Detail) -> Result<Vec<Observed>, ForgeError>;

    /// What a base branch demands.
    async fn protection(&self, repository: &RepositoryName, branch: &str) -> Result<Protection, ForgeError>;

    /// Asks for the checks of a pull request's head in another way, before it is merged.
    async fn confirm(&self, pull: &PullRequest, protection: &Protection) -> Result<Confirmation, ForgeError>;

    /// Why a check failed.
    async fn failure(
        &self,
        repository: &RepositoryName,
        check: &Check,
        detail: FailureDetail,
    ) -> Result<CheckFailure, ForgeError>;

    /// What was said about pull requests. The result has one entry for each id, in the order of the ids; none for one
    /// that is gone.
    async fn conversations(&self, pulls: &[NodeId]) -> Result<Vec<Option<Conversation>>, ForgeError>;

    /// Why the forge does not merge a pull request by itself any more that was in its queue; nothing if it does not say that.
    async fn left_queue(&self, pull: &NodeId) -> Result<Option<String>, ForgeError>;

    /// An issue with its comments.
    async fn issue(&self, repository: &RepositoryName, number: u64) -> Result<Issue, ForgeError>;

    /// The issues that an issue is connected with; none of a kind that the forge, or its version, does not have.
    async fn links(&self, repository: &RepositoryName, number: u64) -> Result<IssueLinks, ForgeError>;

    /// Changes something, once: nothing is repeated here. Writes are at least a second apart, as GitHub advises.
    async fn write(&self, write: &Write) -> Result<Written, ForgeError>;
}
