//! A repository: what it is called now, and what its settings allow.

use crate::types::identity::{NodeId, RepositoryName};
use crate::types::write::MergeStrategy;
use serde::{Deserialize, Serialize};

/// A repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repository {
    /// The forge's id.
    pub id: NodeId,
    /// The host that it is on.
    pub host: String,
    /// Its name now. It differs from the requested one if the repository was renamed or transferred.
    pub name: RepositoryName,
    /// Whether it answered under another name than the requested one.
    pub renamed: bool,
    /// Its page.
    pub url: String,
    /// The branch that pull requests go to by default; none if it is empty.
    pub default_branch: Option<String>,
    /// Whether it is read-only.
    pub archived: bool,
    /// Whether the token may push to it.
    pub can_push: bool,
    /// The merge strategies that its settings allow.
    pub strategies: Vec<MergeStrategy>,
    /// Whether pull requests may merge themselves when their requirements are met.
    pub auto_merge_allowed: bool,
    /// Whether the forge deletes the branch of a merged pull request.
    pub deletes_branch_on_merge: bool,
}
