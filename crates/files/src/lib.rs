//! Opens files in places to which somebody else may write: an agent, or the author of a repository. A pipe
//! in place of a file does not block, a device is not opened, nothing is written through a link, and a file
//! without end is read up to a limit. The choice of places, and the contents, are up to the callers.
#![forbid(unsafe_code)]

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;

/// Returns what something is if it is not a regular file.
#[must_use]
pub fn kind(about: &Metadata) -> Option<&'static str> {
    let kind = about.file_type();
    if kind.is_file() {
        None
    } else if kind.is_dir() {
        Some("a directory")
    } else if kind.is_symlink() {
        Some("a link")
    } else {
        Some("a pipe, a socket or a device")
    }
}

fn refuse(about: &Metadata) -> io::Result<()> {
    match kind(about) {
        None => Ok(()),
        Some(kind) => Err(io::Error::other(format!("it is {kind}, not a file"))),
    }
}

/// Opens a file for reading, but not through a link; also returns its length.
///
/// # Errors
/// Fails if there is no regular file.
pub fn open(path: &Path) -> io::Result<(File, u64)> {
    // Checked before the file is opened: opening a device may have an effect.
    refuse(&path.symlink_metadata()?)?;
    checked(OpenOptions::new().read(true), path, Links::Refused)
}

/// Opens a file for reading, possibly through a link; also returns its length.
///
/// # Errors
/// Fails if there is no regular file.
pub fn open_linked(path: &Path) -> io::Result<(File, u64)> {
    refuse(&path.metadata()?)?;
    checked(OpenOptions::new().read(true), path, Links::Followed)
}

/// Reads a file that is not a link.
///
/// # Errors
/// Fails if there is no regular file, or if it has more than `most` bytes.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let (file, _) = open(path)?;
    let mut bytes = Vec::new();
    file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        let what = format!("it is longer than the {} KB that are read", most >> 10);
        return Err(io::Error::other(what));
    }
    Ok(bytes)
}

/// Reads the first `most` bytes of a file that is not a link.
///
/// # Errors
/// Fails if there is no regular file.
pub fn read_start(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let (file, _) = open(path)?;
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads the last `most` bytes of a file that is not a link.
///
/// # Errors
/// Fails if there is no regular file.
pub fn read_end(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let (mut file, length) = open(path)?;
    file.seek(SeekFrom::Start(length.saturating_sub(most)))?;
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Opens a file for reading and appending, and creates it for the person alone if it is missing; also returns
/// its length.
///
/// # Errors
/// Fails if a link, or anything else that is not a regular file, is in its place.
pub fn append(path: &Path) -> io::Result<(File, u64)> {
    if let Ok(about) = path.symlink_metadata() {
        refuse(&about)?;
    }
    let mut options = OpenOptions::new();
    checked(options.read(true).append(true).create(true), path, Links::Refused)
}

/// Opens a file for reading and for writing over what is there, but does not create it.
///
/// # Errors
/// Fails if there is no regular file, or a link in its place.
pub fn update(path: &Path) -> io::Result<File> {
    refuse(&path.symlink_metadata()?)?;
    let mut options = OpenOptions::new();
    Ok(checked(options.read(true).write(true), path, Links::Refused)?.0)
}

/// Creates an empty file for the person alone, in place of any file, link or pipe.
///
/// # Errors
/// Fails if a folder is in its place, or if there is no room.
pub fn begin(path: &Path) -> io::Result<File> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    system::at_once(&mut options, Links::Refused);
    options.open(path)
}

/// Whether a file may be opened through a link.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Links {
    Followed,
    Refused,
}

/// Opens a file, and checks what was opened: the path may have become something else meanwhile.
fn checked(options: &mut OpenOptions, path: &Path, links: Links) -> io::Result<(File, u64)> {
    system::at_once(options, links);
    let file = options.open(path)?;
    let about = file.metadata()?;
    refuse(&about)?;
    Ok((file, about.len()))
}

#[cfg(unix)]
mod system {
    use super::Links;
    use rustix::fs::OFlags;
    use std::fs::OpenOptions;
    use std::os::unix::fs::OpenOptionsExt as _;

    /// Sets the options for opening without waiting, and for creating the file for the person alone.
    pub(crate) fn at_once(options: &mut OpenOptions, links: Links) {
        let mut flags = OFlags::NONBLOCK | OFlags::NOCTTY;
        if links == Links::Refused {
            flags |= OFlags::NOFOLLOW;
        }
        options.custom_flags(flags.bits().cast_signed()).mode(0o600);
    }
}

#[cfg(not(unix))]
mod system {
    use super::Links;
    use std::fs::OpenOptions;

    pub(crate) fn at_once(_: &mut OpenOptions, _: Links) {}
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use std::io::Write as _;
    use std::os::unix::fs::PermissionsExt as _;
    use std::path::PathBuf;

    /// Returns a folder with a pipe, a file `mine`, and a link to that file.
    fn folder() -> (tempfile::TempDir, impl Fn(&str) -> PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().to_owned();
        let at = move |name: &str| root.join(name);
        let made = std::process::Command::new("mkfifo").arg(at("pipe")).status();
        assert!(made.unwrap().success());
        std::fs::write(at("mine"), "mine").unwrap();
        std::os::unix::fs::symlink(at("mine"), at("link")).unwrap();
        (dir, at)
    }

    #[test]
    fn a_pipe_does_not_block_and_a_link_is_followed_only_where_allowed() {
        let (_dir, at) = folder();
        for name in ["pipe", "link", "missing"] {
            open(&at(name)).unwrap_err();
            read(&at(name), 10).unwrap_err();
            read_start(&at(name), 10).unwrap_err();
            read_end(&at(name), 10).unwrap_err();
        }
        open_linked(&at("pipe")).unwrap_err();
        open_linked(Path::new("/dev/zero")).unwrap_err();
        assert_eq!(open_linked(&at("link")).unwrap().1, 4);
        assert_eq!(read(&at("mine"), 4).unwrap(), b"mine");
        assert!(read(&at("mine"), 3).unwrap_err().to_string().contains("longer"));
        assert_eq!(read_start(&at("mine"), 3).unwrap(), b"min");
        assert_eq!(read_end(&at("mine"), 3).unwrap(), b"ine");
    }

    #[test]
    fn nothing_is_written_through_a_link_or_into_a_pipe() {
        let (_dir, at) = folder();
        for name in ["pipe", "link"] {
            append(&at(name)).unwrap_err();
            update(&at(name)).unwrap_err();
        }
        update(&at("missing")).unwrap_err();
        assert!(!at("missing").exists());
        update(&at("mine")).unwrap().write_all(b"M").unwrap();
        assert_eq!(std::fs::read(at("mine")).unwrap(), b"Mine");
        std::fs::write(at("mine"), "mine").unwrap();
        let (mut log, length) = append(&at("log")).unwrap();
        log.write_all(b"line").unwrap();
        assert_eq!((length, append(&at("log")).unwrap().1), (0, 4));
        std::fs::hard_link(at("mine"), at("hard")).unwrap();
        for name in ["pipe", "link", "hard", "new"] {
            begin(&at(name)).unwrap().write_all(b"ours").unwrap();
            let about = at(name).symlink_metadata().unwrap();
            assert!(
                about.is_file() && about.permissions().mode() & 0o777 == 0o600,
                "{name}"
            );
        }
        assert_eq!(std::fs::read(at("mine")).unwrap(), b"mine");
    }
}
