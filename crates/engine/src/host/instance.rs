//! Determines which engine owns a data directory: by the lock, which shows that an engine lives, and the
//! manifest, which says where it is. The handover between two engines is elsewhere.
//!
//! The lock is authoritative: the system releases it with the process, however that ended, and no number is
//! mistaken for that of a later process. A manifest without its lock was left by a dead engine. Whoever takes
//! the lock removes it immediately and writes its own process into the lock: a manifest counts only while its
//! process is the holder.

use crate::host::files;
use crate::host::paths::{LOCK, Paths};
use fs4::{FileExt, TryLockError};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions};
use std::io;
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};

/// The number of bytes of a token: 256 bits that nobody can guess.
const TOKEN_BYTES: usize = 32;

/// The address of the live engine.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Manifest {
    /// The engine's process.
    pub pid: u32,
    /// The engine's port on loopback.
    pub port: u16,
    /// The person's token.
    pub token: String,
    /// The engine's version.
    pub version: String,
    /// Whether the engine has no window.
    pub headless: bool,
    /// The time when it took the data directory.
    pub started_at: Timestamp,
}

impl std::fmt::Debug for Manifest {
    /// Omits the token, so that no log ever holds it.
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
    /// The file cannot be read or written.
    #[error("{path}: {source}", path = path.display())]
    File {
        /// The path of the file.
        path: PathBuf,
        /// The underlying error.
        source: io::Error,
    },
    /// The system has no randomness for a token.
    #[error("no randomness for a token: {0}")]
    Token(getrandom::Error),
}

impl Manifest {
    /// Creates the manifest of this process, with this token and no port yet. Does not write it.
    pub fn new(token: String, headless: bool) -> Self {
        Self {
            pid: std::process::id(),
            port: 0,
            token,
            version: env!("CARGO_PKG_VERSION").into(),
            headless,
            started_at: Timestamp::now(),
        }
    }

    /// Writes the manifest atomically, for the person alone.
    pub fn write(&self, file: &Path) -> Result<(), Error> {
        let text = serde_json::to_vec_pretty(self).map_err(io::Error::other);
        text.and_then(|text| files::replace(file, &text))
            .map_err(|source| failed(file, source))
    }
}

/// Creates a new secret, in hexadecimal.
pub fn new_token() -> Result<String, Error> {
    let mut bytes = [0; TOKEN_BYTES];
    getrandom::fill(&mut bytes).map_err(Error::Token)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Reads a manifest; `None` if there is no readable one. [`live`] determines whether its engine lives.
#[must_use]
pub fn read(file: &Path) -> Option<Manifest> {
    let text = std::fs::read(file).ok()?;
    serde_json::from_slice(&text).ok()
}

/// Returns the manifest of the engine that lives on the data directory of `file`; `None` if none does,
/// whatever a dead one left, or if a live one has not yet published where it listens.
pub fn live(file: &Path) -> Result<Option<Manifest>, Error> {
    Ok(holder_of(file)?.and_then(|holder| {
        let of_holder = |manifest: &Manifest| holder.pid().is_none_or(|pid| pid == manifest.pid);
        read(file).filter(of_holder)
    }))
}

/// Returns the process that holds the data directory of `file`, whether it listens yet or not; `None` if no
/// process does, or if the system does not report which.
pub fn holder(file: &Path) -> Option<u32> {
    let holder = holder_of(file).ok().flatten()?;
    holder.pid().filter(|pid| *pid != 0)
}

/// The note of a lock's holder.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Holder {
    /// The holder's process; `None` while it has written nothing yet.
    Told(Option<u32>),
    /// On Windows nobody can read a locked file. A file that the holder removed is gone there too.
    Unreadable,
}

impl Holder {
    /// Returns the holder's process, or 0, which no manifest has, if it wrote none; `None` if that is not
    /// known.
    pub(crate) fn pid(&self) -> Option<u32> {
        match self {
            Self::Told(pid) => Some(pid.unwrap_or_default()),
            Self::Unreadable => None,
        }
    }
}

/// Returns the holder of the data directory of `file`, if there is one.
fn holder_of(file: &Path) -> Result<Option<Holder>, Error> {
    let path = file.with_file_name(LOCK);
    let mut lock = match File::open(&path) {
        Ok(lock) => lock,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(&path, error)),
    };
    match FileExt::try_lock_shared(&lock) {
        // Released when `lock` is closed.
        Ok(()) => Ok(None),
        Err(TryLockError::WouldBlock) => Ok(Some(match Note::read(&mut lock) {
            Ok(note) => Holder::Told(note.pid),
            Err(_) => Holder::Unreadable,
        })),
        Err(TryLockError::Error(error)) => Err(failed(&path, error)),
    }
}

/// The content of a lock, one line each: the process that holds it, and the port that its engine listens on,
/// or that the last one did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Note {
    pub(crate) pid: Option<u32>,
    pub(crate) port: Option<u16>,
}

impl Note {
    pub(crate) fn read(file: &mut File) -> io::Result<Self> {
        let mut text = String::new();
        file.rewind()?;
        file.take(64).read_to_string(&mut text)?;
        let mut lines = text.lines();
        Ok(Self {
            pid: lines.next().and_then(|line| line.parse().ok()),
            port: lines.next().and_then(|line| line.parse().ok()),
        })
    }

