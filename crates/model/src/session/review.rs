//! The last review of a session's work here: it was approved, or changes were requested, each of exactly one commit. Says how
//! a review stands in words for all faces. Not reviews at a forge (see [`crate::pull`]), and not what follows from a review.

use crate::count::count;
use crate::message::Sender;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// What a reviewer says of a session's work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub enum ReviewVerdict {
    /// The commit is good. Only the person says this.
    Approved,
    /// Something has to change before the work is merged.
    ChangesRequested,
}

/// A comment on a changed line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LineComment {
    /// The file, relative to the workspace.
    pub path: String,
    /// The number of the line in the file after the change; before it, if the line was removed.
    pub line: u32,
    /// Whether the line was removed; default no.
    #[serde(default)]
    #[ts(optional)]
    pub removed: Option<bool>,
    /// The line itself; default none.
    #[serde(default)]
    #[ts(optional)]
    pub quote: Option<String>,
    /// The comment.
    pub text: String,
}

/// A review as it is stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Review {
    /// Which review of the session it is, from 1.
    pub number: u32,
    /// What the reviewer says.
    pub verdict: ReviewVerdict,
    /// The reviewer: the person, or a conductor.
    pub by: Sender,
    /// The time of the review.
    pub at: Timestamp,
    /// The full id of the commit that was looked at, the newest one at that time.
    pub commit: String,
    /// The number of files that were not committed then.
    pub uncommitted: u32,
    /// What is said of the work as a whole; may be empty.
    pub summary: String,
    /// The comments on lines.
    #[serde(default)]
    pub comments: Vec<LineComment>,
    /// Whether the project had checks then.
    pub has_checks: bool,
    /// The newest commit of the session's work, as it was last seen.
    pub head: String,
    /// The number of commits between the two; `None` if there are none, or if they could not be counted.
    #[serde(default)]
    pub newer: Option<u32>,
}

/// A review as faces show it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct SessionReview {
    /// Which review of the session it is, from 1.
    pub number: u32,
    /// What the reviewer says.
    pub verdict: ReviewVerdict,
    /// The reviewer: the person, or a conductor.
    pub by: Sender,
    /// The time of the review.
    #[ts(type = "string")]
    pub at: Timestamp,
    /// The full id of the commit that was looked at.
    pub commit: String,
    /// The number of files that were not committed then, and so were not approved.
    pub uncommitted: u32,
    /// The number of comments on lines.
    pub comments: u32,
    /// Whether the session's work is at another commit by now. An approval then counts for nothing.
    pub is_outdated: bool,
    /// The number of commits since, if they could be counted.
    pub newer: Option<u32>,
    /// How the review stands, in words: `approved by you at a1b2c3d4`.
    pub text: String,
}

impl Review {
    /// Returns whether the session's work is at another commit by now; `head` is another observation of its newest commit.
    #[must_use]
    pub fn is_outdated(&self, head: Option<&str>) -> bool {
        self.head != self.commit || head.is_some_and(|head| head != self.commit)
    }

    /// Returns whether the person approved it: what an agent says never counts as an approval.
    #[must_use]
    pub fn is_approval(&self) -> bool {
        self.verdict == ReviewVerdict::Approved && self.by == Sender::Person
    }

    /// Returns the review as faces show it; `by` names the reviewer: `you`.
    #[must_use]
    pub fn shown(&self, head: Option<&str>, by: &str) -> SessionReview {
        let is_outdated = self.is_outdated(head);
        SessionReview {
            number: self.number,
            verdict: self.verdict,
            by: self.by.clone(),
            at: self.at,
            commit: self.commit.clone(),
            uncommitted: self.uncommitted,
            comments: u32::try_from(self.comments.len()).unwrap_or(u32::MAX),
            is_outdated,
            newer: self.newer.filter(|_| is_outdated),
            text: self.in_words(is_outdated, by),
        }
    }

