//! Whether a disk has room for a backup or a copy. One that does not fit is refused before the disk is full,
//! because other processes need room, too.

use crate::Error;
use std::path::Path;

/// The number of bytes that stay free for others.
const LEFT: u64 = 4 << 20;

/// Refuses to write `bytes` if that would leave next to nothing free. Passes if the free space is unknown.
///
/// # Errors
/// The same error as for a full disk.
pub(crate) fn check(at: &Path, bytes: u64) -> Result<(), Error> {
    match free(at) {
        Some(free) if free < bytes.saturating_add(LEFT) => {
            let full = std::io::Error::from(std::io::ErrorKind::StorageFull);
            Err(Error::io("save into", at)(full))
        }
        _ => Ok(()),
    }
}

/// Refuses to copy a file of `bytes` into `folder` if it does not fit there.
///
/// # Errors
/// The same error as for a full disk, with the name of the file.
pub(crate) fn check_copy(from: &Path, folder: &Path, bytes: u64) -> Result<(), Error> {
    match free(folder) {
        Some(free) if free < bytes.saturating_add(LEFT) => {
            let (file, bytes, free) = (from.display(), bytes / 1_000_000, free / 1_000_000);
            let words = format!("{file} has {bytes} MB, and {free} MB are free there");
            let full = std::io::Error::new(std::io::ErrorKind::StorageFull, words);
            Err(Error::io("copy a file into", folder)(full))
        }
        _ => Ok(()),
    }
}

#[cfg(unix)]
fn free(at: &Path) -> Option<u64> {
    let disk = rustix::fs::statvfs(at).ok()?;
    Some(disk.f_bavail.saturating_mul(disk.f_frsize))
}

#[cfg(not(unix))]
fn free(_at: &Path) -> Option<u64> {
    None
}
