//! Which engine owns a data directory: the lock that says that one lives, and the manifest that
//! says where it is. Not the handover between two.
//!
//! The lock is the truth: the system frees it with the process, however that ended, and no number
//! is mistaken for a later process's. A manifest without its lock is what a dead engine left.

use crate::paths::{self, Paths};
use fs4::{FileExt, TryLockError};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

/// The manifest's name in the data directory.
pub const FILE: &str = "engine.json";

/// The lock's name in the data directory.
pub const LOCK: &str = "engine.lock";

/// Bytes of a token: 256 bits nobody guesses.
const TOKEN_BYTES: usize = 32;

/// Where the live engine is.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Manifest {
    /// Its process.
    pub pid: u32,
    /// Its port on loopback.
    pub port: u16,
    /// The person's token.
    pub token: String,
    /// Its version.
    pub version: String,
    /// Whether it has no window.
    pub headless: bool,
    /// When it took the data directory.
    pub started_at: Timestamp,
}

impl std::fmt::Debug for Manifest {
    /// Without the token, so that no log ever holds it.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (pid, port) = (self.pid, self.port);
        write!(
            f,
            "Manifest {{ pid: {pid}, port: {port}, version: {:?} }}",
            self.version
        )
    }
}

/// A manifest or lock that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file.
    #[error("{path}: {source}", path = path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The system has no randomness for a token.
    #[error("no randomness for a token: {0}")]
    Token(getrandom::Error),
}

impl Manifest {
    /// The manifest of an engine that takes the data directory now: with the token and the port of
    /// the last one, so that bridges and browser tabs find it again. Not written yet.
    pub fn next(paths: &Paths, headless: bool) -> Result<Self, Error> {
        let last = read(&paths.manifest());
        let (port, token) = match last.filter(|last| last.token.len() == TOKEN_BYTES * 2) {
            Some(last) => (last.port, last.token),
            None => (0, new_token()?),
        };
        Ok(Self {
            pid: std::process::id(),
            port,
            token,
            version: env!("CARGO_PKG_VERSION").into(),
            headless,
            started_at: Timestamp::now(),
        })
    }

    /// Writes it for the person alone, at once.
    pub fn write(&self, file: &Path) -> Result<(), Error> {
        let text = serde_json::to_vec_pretty(self).map_err(io::Error::other);
        text.and_then(|text| paths::replace(file, &text))
            .map_err(|source| failed(file, source))
    }
}

fn new_token() -> Result<String, Error> {
    let mut bytes = [0; TOKEN_BYTES];
    getrandom::fill(&mut bytes).map_err(Error::Token)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Reads a manifest; `None` where there is none that can be read. Whether its engine lives says
/// [`live`].
#[must_use]
pub fn read(file: &Path) -> Option<Manifest> {
    let text = std::fs::read(file).ok()?;
    serde_json::from_slice(&text).ok()
}

/// The manifest of the engine that lives on the data directory of `file`; `None` where none does,
/// whatever a dead one left, and while a live one has not said yet where it listens.
pub fn live(file: &Path) -> Result<Option<Manifest>, Error> {
    let lock = file.with_file_name(LOCK);
    let held = match File::open(&lock) {
        Ok(held) => held,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(&lock, error)),
    };
    match FileExt::try_lock_shared(&held) {
        // Freed when `held` is closed.
        Ok(()) => Ok(None),
        Err(TryLockError::WouldBlock) => Ok(read(file)),
        Err(TryLockError::Error(error)) => Err(failed(&lock, error)),
    }
}

fn failed(path: &Path, source: io::Error) -> Error {
    Error::File {
        path: path.to_owned(),
        source,
    }
}

/// Holds a data directory: while this lives, no other engine can.
#[derive(Debug)]
#[must_use = "dropping the lock frees the data directory"]
pub struct DataLock {
    _file: File,
}

impl DataLock {
    /// Takes the data directory; `None` where someone has it. That may be someone who only asked
    /// ([`live`]) and has it for an instant: try again before giving up.
    pub fn acquire(paths: &Paths) -> Result<Option<Self>, Error> {
        let path = paths.lock();
        let mut options = OpenOptions::new();
        let file = options
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path);
        let file = file.map_err(|source| failed(&path, source))?;
        match FileExt::try_lock(&file) {
            Ok(()) => Ok(Some(Self { _file: file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(failed(&path, error)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};

    fn paths(folder: &Path) -> Paths {
        let paths = Paths::new(folder.join("data"));
        paths.create().unwrap();
        paths
    }

    fn manifest(pid: u32) -> Manifest {
        Manifest {
            pid,
            port: 7,
            token: "secret".into(),
            version: "0.1.0".into(),
            headless: true,
            started_at: Timestamp::UNIX_EPOCH,
        }
    }

    #[test]
    fn a_live_engine_is_found_and_a_dead_one_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let paths = paths(folder.path());
        let file = paths.manifest();
        assert!(live(&file).unwrap().is_none());
        let lock = DataLock::acquire(&paths).unwrap().unwrap();
        assert!(DataLock::acquire(&paths).unwrap().is_none());
        assert!(live(&file).unwrap().is_none());
        manifest(42).write(&file).unwrap();
        assert_eq!(live(&file).unwrap(), Some(manifest(42)));
        drop(lock);
        assert!(live(&file).unwrap().is_none());
        assert_eq!(read(&file), Some(manifest(42)));
        assert!(DataLock::acquire(&paths).unwrap().is_some());
    }

    #[test]
    fn the_next_engine_keeps_token_and_port_of_the_last() {
        let folder = tempfile::tempdir().unwrap();
        let paths = paths(folder.path());
        let mut first = Manifest::next(&paths, false).unwrap();
        assert_eq!((first.port, first.token.len()), (0, 64));
        first.port = 4242;
        first.write(&paths.manifest()).unwrap();
        let next = Manifest::next(&paths, true).unwrap();
        assert_eq!(
            (next.port, &next.token, next.headless),
            (4242, &first.token, true)
        );
        std::fs::write(paths.manifest(), "{").unwrap();
        assert_ne!(Manifest::next(&paths, true).unwrap().token, first.token);
        assert!(!format!("{first:?}").contains(&first.token));
    }

    /// Not a test of its own: the process that [`a_killed_engine_frees_the_directory`] kills.
    #[test]
    fn holder() {
        let Some(data) = std::env::var_os("DOWNBEAT_TEST_HOLDER") else {
            return;
        };
        let lock = DataLock::acquire(&Paths::new(data.into())).unwrap();
        println!("held");
        std::io::stdin().read_line(&mut String::new()).unwrap();
        drop(lock);
    }

    #[test]
    fn a_killed_engine_frees_the_directory() {
        let folder = tempfile::tempdir().unwrap();
        let paths = paths(folder.path());
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "manifest::tests::holder", "--nocapture"])
            .env("DOWNBEAT_TEST_HOLDER", paths.root())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let stdout = std::io::BufReader::new(child.stdout.take().unwrap());
        let held = std::io::BufRead::lines(stdout)
            .map_while(Result::ok)
            .any(|line| line.contains("held"));
        assert!(held);
        assert!(DataLock::acquire(&paths).unwrap().is_none());
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(DataLock::acquire(&paths).unwrap().is_some());
    }
}
