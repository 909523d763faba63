//! The wish to bring a worktree back, in a session's row.

use downbeat_store::SessionRow;

/// The wish to make a worktree again; after a colon follows the backup's name, nothing where it was clean,
/// and after another one its commit: no reference's name has a colon.
pub(crate) const INTENT: &str = "restore";

/// The backup that a session was being made from again, as it was written down (its name, a colon and its
/// commit); empty for none.
pub fn wish(row: &SessionRow) -> Option<&str> {
    row.intent.as_deref()?.strip_prefix(INTENT)?.strip_prefix(':')
}
