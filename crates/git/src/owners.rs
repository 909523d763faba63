//! Whether a worktree can be deleted completely. Files of other users (a container that ran as root) would
//! stop a removal halfway, and mounted file systems would be emptied, so both are detected before it begins.

use crate::{Error, mounts};
use std::path::Path;

/// Fails if something below cannot be removed, and names it. Changes nothing.
#[cfg(unix)]
pub(crate) fn check(worktree: &Path) -> Result<(), Error> {
    use std::os::unix::fs::MetadataExt;
    mounts::check(worktree)?;
    let Ok(meta) = worktree.symlink_metadata() else {
        return Ok(());
    };
    let me = rustix::process::geteuid().as_raw();
    if me == 0 || !meta.is_dir() {
        return Ok(());
    }
    look(worktree, meta, me).map_err(|(path, owner)| Error::Foreign { path, owner })?;
    // The worktree is renamed before it is deleted, so its parent folder must be writable.
    match worktree.parent().map(|parent| (parent, parent.metadata())) {
        Some((parent, Ok(above))) if !is_open(parent) && above.uid() != me => Err(Error::Foreign {
            path: parent.to_owned(),
            owner: above.uid(),
        }),
        _ => Ok(()),
    }
}

#[cfg(unix)]
fn look(root: &Path, meta: std::fs::Metadata, me: u32) -> Result<(), (std::path::PathBuf, u32)> {
    use std::os::unix::fs::MetadataExt;
    let mut folders = vec![(root.to_owned(), meta)];
    while let Some((dir, meta)) = folders.pop() {
        let mine = meta.uid() == me;
        let stuck = || Err((dir.clone(), meta.uid()));
        let entries = match dir.read_dir() {
            Ok(entries) => entries,
            // The user's own folder is made readable before the removal. Another user's may be non-empty.
            Err(_) if mine => continue,
            Err(_) => return stuck(),
        };
        for entry in entries.flatten() {
            let Ok(below) = entry.metadata() else { continue };
            // In a folder with the sticky bit, users can remove only their own files.
            let is_sticky = meta.mode() & 0o1000 != 0 && below.uid() != me;
            if !mine && (is_sticky || !is_open(&dir)) {
                return stuck();
            }
            if below.is_dir() {
                folders.push((entry.path(), below));
            }
        }
    }
    Ok(())
}

#[cfg(unix)]
fn is_open(dir: &Path) -> bool {
    use rustix::fs::{Access, access};
    access(dir, Access::WRITE_OK | Access::EXEC_OK).is_ok()
}

/// Checks for mounts only: on other systems the removal itself reports files that it cannot delete.
#[cfg(not(unix))]
pub(crate) fn check(worktree: &Path) -> Result<(), Error> {
    mounts::check(worktree)
}