    fn in_words(&self, is_outdated: bool, by: &str) -> String {
        let at = self.commit.get(..8).unwrap_or(&self.commit);
        let mut text = match self.verdict {
            ReviewVerdict::Approved => format!("approved by {by} at {at}"),
            ReviewVerdict::ChangesRequested => format!("changes requested by {by} at {at}"),
        };
        let newer = match self.newer {
            Some(newer) if newer > 0 => count(newer, "newer commit", "newer commits"),
            _ => "the branch is at another commit".to_owned(),
        };
        match (self.verdict, is_outdated) {
            (ReviewVerdict::Approved, true) => text.push_str(&format!("; outdated: {newer}")),
            (ReviewVerdict::Approved, false) if self.uncommitted > 0 => {
                let files = count(self.uncommitted, "file was", "files were");
                text.push_str(&format!("; {files} not committed"));
            }
            (ReviewVerdict::ChangesRequested, true) => text.push_str(&format!("; since then: {newer}")),
            (ReviewVerdict::ChangesRequested, false) if !self.comments.is_empty() => {
                let comments = u32::try_from(self.comments.len()).unwrap_or(u32::MAX);
                text.push_str(&format!(": {}", count(comments, "comment", "comments")));
            }
            (_, false) => {}
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn review(verdict: ReviewVerdict) -> Review {
        Review {
            number: 1,
            verdict,
            by: Sender::Person,
            at: Timestamp::UNIX_EPOCH,
            commit: "a1b2c3d4e5".into(),
            uncommitted: 0,
            summary: String::new(),
            comments: Vec::new(),
            has_checks: true,
            head: "a1b2c3d4e5".into(),
            newer: None,
        }
    }

    /// Every row: the review, what is known of the newest commit otherwise, whether it is outdated, and the words.
    #[test]
    fn a_review_is_of_its_commit_alone() {
        let approved = review(ReviewVerdict::Approved);
        let requested = review(ReviewVerdict::ChangesRequested);
        let at = |review: &Review, newer| Review {
            head: "f00d".into(),
            newer,
            ..review.clone()
        };
        let comment = LineComment {
            path: "a".into(),
            line: 1,
            removed: None,
            quote: None,
            text: "b".into(),
        };
        let rows = [
            (approved.clone(), None, false, "approved by you at a1b2c3d4"),
            (
                approved.clone(),
                Some("a1b2c3d4e5"),
                false,
                "approved by you at a1b2c3d4",
            ),
            (
                approved.clone(),
                Some("f00d"),
                true,
                "approved by you at a1b2c3d4; outdated: the branch is at another commit",
            ),
            (
                at(&approved, Some(1)),
                None,
                true,
                "approved by you at a1b2c3d4; outdated: 1 newer commit",
            ),
            (
                at(&approved, Some(3)),
                Some("a1b2c3d4e5"),
                true,
                "approved by you at a1b2c3d4; outdated: 3 newer commits",
            ),
            (
                Review {
                    uncommitted: 2,
                    ..approved
                },
                None,
                false,
                "approved by you at a1b2c3d4; 2 files were not committed",
            ),
            (
                Review {
                    comments: vec![comment],
                    ..requested.clone()
                },
                None,
                false,
                "changes requested by you at a1b2c3d4: 1 comment",
            ),
            (
                at(&requested, Some(2)),
                None,
                true,
                "changes requested by you at a1b2c3d4; since then: 2 newer commits",
            ),
        ];
        for (review, head, is_outdated, text) in rows {
            let shown = review.shown(head, "you");
            assert_eq!((shown.is_outdated, &*shown.text), (is_outdated, text));
        }
    }

    #[test]
    fn only_the_person_approves() {
        let by_person = review(ReviewVerdict::Approved);
        assert!(by_person.is_approval());
        let by = Sender::Downbeat;
        assert!(!Review { by, ..by_person }.is_approval());
        assert!(!review(ReviewVerdict::ChangesRequested).is_approval());
    }
}
