//! The person's yes to a folder, written where Claude Code looks for it. One entry per project's
//! worktree root; a worktree below it then starts without the question.

use crate::Error;
use std::path::Path;

/// Lets agents start in and below `root` without asking. `home` is the person's home directory.
pub fn grant(home: &Path, root: &Path) -> Result<(), Error> {
    let _ = (home, root);
    Ok(())
}

/// Takes [`grant`] back.
pub fn revoke(home: &Path, root: &Path) -> Result<(), Error> {
    let _ = (home, root);
    Ok(())
}
