//! The wish to remove a worktree, in a session's row.

use downbeat_store::SessionRow;
use serde::{Deserialize, Serialize};

/// The wish to remove, as it is written down; what else was ticked follows a colon.
pub(crate) const INTENT: &str = "remove";

/// What was ticked with a removal: whether the branch goes too, whether the session goes off the list, and
/// whether the person said yes to what would be lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ticks(
    pub(crate) bool,
    pub(crate) bool,
    #[serde(default)] pub(crate) bool,
);

/// A wish to remove that was written down: what was ticked with it.
pub fn wish(row: &SessionRow) -> Option<Ticks> {
    let ticks = row.intent.as_deref()?.strip_prefix(INTENT)?.strip_prefix(':')?;
    serde_json::from_str(ticks).ok()
}
