//! Paths as bytes, as text that round-trips, and as locations of worktrees and of
//! files inside them. Runs no git.

use crate::Error;
use sha2::{Digest, Sha256};
use std::fmt::Write;
use std::path::{Component, Path, PathBuf};

/// The prefix of the text of a path that is not UTF-8.
const HEX: &str = "hex:";

/// Returns the location of a worktree: absolute, the parent with its links resolved, the last name as given.
pub(crate) fn place(path: &Path) -> Result<PathBuf, Error> {
    let outside = || Error::OutsidePath {
        path: path.display().to_string(),
    };
    let absolute = std::path::absolute(path).map_err(Error::io("resolve", path))?;
    if absolute.components().any(|part| part == Component::ParentDir) {
        return Err(outside());
    }
    let (Some(parent), Some(name)) = (absolute.parent(), absolute.file_name()) else {
        return Err(outside());
    };
    Ok(dunce::canonicalize(parent).map_or_else(|_| absolute.clone(), |parent| parent.join(name)))
}

/// Returns a short key of a path that is fit for a file name.
pub(crate) fn key(path: &Path) -> String {
    hex(&Sha256::digest(to_bytes(path)))[..16].to_owned()
}

/// Returns the path to which a worktree is moved while it is deleted: next to it, with a unique name.
pub(crate) fn aside(place: &Path) -> PathBuf {
    place.with_file_name(format!(".downbeat-removed-{}", key(place)))
}

/// Formats bytes as hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes
        .iter()
        .fold(String::with_capacity(bytes.len() * 2), |mut out, byte| {
            let _ = write!(out, "{byte:02x}");
            out
        })
}

/// Formats a path as text with `/`. A path that is not UTF-8 is written in
/// hexadecimal, so that it round-trips.
pub(crate) fn to_text(path: &Path) -> String {
    match path.to_str() {
        Some(text) if !text.starts_with(HEX) => text.replace(std::path::MAIN_SEPARATOR, "/"),
        _ => format!("{HEX}{}", hex(&to_bytes(path))),
    }
}

/// Parses a text from [`to_text`].
pub(crate) fn from_text(text: &str) -> PathBuf {
    let Some(digits) = text.strip_prefix(HEX) else {
        return PathBuf::from(text);
    };
    let pairs = digits
        .as_bytes()
        .chunks_exact(2)
        .filter_map(|pair| std::str::from_utf8(pair).ok());
    let bytes: Vec<u8> = pairs
        .filter_map(|pair| u8::from_str_radix(pair, 16).ok())
        .collect();
    from_bytes(&bytes)
}

/// Whether a relative path stays inside its root and out of git's own directory.
pub(crate) fn is_inside(path: &Path) -> bool {
    let mut parts = path.components().peekable();
    parts.peek().is_some()
        && parts.all(|part| match part {
            Component::Normal(name) => !is_git_directory(&name.to_string_lossy(), cfg!(windows)),
            _ => false,
        })
}

/// Whether a name refers to git's own directory. Windows drops dots and spaces at the end of a name, reads
/// the part after a colon as a stream of the file, and has a short name for each file.
fn is_git_directory(name: &str, windows: bool) -> bool {
    let name = match windows {
        true => {
            let file = name.split(':').next().unwrap_or_default();
            file.trim_end_matches(['.', ' '])
        }
        false => name,
    };
    let name = folded(name);
    name == ".git" || (windows && name == "git~1")
}

/// Folds a name as file systems do that ignore case and invisible characters.
pub(crate) fn folded(name: &str) -> String {
    let unseen = |c: &char| matches!(c, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}');
    let seen: String = name.chars().filter(|c| !unseen(c)).collect();
    // In both directions: some characters share only their lower case with another
    // one, some only their upper case.
    seen.to_uppercase().to_lowercase()
}

/// Whether anything, including a broken link, is at a path.
pub(crate) fn exists(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

/// Returns a path as git writes it.
#[cfg(unix)]
pub(crate) fn to_bytes(path: &Path) -> Vec<u8> {
    use std::os::unix::ffi::OsStrExt;
    path.as_os_str().as_bytes().to_vec()
}

/// Converts bytes that git wrote to a path.
#[cfg(unix)]
pub(crate) fn from_bytes(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    PathBuf::from(std::ffi::OsStr::from_bytes(bytes))
}

/// Returns a path as git writes it.
#[cfg(not(unix))]
pub(crate) fn to_bytes(path: &Path) -> Vec<u8> {
    path.to_string_lossy().replace('\\', "/").into_bytes()
}

/// Converts bytes that git wrote to a path.
#[cfg(not(unix))]
pub(crate) fn from_bytes(bytes: &[u8]) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(bytes).into_owned())
}

/// Splits the output of git with `-z` into its NUL-terminated fields.
pub(crate) fn fields(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split(|byte| *byte == 0).filter(|field| !field.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_round_trip_through_text() {
        for bytes in [&b"a/b c"[..], b"hex:41", b"\xff\xfe/x", b"new\nline"] {
            let path = from_bytes(bytes);
            assert_eq!(from_text(&to_text(&path)), path);
        }
    }

    #[test]
    fn only_plain_relative_paths_are_inside() {
        assert!(is_inside(Path::new(".env")) && is_inside(Path::new("a/b")));
        for bad in ["", "..", "a/../b", "/etc", ".git/config", "a/.GIT/x"] {
            assert!(!is_inside(Path::new(bad)), "{bad}");
        }
        assert!(place(Path::new("/tmp/../x")).is_err());
    }

    #[test]
    fn names_that_windows_maps_to_git_are_detected() {
        for name in [
            ".git",
            ".GIT",
            ".git.",
            ".git . ",
            ".git::$INDEX_ALLOCATION",
            "GIT~1",
        ] {
            assert!(is_git_directory(name, true), "{name}");
        }
        assert!(!is_git_directory(".gitignore", true) && !is_git_directory("git~1", false));
        assert!(is_git_directory(".g\u{200c}it", false));
        assert_eq!(folded("Config.Wor\u{212a}\u{17f}"), "config.works");
    }
}
