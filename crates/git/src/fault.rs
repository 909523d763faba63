//! Determines whether git failed because of the worktree, or because of the machine: it was killed, there was
//! no memory, the repository could not be written. The first is permanent, and such a worktree can only be
//! moved aside; the second is temporary, and the work in the worktree can be saved afterwards.

use crate::blobs::{self, GITLINK};
use crate::inspect::clean;
use crate::{Error, admin, ordinary, path, split};
use std::path::Path;

/// Messages of git, in its `C` locale, for a lack of resources.
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

/// Returns the error to report: [`Error::Failed`] if git failed for a temporary reason and the worktree
/// itself is readable.
pub(crate) fn reported(worktree: &Path, error: Error) -> Error {
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

/// Whether a failure of git concerns the machine, or the repository that all worktrees share.
fn is_passing(output: &str, is_ended: bool, ran: &Path, worktree: &Path) -> bool {
    let is_short = SHORT.iter().any(|words| output.contains(words));
    let is_here = ran == worktree || path::place(worktree).is_ok_and(|place| ran == place);
    is_ended || is_short || !is_here
}

/// Whether a worktree can be read without git: its HEAD with all files, and its index with all objects that
/// it names. An index that only git can read counts as damaged.
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
