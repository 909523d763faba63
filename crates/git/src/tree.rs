//! Directory trees on disk: removing one for certain, comparing files, counting bytes. No git.

use crate::path::hex;
use crate::{Error, mounts};
use sha2::{Digest, Sha256};
use std::fs::{File, Metadata};
use std::io::Read;
use std::path::Path;

/// Bytes read at a time when hashing.
const CHUNK: usize = 64 * 1024;

/// Removes a tree; links are removed, not followed. Read-only directories (a Go module cache)
/// are opened first. Nothing there is no fault. Where something is mounted inside, nothing is removed.
pub(crate) fn remove(path: &Path) -> Result<(), Error> {
    let gone = |error: &std::io::Error| error.kind() == std::io::ErrorKind::NotFound;
    match path.symlink_metadata() {
        Err(error) if gone(&error) => return Ok(()),
        Ok(meta) if !meta.is_dir() => return unlink(path, &meta).map_err(Error::io("remove", path)),
        _ => mounts::check(path)?,
    }
    if std::fs::remove_dir_all(path).is_ok() {
        return Ok(());
    }
    open_up(path);
    match std::fs::remove_dir_all(path) {
        Err(error) if !gone(&error) => Err(Error::io("remove", path)(error)),
        _ => Ok(()),
    }
}

#[cfg(unix)]
fn unlink(path: &Path, _meta: &Metadata) -> std::io::Result<()> {
    std::fs::remove_file(path)
}

/// Here a link to a directory is removed as one; a read-only file must be opened up first.
#[cfg(windows)]
fn unlink(path: &Path, meta: &Metadata) -> std::io::Result<()> {
    use std::os::windows::fs::FileTypeExt;
    if meta.file_type().is_symlink_dir() {
        return std::fs::remove_dir(path);
    }
    if meta.permissions().readonly() && !meta.is_symlink() {
        open_up(path);
    }
    std::fs::remove_file(path)
}

/// Makes every directory below writable; what resists shows when it is removed.
fn open_up(path: &Path) {
    let Ok(meta) = path.symlink_metadata() else { return };
    if meta.is_symlink() {
        return;
    }
    let mut permissions = meta.permissions();
    allow(&mut permissions, meta.is_dir());
    let _ = std::fs::set_permissions(path, permissions);
    if meta.is_dir() {
        for entry in path.read_dir().into_iter().flatten().flatten() {
            open_up(&entry.path());
        }
    }
}

#[cfg(unix)]
fn allow(permissions: &mut std::fs::Permissions, is_dir: bool) {
    use std::os::unix::fs::PermissionsExt;
    let wanted = if is_dir { 0o700 } else { 0o600 };
    permissions.set_mode(permissions.mode() | wanted);
}

#[cfg(not(unix))]
fn allow(permissions: &mut std::fs::Permissions, _is_dir: bool) {
    permissions.set_readonly(false);
}

/// The SHA-256 of a file, in hexadecimal.
pub(crate) fn hash(path: &Path) -> std::io::Result<String> {
    let mut file = File::open(path)?;
    let mut digest = Sha256::new();
    let mut buffer = vec![0; CHUNK];
    loop {
        let read = file.read(&mut buffer)?;
        if read == 0 {
            return Ok(hex(&digest.finalize()));
        }
        digest.update(&buffer[..read]);
    }
}

/// Whether two paths are files with the same bytes, or links with the same target.
pub(crate) fn same_content(one: &Path, other: &Path) -> bool {
    let (Ok(a), Ok(b)) = (one.symlink_metadata(), other.symlink_metadata()) else {
        return false;
    };
    if a.is_symlink() || b.is_symlink() {
        let target = one.read_link().ok();
        return target.is_some() && (target.as_deref() == Some(other) || target == other.read_link().ok());
    }
    a.is_file()
        && b.is_file()
        && a.len() == b.len()
        && matches!((hash(one), hash(other)), (Ok(x), Ok(y)) if x == y)
}

/// Bytes of a tree on disk, without what it shares by hard links. Links are not followed.
pub(crate) fn bytes(path: &Path) -> u64 {
    let Ok(meta) = path.symlink_metadata() else {
        return 0;
    };
    if meta.is_dir() {
        let entries = path.read_dir().into_iter().flatten().flatten();
        return entries.map(|entry| bytes(&entry.path())).sum();
    }
    if meta.is_file() && !is_shared(&meta) {
        meta.len()
    } else {
        0
    }
}

#[cfg(unix)]
fn is_shared(meta: &Metadata) -> bool {
    std::os::unix::fs::MetadataExt::nlink(meta) > 1
}

#[cfg(not(unix))]
fn is_shared(_meta: &Metadata) -> bool {
    false
}

/// When a file was last written, in nanoseconds since 1970.
pub(crate) fn mtime(meta: &Metadata) -> i64 {
    let since = meta
        .modified()
        .ok()
        .and_then(|at| at.duration_since(std::time::UNIX_EPOCH).ok());
    since
        .and_then(|since| i64::try_from(since.as_nanos()).ok())
        .unwrap_or(0)
}
