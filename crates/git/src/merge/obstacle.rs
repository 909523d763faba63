//! Files in the way of those that a landing adds. Git overwrites ignored files without asking (`read-tree`
//! since 2.34), but they may be a person's only copy, so they are looked for here.

use crate::merge::delta::Delta;
use crate::path::{folded, from_bytes, to_bytes};
use std::fs::Metadata;
use std::path::Path;

/// The maximum number of obstacles that are looked for.
const MOST: usize = 51;

/// Returns the files, relative to the checkout as git writes paths, that are in the way.
pub(crate) fn obstacles<'a>(
    place: &Path,
    delta: &Delta,
    added: impl Iterator<Item = &'a Vec<u8>>,
) -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    for path in added {
        if let Some(obstacle) = obstacle(place, delta, path)
            && !found.contains(&obstacle)
        {
            found.push(obstacle);
        }
        if found.len() == MOST {
            break;
        }
    }
    found
}

fn obstacle(place: &Path, delta: &Delta, path: &[u8]) -> Option<Vec<u8>> {
    let slashes = (0..path.len()).filter(|at| path[*at] == b'/');
    for folder in slashes.map(|at| &path[..at]) {
        match place.join(from_bytes(folder)).symlink_metadata() {
            Ok(about) if about.is_dir() => {}
            Ok(_) if goes(delta, folder) => return None,
            Ok(_) => return Some(folder.to_vec()),
            Err(_) => return None,
        }
    }
    let at = place.join(from_bytes(path));
    let about = at.symlink_metadata().ok()?;
    if about.is_dir() {
        return inside(place, delta, path);
    }
    // A file system that ignores case finds the file that the landing renames.
    let renamed = delta
        .0
        .iter()
        .filter(|(_, change)| change.new.is_none())
        .any(|(other, _)| {
            let alike = |path: &[u8]| folded(&String::from_utf8_lossy(path));
            let there = place.join(from_bytes(other)).symlink_metadata();
            alike(other) == alike(path) && there.is_ok_and(|there| is_same(&there, &about))
        });
    (!renamed).then(|| path.to_vec())
}

/// Whether the landing removes a file.
fn goes(delta: &Delta, path: &[u8]) -> bool {
    let change = delta.0.get(path);
    change.is_some_and(|change| change.old.is_some() && change.new.is_none())
}

/// Returns a file in a folder that the landing does not remove.
fn inside(place: &Path, delta: &Delta, folder: &[u8]) -> Option<Vec<u8>> {
    let mut folders = vec![from_bytes(folder)];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = place.join(&folder).read_dir() else {
            return Some(to_bytes(&folder));
        };
        for entry in entries.flatten() {
            let path = folder.join(entry.file_name());
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(path),
                _ if goes(delta, &to_bytes(&path)) => {}
                _ => return Some(to_bytes(&path)),
            }
        }
    }
    None
}

#[cfg(unix)]
fn is_same(one: &Metadata, other: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

/// Windows does not expose the identity of a file easily; its file systems ignore case.
#[cfg(not(unix))]
fn is_same(one: &Metadata, other: &Metadata) -> bool {
    one.len() == other.len() && one.modified().ok() == other.modified().ok()
}
