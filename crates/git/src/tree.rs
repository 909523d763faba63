//! Removal, comparison and measuring of directory trees on disk. Runs no git.

use crate::path::hex;
use crate::{Error, mounts};
use sha2::{Digest, Sha256};
use std::fs::Metadata;
use std::io::Read;
use std::path::Path;
#[cfg(unix)]
use std::time::Duration;
use std::time::SystemTime;

/// The number of bytes that are read at a time when hashing.
const CHUNK: usize = 64 * 1024;

/// The largest depth of a tree when it is removed.
const DEEPEST: usize = 64;

/// The prefix of the names of folders that were moved up.
const MOVED: &str = ".downbeat-deep-";

/// Removes a tree. Links are removed, not followed; read-only directories (a Go module cache) are made
/// writable first. Succeeds if nothing is there. Removes nothing if a file system is mounted inside. The
/// depth of nesting does not increase the use of stack and of open files.
///
/// # Errors
/// Fails if any part of the tree remains.
pub fn remove(path: &Path) -> Result<(), Error> {
    let gone = |error: &std::io::Error| error.kind() == std::io::ErrorKind::NotFound;
    match path.symlink_metadata() {
        Err(error) if gone(&error) => return Ok(()),
        Ok(meta) if !meta.is_dir() => return unlink(path, &meta).map_err(Error::io("remove", path)),
        _ => mounts::check(path)?,
    }
    if remove_flat(path).is_ok() {
        return Ok(());
    }
    open_up(path);
    match remove_flat(path) {
        Err(error) if !gone(&error) => Err(Error::io("remove", path)(error)),
        _ => Ok(()),
    }
}

/// Removes a tree after flattening it. This is the only caller of the standard library's function, which
/// recurses and keeps each folder on the path open.
fn remove_flat(path: &Path) -> std::io::Result<()> {
    flatten(path);
    std::fs::remove_dir_all(path)
}

#[cfg(unix)]
fn unlink(path: &Path, _meta: &Metadata) -> std::io::Result<()> {
    std::fs::remove_file(path)
}

/// Removes a link to a directory with its own function, and makes a read-only file writable first.
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

/// Makes everything below writable. Failures are ignored, because the removal reports them.
fn open_up(path: &Path) {
    let mut pending = vec![path.to_owned()];
    while let Some(path) = pending.pop() {
        let Ok(meta) = path.symlink_metadata() else {
            continue;
        };
        if meta.is_symlink() {
            continue;
        }
        let mut permissions = meta.permissions();
        allow(&mut permissions, meta.is_dir());
        let _ = std::fs::set_permissions(&path, permissions);
        if meta.is_dir() {
            let below = path.read_dir().into_iter().flatten().flatten();
            pending.extend(below.map(|entry| entry.path()));
        }
    }
}

