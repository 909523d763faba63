//! Split indexes (`git update-index --split-index`): the file `index` holds the changes, and names a file
//! `sharedindex.<hash>` next to it with the rest. Git leaves earlier shared files in place for two weeks.
//! This module reads only the name of the shared file, and the nesting depth of the folders in an index.

use crate::outside::check_ordinary;
use crate::path::{exists, hex};
use crate::{Error, trees};
use std::path::{Path, PathBuf};

/// The prefix of the names of shared files.
pub(crate) const NAME: &str = "sharedindex.";

/// The size limit of an index and of a shared file.
const LARGEST: u64 = 512 << 20;

/// The length of the header of an index: a signature, the version, the number of entries.
const HEAD: usize = 12;

/// The length of an entry's file metadata, which precedes the hash of its object.
const STAT: usize = 40;

/// Returns the shared file that the index in `dir` names; `None` if the index is not split.
///
/// # Errors
/// Fails if the shared file is not a regular file, or is too large.
pub(crate) fn shared(dir: &Path) -> Result<Option<PathBuf>, Error> {
    let is_shared = |entry: std::fs::DirEntry| entry.file_name().to_string_lossy().starts_with(NAME);
    // Most repositories have none, and their index need not be read.
    if !dir.read_dir().into_iter().flatten().flatten().any(is_shared) {
        return Ok(None);
    }
    let index = downbeat_files::read(&dir.join("index"), LARGEST).unwrap_or_default();
    // An index does not say which hash algorithm it uses.
    let names = [20, 32].into_iter().filter_map(|hash| named(&index, hash));
    let mut files = names.map(|name| dir.join(format!("{NAME}{}", hex(name))));
    let Some(file) = files.find(|file| exists(file)) else {
        return Ok(None);
    };
    check_ordinary(&file, LARGEST)?;
    Ok(Some(file))
}

/// Refuses an index whose folders are nested deeper than git allows: libgit2 recurses for each
/// level when it reads the index.
///
/// # Errors
/// [`Error::NotOrdinary`] names the index.
pub(crate) fn check(dir: &Path) -> Result<(), Error> {
    let path = dir.join("index");
    let index = downbeat_files::read(&path, LARGEST).unwrap_or_default();
    // libgit2 reads every extension of this name, whatever git does.
    let is_deep = |length| {
        let mut all = extensions(&index, length).into_iter();
        all.any(|(name, folders)| name == b"TREE" && depth(folders, length) > trees::DEEPEST)
    };
    if [20, 32].into_iter().any(is_deep) {
        let reason = "it lists folders that are nested too deep".to_owned();
        return Err(Error::NotOrdinary { path, reason });
    }
    Ok(())
}

/// Returns the nesting depth of the folders in the extension `TREE`, as far as it can be parsed.
fn depth(folders: &[u8], length: usize) -> usize {
    let (mut rest, mut deepest) = (folders, 0);
    // The number of remaining folders on each level.
    let mut open = vec![1_usize];
    while let Some(left) = open.last_mut() {
        let Some(fewer) = left.checked_sub(1) else {
            open.pop();
            continue;
        };
        *left = fewer;
        let Some((below, after)) = folder(rest, length) else {
            break;
        };
        rest = after;
        open.push(below);
        deepest = deepest.max(open.len());
    }
    deepest
}

/// Returns the number of subfolders of the first folder, and the bytes after it. A folder consists of its
/// name, a NUL, the number of its index entries (-1 if invalid), the number of its subfolders, a line feed
/// and, if valid, its hash.
fn folder(folders: &[u8], length: usize) -> Option<(usize, &[u8])> {
    let name = folders.iter().position(|byte| *byte == 0)?;
    let line = &folders[name + 1..];
    let end = line.iter().position(|byte| *byte == b'\n')?;
    let (entries, below) = std::str::from_utf8(&line[..end]).ok()?.split_once(' ')?;
    let hash = if entries.starts_with('-') { 0 } else { length };
    Some((below.parse().ok()?, line.get(end + 1 + hash..)?))
}

/// Returns the hash in the extension `link` of an index whose hashes have `length` bytes.
fn named(index: &[u8], length: usize) -> Option<&[u8]> {
    let name = extension(index, length, b"link")?.get(..length)?;
    name.iter().any(|byte| *byte != 0).then_some(name)
}

/// Returns the first extension of this name in an index whose hashes have `length` bytes.
fn extension<'a>(index: &'a [u8], length: usize, name: &[u8]) -> Option<&'a [u8]> {
    let mut all = extensions(index, length).into_iter();
    all.find_map(|(one, bytes)| (one == name).then_some(bytes))
}

