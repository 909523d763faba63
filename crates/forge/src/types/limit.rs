//! What a forge lets us ask, by this machine's clock.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

/// An hourly limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limit {
    /// How much an hour.
    pub limit: u64,
    /// How much is left. Others, such as agents that call `gh`, use the same limit.
    pub remaining: u64,
    /// When it is renewed, by this machine's clock: a clock that is wrong does not matter.
    pub resets_at: Timestamp,
}

/// What the answers so far said. None before the first answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Requests of REST.
    pub requests: Option<Limit>,
    /// Points of GraphQL.
    pub points: Option<Limit>,
    /// Nothing is to be asked before this time.
    pub not_before: Option<Timestamp>,
    /// How far the forge's clock is ahead of this machine's.
    pub skew: Option<SignedDuration>,
    /// GraphQL points that this client used since it was made.
    pub points_used: u64,
    /// Requests of REST that were not answered by 304 since this client was made.
    pub requests_used: u64,
}

/// Whose token it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Viewer {
    /// The account's name.
    pub login: String,
    /// The scopes of a classic token; empty for a fine-grained one.
    pub scopes: Vec<String>,
}
