//! The record of a worktree that is being created or removed, in `<common>/downbeat/<key>/`. It is written
//! before the first step and removed after the last, so that a killed process leaves nothing half-made. Also
//! the locks next to it.

use crate::path::{self, key};
use crate::{Error, below, interrupt, tree};
use serde::{Deserialize, Serialize};
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The folder of records and locks in the git directory.
pub(crate) const OURS: &str = "downbeat";

/// The folder in it of the record and the lock of landings.
pub(crate) const LANDING: &str = "land";

/// The file name of a record.
const RECORD: &str = "record.json";

/// The size limit of a record.
const MOST: u64 = 1 << 20;

/// The progress of a worktree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Stage {
    /// Git may have registered it, or part of it; its directory holds only git's pointer.
    Registering,
    /// Registered; its files are being written. Files that a person puts there belong to that person.
    Registered,
    /// Its files are there; its hook and its submodules follow. Its files are never written again.
    Filled,
    /// Complete; somebody may have worked in it.
    Ready,
    /// Being removed, after its work was saved.
    Removing,
}

/// The record of one worktree.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Record {
    /// The location as text (see [`path::to_text`]).
    pub(crate) path: String,
    /// The requested name.
    pub(crate) wanted: String,
    /// The actual name of the branch.
    pub(crate) branch: String,
    /// The commit from which it started.
    pub(crate) base: String,
    /// Whether the branch was created with it, and may be deleted when it is undone.
    pub(crate) made_branch: bool,
    /// The names of the administrative directories that existed before.
    pub(crate) others: Vec<String>,
    /// The backup from which it is restored, if any.
    #[serde(default)]
    pub(crate) restored: Option<String>,
    /// The inode number of the repository's git directory, which differs in a copy of the repository. Missing
    /// in records of earlier versions, and on systems without such numbers.
    #[serde(default)]
    pub(crate) origin: Option<u64>,
    /// The progress.
    pub(crate) stage: Stage,
}

impl Record {
    /// Creates the record for the removal of a worktree that has none, because somebody else created it.
    pub(crate) fn of_removal(place: &Path) -> Self {
        Self {
            path: path::to_text(place),
            wanted: String::new(),
            branch: String::new(),
            base: String::new(),
            made_branch: false,
            others: Vec::new(),
            restored: None,
            origin: None,
            stage: Stage::Removing,
        }
    }

    /// Reads the record of the worktree at `place`; `None` if it is missing or incomplete.
    pub(crate) fn load(common: &Path, place: &Path) -> Option<Self> {
        let bytes = downbeat_files::read(&home(common, place).join(RECORD), MOST).ok()?;
        let record: Self = serde_json::from_slice(&bytes).ok()?;
        (path::from_text(&record.path) == place).then_some(record)
    }

    /// Writes the record atomically.
    pub(crate) fn store(&self, common: &Path) -> Result<(), Error> {
        let file = name(&self.place()).join(RECORD);
        let text = serde_json::to_vec(self)
            .map_err(std::io::Error::from)
            .map_err(Error::io("write", &common.join(&file)))?;
        below::replace(common, &file, &text)
    }

    /// Sets the stage and writes the record.
    pub(crate) fn at(mut self, common: &Path, stage: Stage) -> Result<Self, Error> {
        self.stage = stage;
        self.store(common)?;
        Ok(self)
    }

    /// Returns the record of a worktree whose removal was abandoned.
    pub(crate) fn standing(mut self) -> Self {
        if self.stage == Stage::Removing {
            self.stage = Stage::Ready;
        }
        self
    }

    /// Deletes the record: the last step of undoing or removing a worktree.
    pub(crate) fn erase(common: &Path, place: &Path) -> Result<(), Error> {
        tree::remove(&home(common, place))
    }

    /// Returns the location of the worktree.
    pub(crate) fn place(&self) -> PathBuf {
        path::from_text(&self.path)
    }
}

fn home(common: &Path, place: &Path) -> PathBuf {
    common.join(name(place))
}

/// Returns the folder of a record and its lock, relative to the git directory.
pub(crate) fn name(place: &Path) -> PathBuf {
    Path::new(OURS).join(key(place))
}

/// Locks a repository: one registration at a time, over all processes.
pub(crate) fn lock_repository(common: &Path) -> Result<File, Error> {
    lock(common, Path::new(OURS))
}

/// Locks the landings of a repository: one at a time, over all processes. Taken before the repository's lock.
pub(crate) fn lock_landing(common: &Path) -> Result<File, Error> {
    lock(common, &Path::new(OURS).join(LANDING))
}

/// Removes git's lock on the index in `notes`. The caller holds the worktree's lock, so no git of ours runs
/// there, and the index lock was left by a git that was killed.
pub(crate) fn clear_index_lock(notes: &Path) {
    let _ = std::fs::remove_file(notes.join("index.lock"));
}

