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

/// The flag of an entry with more flags.
const EXTENDED: u16 = 0x4000;

/// The part of an entry's flags that is the length of its name.
const NAME_LENGTH: u16 = 0xfff;

/// The length of a name in these flags that is too long for them.
const LONG_NAME: usize = 0xfff;

/// The length of a hash of SHA-1.
const SHA1: usize = 20;

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
/// level when it reads the index. Folders that are not written as git writes them are refused, too, because libgit2 reads more
/// than that, such as a number after two spaces.
///
/// # Errors
/// [`Error::NotOrdinary`] names the index.
pub(crate) fn check(dir: &Path) -> Result<(), Error> {
    let path = dir.join("index");
    let index = downbeat_files::read(&path, LARGEST).unwrap_or_default();
    let refused = |reason: &str| {
        let (path, reason) = (path.clone(), reason.to_owned());
        Err(Error::NotOrdinary { path, reason })
    };
    // libgit2 reads every extension of this name, whatever git does, and takes all hashes for those of SHA-1.
    let mut all = extensions(&index, SHA1).into_iter();
    let refusable = |depth: Option<usize>| depth.is_none_or(|depth| depth > trees::DEEPEST).then_some(depth);
    match all.find_map(|(name, folders)| (name == b"TREE").then(|| depth(folders)).and_then(refusable)) {
        None => Ok(()),
        Some(Some(_)) => refused("it lists folders that are nested too deep"),
        Some(None) => refused("it lists folders in a form that git does not write"),
    }
}

/// Returns the nesting depth of the folders in the extension `TREE`. Stops at one that is too deep; `None` if git did not write
/// them so.
fn depth(folders: &[u8]) -> Option<usize> {
    let (mut rest, mut deepest) = (folders, 0);
    // The number of remaining folders on each level.
    let mut open = vec![1_usize];
    while let Some(left) = open.last_mut() {
        let Some(fewer) = left.checked_sub(1) else {
            open.pop();
            continue;
        };
        *left = fewer;
        let (below, after) = folder(rest)?;
        rest = after;
        open.push(below);
        deepest = deepest.max(open.len());
        if deepest > trees::DEEPEST {
            break;
        }
    }
    Some(deepest)
}

/// Returns the number of subfolders of the first folder, and the bytes after it. A folder consists of its
/// name, a NUL, the number of its index entries (-1 if invalid), the number of its subfolders, a line feed
/// and, if valid, its hash.
fn folder(folders: &[u8]) -> Option<(usize, &[u8])> {
    let number = |text: &str| {
        let is_plain = text == "0" || (!text.starts_with('0') && text.bytes().all(|c| c.is_ascii_digit()));
        is_plain.then(|| text.parse::<usize>().ok())?
    };
    let name = folders.iter().position(|byte| *byte == 0)?;
    let line = &folders[name + 1..];
    let end = line.iter().position(|byte| *byte == b'\n')?;
    let (entries, below) = std::str::from_utf8(&line[..end]).ok()?.split_once(' ')?;
    let hash = match entries {
        "-1" => 0,
        entries => number(entries).map(|_| SHA1)?,
    };
    Some((number(below)?, line.get(end + 1 + hash..)?))
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

/// Returns the offset at which the entry that begins at `start` ends. Git and libgit2 trust the length in its flags, wherever its
/// name seems to end.
fn after_entry(index: &[u8], start: usize, version: usize, length: usize) -> Option<usize> {
    let at = start.checked_add(STAT + length)?;
    let flags = u16::from_be_bytes(index.get(at..at.checked_add(2)?)?.try_into().ok()?);
    let mut name = at + if flags & EXTENDED != 0 { 4 } else { 2 };
    let named = |from: usize| index.get(from..)?.iter().position(|byte| *byte == 0);
    if version == 4 {
        // Skip the length that is cut from the previous name, a varint with continuation bits.
        while index.get(name)? & 0x80 != 0 {
            name += 1;
        }
        name += 1;
        return Some(name + named(name)? + 1);
    }
    let length = match usize::from(flags & NAME_LENGTH) {
        LONG_NAME => named(name)?,
        length => length,
    };
    Some(start + (name + length - start) / 8 * 8 + 8)
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
            let folders = folders.chain(b"a\0-1 1\n".repeat(levels));
            let folders: Vec<u8> = folders.chain(*b"a\0-1 0\n").collect();
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

    /// Returns an index of these entries, with an extension that lists folders.
    fn index_of(version: u8, entries: &[Vec<u8>], folders: &[u8]) -> Vec<u8> {
        let mut index = [
            b"DIRC\0\0\0".as_slice(),
            &[version, 0, 0, 0, u8::try_from(entries.len()).unwrap()],
        ]
        .concat();
        index.extend(entries.concat());
        index.extend(b"TREE");
        index.extend(u32::try_from(folders.len()).unwrap().to_be_bytes());
        index.extend(folders);
        index.extend([0; 20]);
        index
    }

    /// Returns an entry whose flags say that its name has `length` bytes.
    fn entry(flags: u16, name: &[u8], length: usize) -> Vec<u8> {
        let mut entry = vec![0; STAT + SHA1];
        entry.extend((flags | u16::try_from(length).unwrap()).to_be_bytes());
        entry.extend(name);
        entry.resize((entry.len().max(STAT + SHA1 + 2 + length)) / 8 * 8 + 8, 0);
        entry
    }

    #[test]
    fn folders_are_found_wherever_libgit2_finds_them() {
        let deep = |line: &[u8]| [b"\0-1 1\n".as_slice(), &line.repeat(30_000)].concat();
        let plain = deep(b"a\0-1 1\n");
        let indexes = [
            // Forms of numbers that only libgit2 takes.
            index_of(2, &[], &deep(b"a\0-1  1\n")),
            index_of(2, &[], &deep(b"a\0-1 +1\n")),
            index_of(2, &[], &deep(b"a\0-1 01\n")),
            index_of(2, &[], &deep(b"a\0-2 1\n")),
            // A name that ends before its length, and more flags in a version that has none.
            index_of(2, &[entry(0, b"ab", 40)], &plain),
            index_of(
                2,
                &[entry(EXTENDED, &[0, 0, b'a', b'b', b'c', b'd', b'e', b'f'], 6)],
                &plain,
            ),
        ];
        for (number, index) in indexes.into_iter().enumerate() {
            let dir = tempfile::tempdir().unwrap();
            std::fs::write(dir.path().join("index"), index).unwrap();
            check(dir.path()).expect_err(&number.to_string());
        }
        let dir = tempfile::tempdir().unwrap();
        let flat = b"\x005 2\naaaaaaaaaaaaaaaaaaaaa\0-1 0\nb\x003 0\nbbbbbbbbbbbbbbbbbbbb";
        let fine = index_of(2, &[entry(0, b"ab", 2), entry(0, &[b'c'; 30], 30)], flat);
        std::fs::write(dir.path().join("index"), fine).unwrap();
        check(dir.path()).unwrap();
    }

    #[test]
    fn an_invalid_index_names_no_shared_file() {
        let rubbish: [&[u8]; 4] = [b"", b"DIRC", b"DIRC\0\0\0\x02\xff\xff\xff\xff", &[0xff; 400]];
        for index in rubbish {
            assert_eq!(named(index, 20), None);
        }
    }
}
