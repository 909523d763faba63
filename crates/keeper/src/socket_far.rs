//! The folder for sockets whose own directory has too long a path. Every user of the machine may write
//! to its parent, so nothing there is trusted or changed before it is known to be ours.

use crate::error::Error;
use rustix::fs::{Mode, OFlags};
use std::io;
use std::path::{Path, PathBuf};

/// The parent of the folder. Not `XDG_RUNTIME_DIR`, which is removed with the last login, while keepers stay.
const ROOT: &str = "/tmp";

/// The number of fresh names that are tried before giving up.
const TRIES: u32 = 16;

/// Returns the folder's name, which is also the prefix of the fresh names.
fn name() -> String {
    format!("downbeat-{}", rustix::process::geteuid().as_raw())
}

/// Returns the folder, created if necessary: `/tmp/downbeat-<uid>`, or one with a fresh name if that is not
/// ours alone. The keeper's directory records the path of its socket.
pub fn folder() -> Result<PathBuf, Error> {
    folder_in(Path::new(ROOT))
}

fn folder_in(root: &Path) -> Result<PathBuf, Error> {
    let usual = root.join(name());
    if own(&usual).is_ok() {
        return Ok(usual);
    }
    let mut refused = io::Error::from(io::ErrorKind::AlreadyExists);
    for _ in 0..TRIES {
        let mut random = [0_u8; 8];
        #[expect(clippy::disallowed_methods, reason = "the system's own device")]
        std::io::Read::read_exact(&mut std::fs::File::open("/dev/urandom")?, &mut random)?;
        let other = root.join(format!("{}-{:016x}", name(), u64::from_ne_bytes(random)));
        match rustix::fs::mkdir(&other, Mode::RWXU) {
            Ok(()) => return Ok(other),
            Err(error) => refused = error.into(),
        }
    }
    Err(Error::path(&usual)(refused))
}

/// Creates a folder that only we can enter, or makes sure that an existing one is ours and closed. Links
/// are neither followed nor changed.
fn own(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
    match rustix::fs::mkdir(path, Mode::RWXU) {
        Ok(()) => return Ok(()),
        Err(rustix::io::Errno::EXIST) => {}
        Err(error) => return Err(error.into()),
    }
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let folder = std::fs::File::from(rustix::fs::open(path, flags, Mode::empty())?);
    let found = folder.metadata()?;
    if !found.is_dir() || found.uid() != rustix::process::geteuid().as_raw() {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    if found.permissions().mode() & 0o777 != 0o700 {
        folder.set_permissions(std::fs::Permissions::from_mode(0o700))?;
    }
    Ok(())
}

/// Removes the folder of a socket if it was created for that socket alone.
pub fn leave(socket: &Path) {
    let fresh = format!("{}-", name());
    let folder = socket.parent().filter(|folder| {
        let is_fresh = |name: &std::ffi::OsStr| name.as_encoded_bytes().starts_with(fresh.as_bytes());
        folder.parent() == Some(Path::new(ROOT)) && folder.file_name().is_some_and(is_fresh)
    });
    if let Some(folder) = folder {
        // A folder that still holds another socket stays.
        drop(std::fs::remove_dir(folder));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    fn mode(path: &Path) -> u32 {
        std::fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn our_own_folder_is_closed_to_others_and_reused() {
        let root = tempfile::tempdir().unwrap();
        let made = folder_in(root.path()).unwrap();
        assert_eq!((made.clone(), mode(&made)), (root.path().join(name()), 0o700));
        std::fs::set_permissions(&made, std::fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(folder_in(root.path()).unwrap(), made);
        assert_eq!(mode(&made), 0o700);
    }

    #[test]
    fn a_foreign_link_or_file_is_left_alone_and_a_fresh_name_is_used() {
        let root = tempfile::tempdir().unwrap();
        let victim = root.path().join("victim");
        std::fs::create_dir(&victim).unwrap();
        std::fs::set_permissions(&victim, std::fs::Permissions::from_mode(0o755)).unwrap();
        let usual = root.path().join(name());
        std::os::unix::fs::symlink(&victim, &usual).unwrap();
        let one = folder_in(root.path()).unwrap();
        let other = folder_in(root.path()).unwrap();
        assert_eq!(mode(&victim), 0o755);
        assert!(one != usual && other != usual && one != other);
        assert_eq!((mode(&one), mode(&other)), (0o700, 0o700));
        std::fs::remove_file(&usual).unwrap();
        std::fs::write(&usual, "a file").unwrap();
        assert_ne!(folder_in(root.path()).unwrap(), usual);
        // A folder of another user, if we may change the owner.
        std::fs::remove_file(&usual).unwrap();
        std::fs::create_dir(&usual).unwrap();
        if std::os::unix::fs::chown(&usual, Some(54_321), None).is_ok() {
            let before = mode(&usual);
            assert_ne!(folder_in(root.path()).unwrap(), usual);
            assert_eq!(mode(&usual), before);
        }
    }
}
