//! What the schedule is computed from. Whoever keeps the facts fills these in; nothing here follows from them.

use crate::types::identity::{NodeId, RepositoryName};
use crate::types::limit::Limits;
use jiff::Timestamp;

/// Everything known of one host that matters for what to ask it.
#[derive(Debug, Clone, Copy)]
pub struct Facts<'a> {
    /// The repositories with sessions.
    pub repositories: &'a [RepositoryFacts],
    /// Their pull requests that are followed.
    pub pulls: &'a [PullFacts],
    /// What the forge lets us ask.
    pub limits: &'a Limits,
    /// The queries of the last hour; older ones do not matter.
    pub spent: &'a [Spent],
}

/// A query that was paid for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spent {
    /// When it was sent.
    pub at: Timestamp,
    /// What it cost.
    pub points: u64,
}

/// A repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepositoryFacts {
    /// Its name.
    pub name: RepositoryName,
    /// When it was last asked for changes, successfully or not.
    pub asked_at: Option<Timestamp>,
    /// When a session last pushed to it.
    pub pushed_at: Option<Timestamp>,
    /// How many requests failed since the last one that did not.
    pub failures: u32,
}

/// What a pull request waits for that it would not be told of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pending {
    /// Nothing.
    Nothing,
    /// Only jobs of the forge's own CI, whose list tells when they end.
    Jobs,
    /// A check of another service: nothing but the pull request itself tells when it ends.
    Elsewhere,
}

/// A change that a list showed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// None.
    Nothing,
    /// One of its runs began or ended.
    Run,
    /// Its own time of change moved: a push, a comment, a label, its state.
    Itself,
}

/// A pull request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PullFacts {
    /// The forge's id.
    pub id: NodeId,
    /// Whether it was open when last observed.
    pub open: bool,
    /// When it was last observed.
    pub observed_at: Option<Timestamp>,
    /// The change that a list showed and that has not been observed.
    pub change: Change,
    /// What it waits for.
    pub pending: Pending,
    /// How often in a row its mergeability was unknown.
    pub unknown_asks: u32,
    /// Since when the extent of its conversation is known to differ from what was read, or not all of it was read.
    pub talked_since: Option<Timestamp>,
    /// How many requests about it failed since the last one that did not.
    pub failures: u32,
    /// When the last one failed.
    pub failed_at: Option<Timestamp>,
}
