//! Git's lock on the index of a checkout, held while the checkout is updated. In that time its HEAD and its
//! index differ, and a commit by somebody else would undo what lands; git itself refuses to commit while
//! the lock exists, even if this process is killed.

use crate::{Error, tips};
use std::fs::File;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The name of the lock in the git directory of a checkout.
const NAME: &str = "index.lock";

/// The content of a lock of ours, by which it is recognized after a kill. Git ignores the content.
const MARK: &[u8] = b"Downbeat is landing a commit on this branch\n";

/// The maximum time to wait for another git command. Most hold the lock for milliseconds.
const PATIENCE: Duration = Duration::from_secs(3);

/// The pause between two attempts.
const PAUSE: Duration = Duration::from_millis(20);

/// A lock that this process holds. On drop it is released, unless it was told to stay.
#[derive(Debug)]
pub(crate) struct IndexLock {
    path: PathBuf,
    stays: bool,
}

impl IndexLock {
    /// Locks the index in the git directory `notes`, or takes over a lock that a killed landing left. The
    /// caller holds the lock on landings, so nobody else uses such a one. `None` if another program holds it.
    pub(crate) fn take(notes: &Path) -> Result<Option<Self>, Error> {
        let path = notes.join(NAME);
        let until = Instant::now() + PATIENCE;
        loop {
            if is_ours(notes) {
                return Ok(Some(Self { path, stays: false }));
            }
            match File::options().write(true).create_new(true).open(&path) {
                Ok(mut file) => {
                    let lock = Self { path, stays: false };
                    file.write_all(MARK).map_err(Error::io("write", &lock.path))?;
                    return Ok(Some(lock));
                }
                Err(error) if error.kind() != ErrorKind::AlreadyExists => {
                    return Err(Error::io("create", &path)(error));
                }
                Err(_) if Instant::now() > until => return Ok(None),
                Err(_) => std::thread::sleep(PAUSE),
            }
        }
    }

    /// Lets the lock outlive this value: from now on only a finished landing may release it.
    pub(crate) fn stay(&mut self) {
        self.stays = true;
    }

    /// Releases the lock.
    pub(crate) fn release(self) -> Result<(), Error> {
        let path = self.path.clone();
        std::mem::forget(self);
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(Error::io("remove", &path)(error)),
            _ => Ok(()),
        }
    }
}

impl Drop for IndexLock {
    fn drop(&mut self) {
        if !self.stays {
            // The next landing takes over a lock that could not be removed.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// Whether a landing locked the index in a git directory.
pub(crate) fn is_ours(notes: &Path) -> bool {
    tips::contents(&notes.join(NAME), MARK.len() as u64).is_some_and(|text| text == MARK)
}