/// Locks a worktree: one checkout or removal at a time.
pub(crate) fn lock_worktree(common: &Path, place: &Path) -> Result<File, Error> {
    lock(common, &name(place))
}

/// The number of times that a folder may disappear before it is locked. Beyond it, something else is wrong.
const ROUNDS: u32 = 500;

/// The maximum time to wait for a lock. A holder that takes longer hangs, or is not one of our programs.
const PATIENCE: Duration = Duration::from_secs(600);

/// The pause between two attempts to lock.
const PAUSE: Duration = Duration::from_millis(10);

/// Locks with `flock`, which also excludes other threads of this process, because each opens the file.
fn lock(common: &Path, inside: &Path) -> Result<File, Error> {
    let inside = inside.join("lock");
    let path = common.join(&inside);
    let mut rounds = 0;
    loop {
        rounds += 1;
        match below::folder(common, inside.parent().unwrap_or(&inside)) {
            // The folder existed, but the holder of the lock erased it just now.
            Err(Error::Io { source, .. })
                if source.kind() == std::io::ErrorKind::NotFound && rounds < ROUNDS =>
            {
                continue;
            }
            made => made?,
        };
        if let Some(ours) = inside.iter().next() {
            keep_private(&common.join(ours));
        }
        below::check(common, &inside)?;
        let mut options = File::options();
        let file = options
            .create(true)
            .truncate(false)
            .read(true)
            .write(true)
            .open(&path);
        let file = match file {
            // The holder of the lock erased the directory just now.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound && rounds < ROUNDS => continue,
            other => other.map_err(Error::io("open", &path))?,
        };
        wait(&file, &path)?;
        // The previous holder may have erased the file meanwhile; then the next caller locks another file.
        if is_at(&file, &path) {
            return Ok(file);
        }
    }
}

/// Waits for a lock until the operation is cancelled.
fn wait(file: &File, path: &Path) -> Result<(), Error> {
    let until = Instant::now() + PATIENCE;
    loop {
        let refused = match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::Error(error)) => error,
            Err(TryLockError::WouldBlock) if Instant::now() < until => {
                interrupt::check(path)?;
                std::thread::sleep(PAUSE);
                continue;
            }
            Err(TryLockError::WouldBlock) => {
                std::io::Error::other("another program has held it for ten minutes")
            }
        };
        return Err(Error::io("lock", path)(refused));
    }
}

/// Removes access for other users, who could lock any file that they can read. Failures are ignored, because
/// the folder may belong to another user.
#[cfg(unix)]
fn keep_private(folder: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    let is_open = |about: std::fs::Metadata| about.is_dir() && about.permissions().mode() & 0o077 != 0;
    if folder.symlink_metadata().is_ok_and(is_open) {
        let _ = std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o700));
    }
}

#[cfg(not(unix))]
fn keep_private(_: &Path) {}

/// Whether an open file is the one at `path`.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let id = |meta: std::io::Result<std::fs::Metadata>| meta.map(|meta| (meta.dev(), meta.ino())).ok();
    let held = id(file.metadata());
    held.is_some() && held == id(path.metadata())
}

/// Always true: Windows does not expose the identity of a file easily. There, a
/// rare waiter keeps an erased file.
#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_wait_for_a_lock_can_be_cancelled_and_the_folder_becomes_private() {
        use std::os::unix::fs::PermissionsExt as _;
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path().join("home");
        std::fs::create_dir(&home).unwrap();
        std::fs::set_permissions(&home, std::fs::Permissions::from_mode(0o755)).unwrap();
        let held = lock(dir.path(), Path::new("home")).unwrap();
        assert_eq!(home.metadata().unwrap().permissions().mode() & 0o777, 0o700);
        let interrupt = crate::Interrupt::unmarked();
        let waits = {
            let (interrupt, dir) = (interrupt.clone(), dir.path().to_owned());
            std::thread::spawn(move || interrupt.during(|| lock(&dir, Path::new("home"))))
        };
        std::thread::sleep(Duration::from_millis(100));
        interrupt.ask();
        let ended = waits.join().unwrap();
        assert!(matches!(ended, Err(Error::Interrupted { .. })), "{ended:?}");
        drop(held);
    }

    #[cfg(unix)]
    #[test]
    fn a_lock_that_is_erased_during_the_wait_is_acquired_again() {
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path().join("home");
        for _ in 0..50 {
            let first = lock(dir.path(), Path::new("home")).unwrap();
            let waits = {
                let home = home.clone();
                std::thread::spawn(move || lock(home.parent().unwrap(), Path::new("home")).unwrap())
            };
            std::thread::yield_now();
            std::fs::remove_file(home.join("lock")).unwrap();
            // The folder is not empty if the other thread was fast.
            let _ = std::fs::remove_dir(&home);
            drop(first);
            let second = waits.join().unwrap();
            let third = File::options().write(true).open(home.join("lock")).unwrap();
            assert!(third.try_lock().is_err(), "two hold it");
            drop(second);
        }
    }
}
