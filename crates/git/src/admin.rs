//! Git's administrative files of linked worktrees (`<common>/worktrees/*`, called notes here), read without
//! running git, and the removal of one worktree's files. Unlike `git worktree prune`, it never touches the
//! files of other worktrees.

use crate::path::{self, from_bytes};
use crate::{Error, tree};
use std::path::{Path, PathBuf};

/// The size limit of a file that contains a path; no path is that long.
const MOST_POINTER: u64 = 64 * 1024;

/// Returns the administrative directory of every linked worktree.
pub(crate) fn all(common: &Path) -> Vec<PathBuf> {
    let entries = common
        .join("worktrees")
        .read_dir()
        .into_iter()
        .flatten()
        .flatten();
    entries.map(|entry| entry.path()).collect()
}

/// Returns the administrative directory of the worktree at `place` (from [`path::place`]).
pub(crate) fn find(common: &Path, place: &Path) -> Option<PathBuf> {
    all(common)
        .into_iter()
        .find(|notes| worktree_of(notes).is_some_and(|at| at == place))
}

/// Returns the worktree that an administrative directory belongs to; `None` if the directory is incomplete.
pub(crate) fn worktree_of(notes: &Path) -> Option<PathBuf> {
    let gitfile = pointer(&notes.join("gitdir"), b"")?;
    // The path is relative if `worktree.useRelativePaths` is set.
    let gitfile = notes.join(gitfile);
    let parent = gitfile.parent()?;
    match dunce::canonicalize(parent) {
        Ok(real) if !parent.is_symlink() => Some(real),
        _ => path::place(parent).ok(),
    }
}

/// Returns the administrative directory that the `.git` file of a worktree names.
pub(crate) fn noted(worktree: &Path) -> Option<PathBuf> {
    pointer(&worktree.join(".git"), b"gitdir: ")
}

/// Whether the `.git` file of a directory says that it is a linked worktree of `common`.
pub(crate) fn belongs(common: &Path, worktree: &Path) -> bool {
    let Some(notes) = noted(worktree) else {
        return false;
    };
    let notes = worktree.join(notes);
    let home = common.join("worktrees");
    notes.parent().is_some_and(|parent| {
        parent == home
            || parent
                .canonicalize()
                .is_ok_and(|real| home.canonicalize().is_ok_and(|h| h == real))
    })
}

/// Checks that the `.git` file of the worktree at `place` names the administrative directory that the
/// repository has for it, and no other: git would use any configuration that it finds there.
pub(crate) fn check(common: &Path, place: &Path) -> Result<(), Error> {
    let place = path::place(place)?;
    let named = noted(&place).and_then(|named| {
        let named = place.join(named);
        dunce::canonicalize(named).ok()
    });
    let recorded = find(common, &place).and_then(|notes| dunce::canonicalize(notes).ok());
    if recorded.is_some() && named == recorded {
        return Ok(());
    }
    let known = recorded.is_some();
    Err(Error::Redirected {
        path: place,
        common: common.to_owned(),
        known,
    })
}

fn pointer(file: &Path, prefix: &[u8]) -> Option<PathBuf> {
    let bytes = downbeat_files::read(file, MOST_POINTER).ok()?;
    let rest = bytes.strip_prefix(prefix)?;
    let end = rest.iter().rposition(|b| !matches!(b, b'\n' | b'\r'))?;
    Some(from_bytes(&rest[..=end]))
}

/// Returns the branch of every checkout: its full ref name and the checkout's path.
pub(crate) fn heads(common: &Path, root: &Path) -> Vec<(String, PathBuf)> {
    let linked = all(common)
        .into_iter()
        .filter_map(|notes| Some((notes.join("HEAD"), worktree_of(&notes)?)));
    let primary = (common.join("HEAD"), root.to_owned());
    std::iter::once(primary)
        .chain(linked)
        .filter_map(|(head, path)| {
            let text = String::from_utf8_lossy(&downbeat_files::read(&head, MOST_POINTER).ok()?).into_owned();
            Some((text.strip_prefix("ref: ")?.trim_end().to_owned(), path))
        })
        .collect()
}

/// Whether the worktree is locked.
pub(crate) fn is_locked(notes: &Path) -> bool {
    notes.join("locked").exists()
}

/// Removes the administrative directory of one worktree, as `git worktree remove` does.
pub(crate) fn forget(notes: &Path) -> Result<(), Error> {
    tree::remove(notes)?;
    // Removes the parent directory if it is empty now, as git does; it may be non-empty.
    if let Some(home) = notes.parent() {
        let _ = std::fs::remove_dir(home);
    }
    Ok(())
}