/// Moves folders up that are nested deeper than [`DEEPEST`] below `path`.
fn flatten(path: &Path) {
    let (mut moved, mut pending) = (0, vec![(path.to_owned(), 0)]);
    while let Some((folder, depth)) = pending.pop() {
        for entry in folder.read_dir().into_iter().flatten().flatten() {
            if !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                continue;
            }
            if depth < DEEPEST {
                pending.push((entry.path(), depth + 1));
                continue;
            }
            let up = path.join(format!("{MOVED}{moved}"));
            moved += 1;
            if !crate::path::exists(&up) && std::fs::rename(entry.path(), &up).is_ok() {
                pending.push((up, 1));
            }
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

/// The size up to which files are read even if they are sparse.
#[cfg(unix)]
const SMALL: u64 = 1 << 30;

/// The reason that a sparse file is not compared.
const HOLLOW: &str = "it is all but empty, and takes too long to read";

/// Whether a file is far larger than the space it occupies on disk: a sparse file of terabytes costs its
/// author nothing, but takes hours to read.
#[cfg(unix)]
fn is_hollow(meta: &std::fs::Metadata) -> bool {
    let stored = std::os::unix::fs::MetadataExt::blocks(meta).saturating_mul(512);
    meta.len() > SMALL && stored < meta.len() / 16
}

#[cfg(not(unix))]
fn is_hollow(_: &std::fs::Metadata) -> bool {
    false
}

/// Returns the SHA-256 of a file in hexadecimal. A large sparse file is refused.
pub(crate) fn hash(path: &Path) -> std::io::Result<String> {
    hash_while(path, || true)
}

/// Like [`hash`], but stops once `wanted` returns false.
pub(crate) fn hash_while(path: &Path, wanted: impl Fn() -> bool) -> std::io::Result<String> {
    let (mut file, _) = downbeat_files::open(path)?;
    if is_hollow(&file.metadata()?) {
        return Err(std::io::Error::new(std::io::ErrorKind::InvalidData, HOLLOW));
    }
    let mut digest = Sha256::new();
    let mut buffer = vec![0; CHUNK];
    loop {
        if !wanted() {
            return Err(std::io::ErrorKind::Interrupted.into());
        }
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

/// Returns the size of a tree in bytes, without files that have several hard links. Links are not followed.
pub(crate) fn bytes(path: &Path) -> u64 {
    let Ok(meta) = path.symlink_metadata() else {
        return 0;
    };
    let (mut sum, mut folders) = (own_bytes(&meta), Vec::new());
    folders.extend(meta.is_dir().then(|| path.to_owned()));
    while let Some(folder) = folders.pop() {
        for entry in folder.read_dir().into_iter().flatten().flatten() {
            let Ok(meta) = entry.metadata() else { continue };
            sum += own_bytes(&meta);
            folders.extend(meta.is_dir().then(|| entry.path()));
        }
    }
    sum
}

fn own_bytes(meta: &Metadata) -> u64 {
    match meta.is_file() && !is_shared(meta) {
        true => meta.len(),
        false => 0,
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

/// Returns the inode number of a folder, which stays the same if the folder is moved on its disk; `None` on
/// systems that have no such number.
#[cfg(unix)]
pub(crate) fn number(folder: &Path) -> Option<u64> {
    let meta = folder.metadata().ok()?;
    Some(std::os::unix::fs::MetadataExt::ino(&meta))
}

/// Always `None` on these systems.
#[cfg(not(unix))]
pub(crate) fn number(_folder: &Path) -> Option<u64> {
    None
}

/// Returns the time of the last change of a file's content or metadata (ctime), which programs cannot set.
#[cfg(unix)]
pub(crate) fn changed(file: &Path) -> Option<SystemTime> {
    use std::os::unix::fs::MetadataExt as _;
    let meta = file.symlink_metadata().ok()?;
    let (seconds, rest) = (
        u64::try_from(meta.ctime()).ok()?,
        u32::try_from(meta.ctime_nsec()).ok()?,
    );
    std::time::UNIX_EPOCH.checked_add(Duration::new(seconds, rest))
}

/// Returns the creation time, because these systems have no such time.
#[cfg(not(unix))]
pub(crate) fn changed(file: &Path) -> Option<SystemTime> {
    file.symlink_metadata().ok()?.created().ok()
}

/// Returns the time of the last write to a file, in nanoseconds since 1970.
pub(crate) fn mtime(meta: &Metadata) -> i64 {
    let since = meta
        .modified()
        .ok()
        .and_then(|at| at.duration_since(std::time::UNIX_EPOCH).ok());
    since
        .and_then(|since| i64::try_from(since.as_nanos()).ok())
        .unwrap_or(0)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_sparse_file_is_not_hashed() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        for name in ["one", "other"] {
            let file = std::fs::File::create(at(name)).unwrap();
            file.set_len(8 << 40).unwrap();
        }
        let refused = hash(&at("one")).unwrap_err();
        assert_eq!(refused.kind(), std::io::ErrorKind::InvalidData);
        assert!(!same_content(&at("one"), &at("other")));
        std::fs::write(at("small"), "bytes").unwrap();
        assert_eq!(hash(&at("small")).unwrap().len(), 64);
    }
}
