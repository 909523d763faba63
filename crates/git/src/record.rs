//! What we wrote down about a worktree that we make, so that a killed process leaves nothing
//! half-made: it is written before the first step and removed after the last. It lives in
//! `<common>/downbeat/<key>/`. Also the locks beside it.

use crate::path::{self, key};
use crate::{Error, below, interrupt, tree};
use serde::{Deserialize, Serialize};
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Where all of it is, in the git directory.
const OURS: &str = "downbeat";

/// The name of a record.
const RECORD: &str = "record.json";

/// The longest record that is read.
const MOST: u64 = 1 << 20;

/// How far a worktree has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Stage {
    /// Git may have registered it, or half of it; its directory holds nothing but git's pointer.
    Registering,
    /// Registered; its files are being written. What a person put there meanwhile is theirs.
    Registered,
    /// Its files are there; its hook and its submodules are to come. Never filled again.
    Filled,
    /// Whole; someone may have worked in it.
    Ready,
    /// Being removed, after its work was saved.
    Removing,
}

/// The record of one worktree.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Record {
    /// Where, as text (see [`path::to_text`]).
    pub(crate) path: String,
    /// The name that was asked for.
    pub(crate) wanted: String,
    /// The branch as it is really called.
    pub(crate) branch: String,
    /// The commit that it started from.
    pub(crate) base: String,
    /// Whether the branch is ours to delete when all is undone.
    pub(crate) made_branch: bool,
    /// The names of git's notes that were there before.
    pub(crate) others: Vec<String>,
    /// The backup that it is made from, if any.
    #[serde(default)]
    pub(crate) restored: Option<String>,
    /// The number that the repository's git directory had on its disk: a copy of it has another one. Missing
    /// in what earlier versions wrote, and where folders have no numbers.
    #[serde(default)]
    pub(crate) origin: Option<u64>,
    /// How far it has come.
    pub(crate) stage: Stage,
}

impl Record {
    /// That of a worktree which is removed and had none: it was made by somebody else.
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

    /// The record of the worktree at `place`; `None` where there is none, or half of one.
    pub(crate) fn load(common: &Path, place: &Path) -> Option<Self> {
        let bytes = downbeat_files::read(&home(common, place).join(RECORD), MOST).ok()?;
        let record: Self = serde_json::from_slice(&bytes).ok()?;
        (path::from_text(&record.path) == place).then_some(record)
    }

    /// Writes the record, whole or not at all.
    pub(crate) fn store(&self, common: &Path) -> Result<(), Error> {
        let file = name(&self.place()).join(RECORD);
        let text = serde_json::to_vec(self)
            .map_err(std::io::Error::from)
            .map_err(Error::io("write", &common.join(&file)))?;
        below::replace(common, &file, &text)
    }

    /// The same at another stage, written.
    pub(crate) fn at(mut self, common: &Path, stage: Stage) -> Result<Self, Error> {
        self.stage = stage;
        self.store(common)?;
        Ok(self)
    }

    /// The same of a worktree that is not removed after all.
    pub(crate) fn standing(mut self) -> Self {
        if self.stage == Stage::Removing {
            self.stage = Stage::Ready;
        }
        self
    }

    /// Removes the record: the last step of undoing or removing.
    pub(crate) fn erase(common: &Path, place: &Path) -> Result<(), Error> {
        tree::remove(&home(common, place))
    }

    /// Where the worktree is.
    pub(crate) fn place(&self) -> PathBuf {
        path::from_text(&self.path)
    }
}

fn home(common: &Path, place: &Path) -> PathBuf {
    common.join(name(place))
}

/// Where a record and its lock are, in the git directory.
pub(crate) fn name(place: &Path) -> PathBuf {
    Path::new(OURS).join(key(place))
}

/// The lock of a repository: one registration at a time, over all processes.
pub(crate) fn lock_repository(common: &Path) -> Result<File, Error> {
    lock(common, Path::new(OURS))
}

/// Removes git's lock on the index in `notes`. Whoever holds the worktree's lock may: no git of ours runs there
/// then, so the lock is from one that was killed.
pub(crate) fn clear_index_lock(notes: &Path) {
    let _ = std::fs::remove_file(notes.join("index.lock"));
}

/// The lock of one worktree: its checkout or removal, one at a time.
pub(crate) fn lock_worktree(common: &Path, place: &Path) -> Result<File, Error> {
    lock(common, &name(place))
}

/// How often a folder may go before it is locked. Nobody is that unlucky: something else is wrong.
const ROUNDS: u32 = 500;

/// How long a lock is waited for. Who has it longer is no program of ours, or hangs.
const PATIENCE: Duration = Duration::from_secs(600);

/// Between two tries to lock.
const PAUSE: Duration = Duration::from_millis(10);

/// Locks by `flock`, which also excludes two threads of one process, since each opens the file.
fn lock(common: &Path, inside: &Path) -> Result<File, Error> {
    let inside = inside.join("lock");
    let path = common.join(&inside);
    let mut rounds = 0;
    loop {
        rounds += 1;
        match below::folder(common, inside.parent().unwrap_or(&inside)) {
            // It was there, and who held the lock erased it just now.
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
            // Who held the lock erased the directory just now.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound && rounds < ROUNDS => continue,
            other => other.map_err(Error::io("open", &path))?,
        };
        wait(&file, &path)?;
        // While we waited, who held it may have erased it: whoever comes next locks another file.
        if is_at(&file, &path) {
            return Ok(file);
        }
    }
}

/// Waits for a lock, for as long as nobody asks the making to end.
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
            Err(TryLockError::WouldBlock) => std::io::Error::other("another program has it for ten minutes"),
        };
        return Err(Error::io("lock", path)(refused));
    }
}

/// Keeps other users out, who could lock what they can read. Where it is not ours, it stays.
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

/// Windows tells no identity of a file without more ado: there the rare waiter keeps what it got.
#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn who_waits_for_a_lock_can_be_asked_to_end_and_others_cannot_take_it() {
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
    fn a_lock_that_was_erased_while_it_was_waited_for_is_taken_anew() {
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
            // Not empty where the other was fast.
            let _ = std::fs::remove_dir(&home);
            drop(first);
            let second = waits.join().unwrap();
            let third = File::options().write(true).open(home.join("lock")).unwrap();
            assert!(third.try_lock().is_err(), "two hold it");
            drop(second);
        }
    }
}