/// Returns the names and contents of the extensions of an index whose hashes have `length` bytes, as far as
/// they can be parsed.
fn extensions(index: &[u8], length: usize) -> Vec<(&[u8], &[u8])> {
    let (mut found, mut next) = (Vec::new(), after_entries(index, length));
    // The index ends with its own hash.
    let end = index.len().saturating_sub(length);
    while let Some(at) = next.filter(|at| at.saturating_add(8) <= end) {
        let after = number(index, at + 4).and_then(|size| at.checked_add(8)?.checked_add(size));
        if let Some(bytes) = after.and_then(|after| index.get(at + 8..after)) {
            found.push((&index[at..at + 4], bytes));
        }
        next = after;
    }
    found
}

/// Reads a number of four bytes.
fn number(index: &[u8], at: usize) -> Option<usize> {
    let bytes: [u8; 4] = index.get(at..at.checked_add(4)?)?.try_into().ok()?;
    usize::try_from(u32::from_be_bytes(bytes)).ok()
}

/// Returns the offset at which the entries of an index end.
fn after_entries(index: &[u8], length: usize) -> Option<usize> {
    if !index.starts_with(b"DIRC") {
        return None;
    }
    let (version, count) = (number(index, 4)?, number(index, 8)?);
    let mut at = HEAD;
    for _ in 0..count {
        at = after_entry(index, at, version, length)?;
    }
    Some(at)
}

/// Returns the offset at which the entry that begins at `start` ends.
fn after_entry(index: &[u8], start: usize, version: usize, length: usize) -> Option<usize> {
    let flags = start + STAT + length;
    let is_extended = version > 2 && index.get(flags)? & 0x40 != 0;
    let mut name = flags + if is_extended { 4 } else { 2 };
    if version == 4 {
        // Skip the length that is cut from the previous name, a varint with continuation bits.
        while index.get(name)? & 0x80 != 0 {
            name += 1;
        }
        name += 1;
    }
    let end = name + index.get(name..)?.iter().position(|byte| *byte == 0)?;
    match version {
        4 => Some(end + 1),
        _ => Some(start + (end - start) / 8 * 8 + 8),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn the_shared_file_that_git_names_is_found() {
        // An intent-to-add entry turns version 2 into version 3.
        for (version, format) in [("2", "sha1"), ("4", "sha1"), ("2", "sha256"), ("4", "sha256")] {
            let dir = tempfile::tempdir().unwrap();
            let git = |args: &[&str]| {
                let out = Command::new("git")
                    .current_dir(dir.path())
                    .args(args)
                    .output()
                    .unwrap();
                assert!(
                    out.status.success(),
                    "{args:?}: {}",
                    String::from_utf8_lossy(&out.stderr)
                );
                String::from_utf8_lossy(&out.stdout).trim().to_owned()
            };
            git(&["init", "-q", &format!("--object-format={format}")]);
            for length in 1..40 {
                std::fs::write(dir.path().join("n".repeat(length)), "x").unwrap();
            }
            git(&["add", "."]);
            let home = dir.path().join(".git");
            assert_eq!(shared(&home).unwrap(), None);
            git(&["update-index", "--index-version", version]);
            git(&["update-index", "--split-index"]);
            std::fs::write(dir.path().join("later"), "x").unwrap();
            std::fs::write(dir.path().join("intended"), "x").unwrap();
            git(&["add", "later"]);
            git(&["add", "--intent-to-add", "intended"]);
            // An earlier shared file.
            std::fs::write(home.join(format!("{NAME}{}", "0".repeat(40))), "old").unwrap();
            let said = dir.path().join(git(&["rev-parse", "--shared-index-path"]));
            assert_eq!(shared(&home).unwrap(), Some(said), "{version} {format}");
            git(&["update-index", "--no-split-index"]);
            assert_eq!(shared(&home).unwrap(), None, "{version} {format}");
        }
    }

    #[test]
    fn an_index_with_extremely_nested_folders_is_refused() {
        for (levels, is_refused) in [(2_000, false), (30_000, true)] {
            let dir = tempfile::tempdir().unwrap();
            let folders = b"\x00-1 1\n".iter().copied();
            let folders: Vec<u8> = folders.chain(b"a\0-1 1\n".repeat(levels)).collect();
            // Also if it is not the first extension of its name.
            let harmless = b"\x00-1 0\n".to_vec();
            let mut index = b"DIRC\0\0\0\x02\0\0\0\0".to_vec();
            for folders in [harmless, folders] {
                index.extend(b"TREE");
                index.extend(u32::try_from(folders.len()).unwrap().to_be_bytes());
                index.extend(folders);
            }
            index.extend([0; 20]);
            std::fs::write(dir.path().join("index"), index).unwrap();
            assert_eq!(check(dir.path()).is_err(), is_refused, "{levels}");
        }
    }

    #[test]
    fn an_invalid_index_names_no_shared_file() {
        let rubbish: [&[u8]; 4] = [b"", b"DIRC", b"DIRC\0\0\0\x02\xff\xff\xff\xff", &[0xff; 400]];
        for index in rubbish {
            assert_eq!(named(index, 20), None);
        }
    }
}
