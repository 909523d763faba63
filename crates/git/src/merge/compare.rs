//! Compares a file of a checkout with what git would write there, to tell a file that a killed update wrote
//! from one that a person edited since.

use crate::path::to_bytes;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// The number of bytes that are compared at a time.
const CHUNK: usize = 64 << 10;

/// How a file compares with another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Match {
    Same,
    /// It is shorter, and the other one begins with it: git was killed while it wrote it.
    Beginning,
    Different,
}

/// Compares a file or link with another one. What cannot be read differs.
pub(crate) fn compare(file: &Path, expected: &Path) -> Match {
    let (Ok(one), Ok(other)) = (file.symlink_metadata(), expected.symlink_metadata()) else {
        return Match::Different;
    };
    if one.is_symlink() && other.is_symlink() {
        let target = |path: &Path| path.read_link().map(|to| to_bytes(&to)).ok();
        return match target(file) == target(expected) {
            true => Match::Same,
            false => Match::Different,
        };
    }
    if !one.is_file() || !other.is_file() || one.len() > other.len() {
        return Match::Different;
    }
    let open = |path: &Path| downbeat_files::open(path).ok().map(|(file, _)| file);
    match (open(file), open(expected)) {
        (Some(file), Some(expected)) => contents(file, expected),
        _ => Match::Different,
    }
}

fn contents(file: File, expected: File) -> Match {
    let (mut file, mut expected) = (file, expected);
    let (mut here, mut there) = (vec![0; CHUNK], vec![0; CHUNK]);
    loop {
        let (Some(length), Some(more)) = (fill(&mut file, &mut here), fill(&mut expected, &mut there)) else {
            return Match::Different;
        };
        if length > more || here[..length] != there[..length] {
            return Match::Different;
        }
        if length < more {
            return Match::Beginning;
        }
        if length == 0 {
            return Match::Same;
        }
    }
}

/// Reads until the buffer is full or the file ends.
fn fill(file: &mut File, buffer: &mut [u8]) -> Option<usize> {
    let mut length = 0;
    while length < buffer.len() {
        match file.read(&mut buffer[length..]) {
            Ok(0) => break,
            Ok(more) => length += more,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) => return None,
        }
    }
    Some(length)
}

/// Whether the two files differ in whether they may be executed.
#[cfg(unix)]
pub(crate) fn runs_alike(file: &Path, expected: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    let runs = |path: &Path| {
        let about = path.symlink_metadata().ok()?;
        Some(about.permissions().mode() & 0o100 != 0)
    };
    runs(file) == runs(expected)
}

#[cfg(not(unix))]
pub(crate) fn runs_alike(_: &Path, _: &Path) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_was_cut_off_is_a_beginning() {
        let dir = tempfile::tempdir().unwrap();
        let file = |name: &str, bytes: &[u8]| {
            let at = dir.path().join(name);
            std::fs::write(&at, bytes).unwrap();
            at
        };
        let long: Vec<u8> = (0..200_000_u32).map(|n| (n % 251) as u8).collect();
        let whole = file("whole", &long);
        let mut edited = long.clone();
        edited[150_000] ^= 1;
        for (bytes, expected) in [
            (&long[..], Match::Same),
            (&long[..CHUNK], Match::Beginning),
            (&long[..99_999], Match::Beginning),
            (&[], Match::Beginning),
            (&edited, Match::Different),
            (&[long.as_slice(), b"x"].concat(), Match::Different),
        ] {
            assert_eq!(compare(&file("file", bytes), &whole), expected, "{}", bytes.len());
        }
        assert_eq!(compare(dir.path(), &whole), Match::Different);
        assert_eq!(compare(&dir.path().join("missing"), &whole), Match::Different);
    }
}
