//! An issue with its comments, for the first prompt of a session, and the issues that it is connected with.

use crate::text::Excerpt;
use crate::types::conversation::Comment;
use crate::types::identity::{NodeId, RepositoryName};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// An issue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Issue {
    /// The forge's id.
    pub id: NodeId,
    /// Its repository now: an issue can be transferred.
    pub repository: RepositoryName,
    /// Its number there.
    pub number: u64,
    /// Its page.
    pub url: String,
    /// Its title, one line.
    pub title: String,
    /// Its text.
    pub body: Excerpt,
    /// Whether it is open.
    pub open: bool,
    /// Who opened it; none if the account is gone.
    pub author: Option<String>,
    /// Who works on it.
    pub assignees: Vec<String>,
    /// Its labels.
    pub labels: Vec<String>,
    /// When it was last changed.
    pub updated_at: Timestamp,
    /// Its first comments.
    pub comments: Vec<Comment>,
    /// Whether all comments are here.
    pub complete: bool,
}

/// An issue as another one names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkedIssue {
    /// What people call it: `acme/shop#42`, `ENG-42`.
    pub key: String,
    /// Its title, one line.
    pub title: String,
    /// Its page.
    pub url: String,
    /// Whether it is open.
    pub open: bool,
}

/// The issues that an issue is connected with, at most [`MOST_LINKS`] of each kind.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IssueLinks {
    /// The issues that it consists of.
    pub children: Vec<LinkedIssue>,
    /// The issues that have to be closed before it can be worked on.
    pub blocked_by: Vec<LinkedIssue>,
    /// The issues that it may consist of, where the forge does not list its parts: those that it is related to or blocked by.
    pub perhaps_parts: Vec<LinkedIssue>,
}

/// The number of connected issues of each kind that are read.
pub const MOST_LINKS: usize = 100;
