//! Split indexes (`git update-index --split-index`): the file `index` holds what changed, and names a
//! file `sharedindex.<hash>` beside it with the rest. Git leaves the ones that it used before there for
//! two weeks. Reads which one an index names; nothing else of it.

use crate::Error;
use crate::outside::{check_ordinary, read_ordinary};
use crate::path::{exists, hex};
use std::path::{Path, PathBuf};

/// How the names of shared parts begin.
pub(crate) const NAME: &str = "sharedindex.";

/// The largest index, and the largest shared part, that is read.
const LARGEST: u64 = 512 << 20;

/// What comes before the entries of an index: a signature, the version, the number of entries.
const HEAD: usize = 12;

/// What git noted of a file, before its object's hash.
const STAT: usize = 40;

/// The shared part that the index in `dir` names; `None` where it stands alone.
///
/// # Errors
/// Where that part is no ordinary file, or is too large.
pub(crate) fn shared(dir: &Path) -> Result<Option<PathBuf>, Error> {
    let is_shared = |entry: std::fs::DirEntry| entry.file_name().to_string_lossy().starts_with(NAME);
    // Most repositories have none, and their index need not be read.
    if !dir.read_dir().into_iter().flatten().flatten().any(is_shared) {
        return Ok(None);
    }
    let index = read_ordinary(&dir.join("index"), LARGEST).unwrap_or_default();
    // An index does not say which hash it has.
    let names = [20, 32].into_iter().filter_map(|hash| named(&index, hash));
    let mut files = names.map(|name| dir.join(format!("{NAME}{}", hex(name))));
    let Some(file) = files.find(|file| exists(file)) else {
        return Ok(None);
    };
    check_ordinary(&file, LARGEST)?;
    Ok(Some(file))
}

/// The hash in the extension `link` of an index whose hashes have `length` bytes.
fn named(index: &[u8], length: usize) -> Option<&[u8]> {
    let number = |at: usize| -> Option<usize> {
        let bytes: [u8; 4] = index.get(at..at + 4)?.try_into().ok()?;
        usize::try_from(u32::from_be_bytes(bytes)).ok()
    };
    if !index.starts_with(b"DIRC") {
        return None;
    }
    let (version, count) = (number(4)?, number(8)?);
    let mut at = HEAD;
    for _ in 0..count {
        at = after_entry(index, at, version, length)?;
    }
    // The hash of the whole index stands at its end.
    while at + 8 <= index.len().checked_sub(length)? {
        let size = number(at + 4)?;
        if &index[at..at + 4] == b"link" {
            let name = index.get(at + 8..at + 8 + length)?;
            return name.iter().any(|byte| *byte != 0).then_some(name);
        }
        at = at.checked_add(8 + size)?;
    }
    None
}

/// Where the entry that begins at `start` ends.
fn after_entry(index: &[u8], start: usize, version: usize, length: usize) -> Option<usize> {
    let flags = start + STAT + length;
    let is_extended = version > 2 && index.get(flags)? & 0x40 != 0;
    let mut name = flags + if is_extended { 4 } else { 2 };
    if version == 4 {
        // How much of the name before it is left out, as a number of bytes that go on by their top bit.
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
    fn the_part_that_git_names_is_found() {
        // An entry that is only intended makes a version 3 of a version 2.
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
            // One that git used before.
            std::fs::write(home.join(format!("{NAME}{}", "0".repeat(40))), "old").unwrap();
            let said = dir.path().join(git(&["rev-parse", "--shared-index-path"]));
            assert_eq!(shared(&home).unwrap(), Some(said), "{version} {format}");
            git(&["update-index", "--no-split-index"]);
            assert_eq!(shared(&home).unwrap(), None, "{version} {format}");
        }
    }

    #[test]
    fn nothing_is_found_in_rubbish() {
        let rubbish: [&[u8]; 4] = [b"", b"DIRC", b"DIRC\0\0\0\x02\xff\xff\xff\xff", &[0xff; 400]];
        for index in rubbish {
            assert_eq!(named(index, 20), None);
        }
    }
}
