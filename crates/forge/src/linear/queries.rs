//! The texts of the queries, which the tests execute against the published schema.

pub(super) const ISSUE: &str = include_str!("queries/issue.graphql");
pub(super) const TEAM: &str = include_str!("queries/team.graphql");
pub(super) const UPDATE: &str = include_str!("queries/update.graphql");
pub(super) const COMMENT: &str = include_str!("queries/comment.graphql");
