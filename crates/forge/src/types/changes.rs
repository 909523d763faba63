//! Whether anything changed in a repository since the last look, which costs nothing if not.

use crate::types::checks::CheckState;
use crate::types::identity::{NodeId, Oid};
use crate::types::pull::PullState;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// What the forge gave with an answer so that it can be asked "and now?".
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Validator {
    /// For `If-Modified-Since`, preferred where both are there: entity tags change with the headers of a request.
    LastModified(String),
    /// For `If-None-Match`.
    Tag(String),
    /// For lists that tell what changed since a time.
    Since {
        /// The time, by the forge's clock. It is a little before the newest change that was seen.
        from: Timestamp,
        /// A digest of what was seen of it since that time.
        digest: u64,
    },
}

/// What was seen. The caller stores it together with what followed from the changes, and never before: whatever is lost
/// in between is then seen again.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    /// Of the list of pull requests.
    pub pulls: Option<Validator>,
    /// Of the list of CI runs.
    pub runs: Option<Validator>,
}

/// A pull request in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PullStub {
    /// The forge's id.
    pub id: NodeId,
    /// Its number.
    pub number: u64,
    /// Whether it is open.
    pub state: PullState,
    /// The commit of its branch.
    pub head: Oid,
    /// The name of its branch.
    pub branch: String,
    /// The repository of its branch, `owner/name`; none if a fork was deleted.
    pub head_repository: Option<String>,
    /// Whether its branch is, or was, in a repository other than the one that it is to be merged into.
    pub from_fork: bool,
    /// The account that opened it; none if it was deleted.
    pub author: Option<String>,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// A CI run in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunStub {
    /// The run's number at the forge.
    pub id: u64,
    /// The commit that it runs on.
    pub head: Oid,
    /// Its state.
    pub state: CheckState,
}

/// What changed. A list that did not change is none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Changes {
    /// The most recently changed pull requests, open or not.
    pub pulls: Option<Vec<PullStub>>,
    /// Whether more pull requests may have changed than `pulls` has.
    pub is_cut: bool,
    /// The most recent runs.
    pub runs: Option<Vec<RunStub>>,
    /// What to pass next time.
    pub seen: Seen,
}

impl Changes {
    /// Nothing that changed since then.
    pub(crate) fn since(seen: &Seen) -> Self {
        Self {
            seen: seen.clone(),
            ..Self::default()
        }
    }

    /// Whether nothing changed.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        self.pulls.is_none() && self.runs.is_none()
    }
}
