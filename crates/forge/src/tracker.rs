//! The trait of a tracker: where issues are that belong to no repository. An implementation translates; it keeps no facts and
//! decides nothing. Every method is bounded in time and in what it reads, and its errors name the way out. A forge's own issues
//! are read through [`crate::Forge::issue`] and changed through [`crate::Forge::write`].

use crate::error::ForgeError;
use crate::text::Excerpt;
use crate::types::conversation::Comment;
use crate::types::identity::NodeId;
use crate::types::issue::IssueLinks;
use async_trait::async_trait;

/// An issue of a tracker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrackedIssue {
    /// The tracker's id.
    pub id: NodeId,
    /// What people call it: `ENG-123`.
    pub key: IssueKey,
    /// Its page.
    pub url: String,
    /// Its title, one line.
    pub title: String,
    /// Its text.
    pub body: Excerpt,
    /// The branch that the tracker proposes.
    pub branch: Option<String>,
    /// How far the work on it is.
    pub progress: Progress,
    /// Who works on it; none if nobody does.
    pub assignee: Option<String>,
    /// The issues that it is connected with.
    pub links: IssueLinks,
    /// Its comments, the first ones first.
    pub comments: Vec<Comment>,
    /// Whether all comments are here.
    pub complete: bool,
    /// The state that says that work began, and the one that says that it is done; none if its team has no such state.
    pub states: States,
    /// The account of the key with which it was read.
    pub viewer: NodeId,
}

/// How far the work on an issue is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Progress {
    /// Nobody has begun.
    Waiting,
    /// Somebody works on it.
    Begun,
    /// It is done, or was given up.
    Over,
}

/// States of a team, by what they stand for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct States {
    /// The first state of work.
    pub begun: Option<NodeId>,
    /// The first state of finished work.
    pub done: Option<NodeId>,
}

/// The key of an issue: the team's, and a number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IssueKey {
    /// The key of the team, in capitals: `ENG`.
    pub team: String,
    /// The number in that team.
    pub number: u64,
}

/// The longest key of a team.
const LONGEST: usize = 20;

impl IssueKey {
    /// Reads `ENG-123`, in whatever case.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (team, digits) = text.trim().split_once('-')?;
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        let number = digits.parse().ok().filter(|number| *number > 0 && is_number)?;
        let mut bytes = team.bytes();
        let is_team = team.len() <= LONGEST
            && bytes.next().is_some_and(|byte| byte.is_ascii_alphabetic())
            && bytes.all(|byte| byte.is_ascii_alphanumeric());
        is_team.then(|| Self {
            team: team.to_ascii_uppercase(),
            number,
        })
    }
}

impl std::fmt::Display for IssueKey {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(to, "{}-{}", self.team, self.number)
    }
}

/// One tracker, with one key.
#[async_trait]
pub trait Tracker: Send + Sync {
    /// The host as people name it: `linear.app`.
    fn host(&self) -> &str;

    /// Reads an issue with its comments.
    async fn issue(&self, key: &IssueKey) -> Result<TrackedIssue, ForgeError>;

    /// Returns the key of a team, by its id or its key.
    async fn team(&self, id: &str) -> Result<String, ForgeError>;

    /// Moves an issue to a state, and gives it to an account; what is none stays.
    async fn update(
        &self,
        issue: &NodeId,
        state: Option<&NodeId>,
        assignee: Option<&NodeId>,
    ) -> Result<(), ForgeError>;

    /// Comments on an issue. `id` is the new comment's, so that a repeat is refused.
    async fn comment(&self, issue: &NodeId, id: &str, text: &str) -> Result<(), ForgeError>;
}

#[cfg(test)]
mod tests {
    use super::IssueKey;

    #[test]
    fn a_key_is_a_team_and_a_number() {
        for (text, expected) in [
            ("ENG-123", Some("ENG-123")),
            (" lin2-7 ", Some("LIN2-7")),
            ("ENG-0", None),
            ("ENG-", None),
            ("ENG-+7", None),
            ("2ENG-7", None),
            ("-7", None),
            ("ENG-1-2", None),
            ("fix-the-cart", None),
            ("ENG 7", None),
        ] {
            let read = IssueKey::parse(text).map(|key| key.to_string());
            assert_eq!(read.as_deref(), expected, "{text}");
        }
    }
}
