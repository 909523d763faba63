//! Opens files in places where an agent may write: a pipe in their place keeps nobody waiting, and nothing
//! is appended to through a link. What a repository brings is read by `downbeat_git`.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;

/// Opens a file to read; also its length. A link may lead to it.
///
/// # Errors
/// Where there is none, or something else.
pub(crate) fn open(path: &Path) -> io::Result<(File, u64)> {
    let mut options = OpenOptions::new();
    options.read(true);
    kind::at_once(&mut options);
    checked(&options, path)
}

/// Opens a file to read and to append to, and makes it for the person alone where it is missing; also its
/// length.
///
/// # Errors
/// Where a link or something else is there.
pub(crate) fn append(path: &Path) -> io::Result<(File, u64)> {
    let mut options = OpenOptions::new();
    options.read(true).append(true).create(true);
    kind::own(&mut options);
    if path.is_symlink() {
        return Err(io::Error::other("it is a link"));
    }
    checked(&options, path)
}

fn checked(options: &OpenOptions, path: &Path) -> io::Result<(File, u64)> {
    let file = options.open(path)?;
    let about = file.metadata()?;
    match about.is_file() {
        true => Ok((file, about.len())),
        false => Err(io::Error::other("it is not a file")),
    }
}

#[cfg(unix)]
pub(crate) mod kind {

    use rustix::fs::OFlags;
    use std::fs::OpenOptions;
    use std::os::unix::fs::OpenOptionsExt;

    fn set(options: &mut OpenOptions, flags: OFlags) {
        options.custom_flags(flags.bits().cast_signed());
    }

    pub(crate) fn at_once(options: &mut OpenOptions) {
        set(options, OFlags::NONBLOCK | OFlags::NOCTTY);
    }

    pub(crate) fn own(options: &mut OpenOptions) {
        set(options, OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::NOFOLLOW);
        options.mode(0o600);
    }
}

#[cfg(not(unix))]
pub(crate) mod kind {

    use std::fs::OpenOptions;

    pub(crate) fn at_once(_: &mut OpenOptions) {}

    pub(crate) fn own(_: &mut OpenOptions) {}
}

#[cfg(all(test, unix))]
mod tests {
    use super::{append, open};
    use std::io::Write as _;

    #[test]
    fn a_pipe_keeps_nobody_and_a_link_is_not_appended_to() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        let made = std::process::Command::new("mkfifo").arg(at("pipe")).status();
        assert!(made.unwrap().success());
        open(&at("pipe")).unwrap_err();
        append(&at("pipe")).unwrap_err();
        std::fs::write(at("mine"), "mine").unwrap();
        std::os::unix::fs::symlink(at("mine"), at("link")).unwrap();
        append(&at("link")).unwrap_err();
        assert_eq!(open(&at("link")).unwrap().1, 4);
        let (mut log, length) = append(&at("log")).unwrap();
        log.write_all(b"line").unwrap();
        assert_eq!((length, append(&at("log")).unwrap().1), (0, 4));
    }
}
