//! Whether git failed over a worktree because of the worktree, or because of what it found on the machine:
//! something ended it, there was no memory, the repository took nothing. The first is for ever, and such a
//! worktree can only be moved aside; the second passes, and the work in it can be saved after it.

use crate::blobs::{self, GITLINK};
use crate::inspect::clean;
use crate::{Error, admin, ordinary, path, split};
use std::path::Path;

/// What git says, in its `C` locale, where the machine gave it not what it needed.
const SHORT: &[&str] = &[
    "annot allocate memory",
    "ut of memory",
    "emory exhausted",
    "Resource temporarily unavailable",
    "Too many open files",
    "unable to create thread",
    "annot fork",
    "nable to fork",
    "died of signal",
];

/// The error as it is told: where git failed over a worktree that can be read, through no fault of that, it
/// is [`Error::Failed`].
pub(crate) fn told(worktree: &Path, error: Error) -> Error {
    match error {
        Error::Git {
            command,
            path,
            output,
            is_ended,
        } if is_passing(&output, is_ended, &path, worktree) && is_sound(worktree) => Error::Failed {
            command,
            path,
            output,
        },
        other => other,
    }
}

/// Whether what git said speaks of the machine, or of the repository that all worktrees share.
fn is_passing(output: &str, is_ended: bool, ran: &Path, worktree: &Path) -> bool {
    let is_short = SHORT.iter().any(|words| output.contains(words));
    let is_here = ran == worktree || path::place(worktree).is_ok_and(|place| ran == place);
    is_ended || is_short || !is_here
}

/// Whether a worktree can be read without git: its HEAD with all files of that, and its index with all
/// objects that it names. An index that only git reads counts as damaged.
fn is_sound(worktree: &Path) -> bool {
    let read = || -> Option<bool> {
        let inner = ordinary::open(worktree).ok()?;
        admin::check(&clean(inner.commondir()), worktree).ok()?;
        match inner.head() {
            Ok(head) => {
                let tree = head.peel_to_tree().ok()?;
                blobs::listed(&inner, tree.id()).ok()?;
            }
            Err(error) if error.code() == git2::ErrorCode::UnbornBranch => {}
            Err(_) => return None,
        }
        split::check(inner.path()).ok()?;
        let (index, objects) = (inner.index().ok()?, inner.odb().ok()?);
        let mut files = index.iter().filter(|entry| entry.mode != GITLINK);
        Some(files.all(|entry| objects.exists(entry.id)))
    };
    read().unwrap_or(false)
}
