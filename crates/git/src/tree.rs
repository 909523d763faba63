//! Directory trees on disk: removing one for certain, comparing files, counting bytes. No git.

use crate::path::hex;
use crate::{Error, mounts};
use sha2::{Digest, Sha256};
use std::fs::Metadata;
use std::io::Read;
use std::path::Path;
#[cfg(unix)]
use std::time::Duration;
use std::time::SystemTime;

/// Bytes read at a time when hashing.
const CHUNK: usize = 64 * 1024;

/// How deep a tree may be when it is removed.
const DEEPEST: usize = 64;

/// What folders are called that were moved up.
const MOVED: &str = ".downbeat-deep-";

/// Removes a tree; links are removed, not followed. Read-only directories (a Go module cache)
/// are opened first. Nothing there is no fault. Where something is mounted inside, nothing is removed.
/// However deep folders are nested, it needs no more stack and no more open files than for a few.
///
/// # Errors
/// Where something of it stays.
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

/// The one place of all crates that uses the standard library for it, which holds each folder on the way open and calls
/// itself for each.
fn remove_flat(path: &Path) -> std::io::Result<()> {
    flatten(path);
    std::fs::remove_dir_all(path)
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

/// Moves folders up that lie deeper below `path` than [`DEEPEST`], so that none does.
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

/// Files below this size are read whatever they are made of.
#[cfg(unix)]
const SMALL: u64 = 1 << 30;

/// Why a file is not compared.
const HOLLOW: &str = "it is all but empty, and takes too long to read";

/// Whether a file is far larger than what the disk has of it: terabytes cost its author nothing, and each
/// reader hours.
#[cfg(unix)]
fn is_hollow(meta: &std::fs::Metadata) -> bool {
    let stored = std::os::unix::fs::MetadataExt::blocks(meta).saturating_mul(512);
    meta.len() > SMALL && stored < meta.len() / 16
}

#[cfg(not(unix))]
fn is_hollow(_: &std::fs::Metadata) -> bool {
    false
}

/// The SHA-256 of a file, in hexadecimal. One that is all but empty is not read.
pub(crate) fn hash(path: &Path) -> std::io::Result<String> {
    hash_while(path, || true)
}

/// The same, for as long as it is `wanted`.
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

/// Bytes of a tree on disk, without what it shares by hard links. Links are not followed.
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

/// The number that a folder has on its disk, which it keeps where it is moved there; `None` where there are
/// none.
#[cfg(unix)]
pub(crate) fn number(folder: &Path) -> Option<u64> {
    let meta = folder.metadata().ok()?;
    Some(std::os::unix::fs::MetadataExt::ino(&meta))
}

/// See above: systems that tell no number.
#[cfg(not(unix))]
pub(crate) fn number(_folder: &Path) -> Option<u64> {
    None
}

/// When anything of a file changed last, which no program sets: when it was made, written or given a time.
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

/// See above: systems that tell only when it was made.
#[cfg(not(unix))]
pub(crate) fn changed(file: &Path) -> Option<SystemTime> {
    file.symlink_metadata().ok()?.created().ok()
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

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_all_but_empty_is_not_read_to_its_end() {
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
