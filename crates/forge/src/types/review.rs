//! What reviews amount to. Not who wrote them.

use serde::{Deserialize, Serialize};

/// What the required reviews amount to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReviewDecision {
    /// They are there.
    Approved,
    /// Somebody asked for changes.
    ChangesRequested,
    /// They are missing.
    ReviewRequired,
}