    pub(crate) fn write(self, mut file: &File) -> io::Result<()> {
        let (pid, port) = (self.pid.unwrap_or_default(), self.port.unwrap_or_default());
        file.set_len(0)?;
        file.rewind()?;
        file.write_all(format!("{pid}\n{port}\n").as_bytes())
    }
}

/// Whether the data directory of `file` is held, by an engine that starts, serves, hands over or ends.
pub fn is_held(file: &Path) -> Result<bool, Error> {
    Ok(holder_of(file)?.is_some())
}

fn failed(path: &Path, source: io::Error) -> Error {
    Error::File {
        path: path.to_owned(),
        source,
    }
}

/// The lock on a data directory: while this value lives, no other engine can take it.
#[derive(Debug)]
#[must_use = "dropping the lock frees the data directory"]
pub struct DataLock {
    pub(crate) file: File,
    pub(crate) path: PathBuf,
    pub(crate) last_port: Option<u16>,
}

impl DataLock {
    /// Takes the data directory and removes the last engine's manifest; `None` if another process holds the
    /// lock. That may be a process that only checks ([`live`]) and holds it for an instant: try again before
    /// giving up.
    pub fn acquire(paths: &Paths) -> Result<Option<Self>, Error> {
        let path = paths.lock();
        let mut options = OpenOptions::new();
        let file = options
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path);
        let mut file = file.map_err(|source| failed(&path, source))?;
        match FileExt::try_lock(&file) {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) => return Err(failed(&path, error)),
        }
        let told = Note::read(&mut file).ok().and_then(|note| note.port);
        let manifest = paths.manifest();
        let last_port = told
            .or_else(|| read(&manifest).map(|last| last.port))
            .filter(|port| *port != 0);
        let lock = Self {
            file,
            path,
            last_port,
        };
        lock.note(last_port)?;
        match std::fs::remove_file(&manifest) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed(&manifest, error)),
            _ => Ok(Some(lock)),
        }
    }

    /// Returns the port that the last engine listened on.
    pub fn last_port(&self) -> Option<u16> {
        self.last_port
    }

    /// Records that this process holds the lock, and its port for the next engine.
    pub fn note(&self, port: Option<u16>) -> Result<(), Error> {
        let pid = Some(std::process::id());
        let note = Note { pid, port };
        note.write(&self.file)
            .map_err(|source| failed(&self.path, source))
    }
}

#[cfg(test)]
mod tests {
    use super::{DataLock, Manifest, TOKEN_BYTES, holder, live, new_token, read};
    use crate::host::paths::Paths;
    use jiff::Timestamp;
    use std::path::Path;
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
    fn a_manifest_counts_while_its_process_holds_the_lock() {
        let folder = tempfile::tempdir().unwrap();
        let paths = paths(folder.path());
        let file = paths.manifest();
        let own = manifest(std::process::id());
        assert!(live(&file).unwrap().is_none());
        let lock = DataLock::acquire(&paths).unwrap().unwrap();
        assert!(DataLock::acquire(&paths).unwrap().is_none());
        assert!(live(&file).unwrap().is_none());
        own.write(&file).unwrap();
        assert_eq!(live(&file).unwrap(), Some(own.clone()));
        assert_eq!(holder(&file), Some(std::process::id()));
        manifest(own.pid + 1).write(&file).unwrap();
        assert_eq!(
            live(&file).unwrap(),
            None,
            "of a process that does not hold the lock"
        );
        own.write(&file).unwrap();
        drop(lock);
        // A program that another test is starting has the lock, too, until it is executed.
        let free = (0..500).any(|_| {
            let is_free = live(&file).unwrap().is_none();
            if !is_free {
                std::thread::sleep(std::time::Duration::from_millis(10));
            }
            is_free
        });
        assert!(free && holder(&file).is_none());
        assert_eq!(read(&file), Some(own));
    }

    #[test]
    fn taking_the_lock_removes_the_manifest_and_keeps_the_port() {
        let folder = tempfile::tempdir().unwrap();
        let paths = paths(folder.path());
        manifest(1).write(&paths.manifest()).unwrap();
        let first = DataLock::acquire(&paths).unwrap().unwrap();
        assert_eq!(first.last_port(), Some(7));
        assert!(!paths.manifest().exists());
        first.note(Some(4242)).unwrap();
        drop(first);
        for _ in 0..2 {
            // A program that another test starts has the file open for a moment.
            let next = std::iter::repeat_with(|| DataLock::acquire(&paths).unwrap());
            let next = next.take(1000).find_map(|found| {
                std::thread::sleep(std::time::Duration::from_millis(5 * u64::from(found.is_none())));
                found
            });
            assert_eq!(
                next.unwrap().last_port(),
                Some(4242),
                "also after one that never listened"
            );
        }
    }

    #[test]
    fn a_token_is_long_and_never_printed() {
        let token = new_token().unwrap();
        assert_eq!(token.len(), TOKEN_BYTES * 2);
        assert_ne!(token, new_token().unwrap());
        assert!(!format!("{:?}", Manifest::new(token.clone(), true)).contains(&token));
    }

    /// Not a test of its own: the process that [`a_killed_engine_frees_the_directory`] kills.
    #[test]
    fn holds_until_killed() {
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
            .args([
                "--exact",
                "host::instance::tests::holds_until_killed",
                "--nocapture",
            ])
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
