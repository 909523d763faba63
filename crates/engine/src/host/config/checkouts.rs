//! Holds the configurations of projects, each from its primary checkout, reloaded when one of its files changed,
//! which is noticed on access only. A disk that does not respond blocks one thread: further requests for that
//! project fail with that reason, and other projects are read as usual.

use crate::host::config::{FILE, ProjectConfig, load_project, orchestrator};
use std::collections::BTreeMap;
use std::fs::Metadata;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

/// The time limit for reading a project's file.
const PATIENCE: Duration = Duration::from_secs(2);

/// The state by which a change of a file is noticed.
#[derive(Debug, Clone, PartialEq)]
enum Stamp {
    /// There is no file.
    Missing,
    /// The modification time, the size, and the identity if the system reports one.
    There(SystemTime, u64, Which),
}

/// Device, inode number, and the time of the last change of any kind, which no program can set back.
type Which = Option<(u64, u64, i64, i64)>;

/// The content of a file, or the reason that it is not in effect.
pub(crate) type Said = Result<ProjectConfig, String>;

/// The function that reads a file.
type Read = fn(&Path) -> Said;

/// The configuration of one checkout, as it was read.
#[derive(Debug, Default)]
pub(crate) struct Checkout {
    /// Held while the file is read.
    turn: Arc<tokio::sync::Mutex<()>>,
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
pub(crate) struct Known {
    said: Option<(Option<Vec<Stamp>>, Said)>,
    /// The time since which the file is being read.
    since: Option<Instant>,
}

/// The configurations that were read, by checkout.
#[derive(Debug)]
pub(crate) struct Checkouts {
    all: Mutex<BTreeMap<PathBuf, Arc<Checkout>>>,
    read: Read,
    patience: Duration,
}

impl Default for Checkouts {
    fn default() -> Self {
        let read: Read = |root| load_project(root).map_err(|error| error.to_string());
        Self::new(read, PATIENCE)
    }
}

impl Checkouts {
    pub(crate) fn new(read: Read, patience: Duration) -> Self {
        Self {
            all: Mutex::default(),
            read,
            patience,
        }
    }

    pub(crate) fn of(&self, root: &Path) -> Arc<Checkout> {
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(all.entry(root.to_owned()).or_default())
    }

    /// Returns the configuration as of the last read, and starts a new read in the background.
    pub(crate) fn known(self: &Arc<Self>, root: &Path) -> Option<ProjectConfig> {
        let said = self.of(root).known().said.clone();
        let (all, root) = (Arc::clone(self), root.to_owned());
        tokio::spawn(async move { all.get(&root).await });
        said.and_then(|(_, said)| said.ok())
    }

    /// Returns the present configuration of the checkout `root`.
    pub(crate) async fn get(&self, root: &Path) -> Said {
        let late = || {
            Err(format!(
                "{} does not answer; check that its disk is connected",
                root.join(FILE).display()
            ))
        };
        let checkout = self.of(root);
        if checkout
            .known()
            .since
            .is_some_and(|since| since.elapsed() > self.patience)
        {
            return late();
        }
        let turn = Arc::clone(&checkout.turn).lock_owned();
        let Ok(turn) = tokio::time::timeout(self.patience, turn).await else {
            return late();
        };
        checkout.known().since = Some(Instant::now());
        let (root, read) = (root.to_owned(), self.read);
        let look = tokio::task::spawn_blocking(move || {
            let said = checkout.look(&root, read);
            checkout.known().since = None;
            drop(turn);
            said
        });
        match tokio::time::timeout(self.patience, look).await {
            Ok(said) => said.unwrap_or_else(|error| Err(error.to_string())),
            Err(_) => late(),
        }
    }
}

impl Checkout {
    pub(crate) fn known(&self) -> std::sync::MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn look(&self, root: &Path, read: Read) -> Said {
        let files = std::iter::once(FILE).chain(orchestrator::places::FILES);
        let stamp: Option<Vec<Stamp>> = files.map(|file| stamp(&root.join(file))).collect();
        if let Some((known, said)) = &self.known().said
            && known.is_some()
            && *known == stamp
        {
            return said.clone();
        }
        let said = read(root);
        self.known().said = Some((stamp, said.clone()));
        said
    }
}

/// Returns the state of a file; `None` if the system does not report it.
fn stamp(file: &Path) -> Option<Stamp> {
    match file.metadata() {
        Ok(about) => Some(Stamp::There(about.modified().ok()?, about.len(), which(&about))),
        Err(error) if error.kind() == ErrorKind::NotFound => Some(Stamp::Missing),
        Err(_) => None,
    }
}

#[cfg(unix)]
fn which(about: &Metadata) -> Which {
    use std::os::unix::fs::MetadataExt;
    Some((about.dev(), about.ino(), about.ctime(), about.ctime_nsec()))
}

#[cfg(not(unix))]
fn which(_: &Metadata) -> Which {
    None
}

#[cfg(test)]
mod tests {
    use super::{Checkouts, PATIENCE, Read};
    use crate::host::config::{FILE, ProjectConfig};
    use std::path::Path;
    use std::sync::{Arc, Mutex};
    use std::time::{Duration, Instant, SystemTime};

    #[tokio::test]
    async fn a_changed_file_takes_effect() {
        let dir = tempfile::tempdir().unwrap();
        let (root, file) = (dir.path(), dir.path().join(FILE));
        let all = Checkouts::default();
        assert_eq!(all.get(root).await.unwrap().agent, None);
        std::fs::write(&file, "agent: codex\n").unwrap();
        assert_eq!(all.get(root).await.unwrap().agent.as_deref(), Some("codex"));
        std::fs::write(&file, "agent: opencode\n").unwrap();
        assert_eq!(all.get(root).await.unwrap().agent.as_deref(), Some("opencode"));
        std::fs::write(&file, "agnet: codex\n").unwrap();
        assert!(all.get(root).await.is_err());
        std::fs::remove_file(&file).unwrap();
        assert_eq!(all.get(root).await.unwrap().agent, None);
    }

    #[tokio::test]
    #[cfg(unix)]
    async fn a_file_moved_into_place_with_its_old_time_takes_effect_and_an_unreadable_one_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        let (root, file) = (dir.path(), dir.path().join(FILE));
        let all = Checkouts::default();
        let put = |agent: &str| {
            let other = root.join("other");
            std::fs::write(&other, format!("agent: {agent}\n")).unwrap();
            let then = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000);
            let open = std::fs::File::options().write(true).open(&other).unwrap();
            open.set_modified(then).unwrap();
            std::fs::rename(&other, &file).unwrap();
        };
        put("codex");
        assert_eq!(all.get(root).await.unwrap().agent.as_deref(), Some("codex"));
        put("other");
        assert_eq!(all.get(root).await.unwrap().agent.as_deref(), Some("other"));
        std::fs::remove_file(&file).unwrap();
        assert_eq!(all.get(root).await.unwrap().agent, None);
        std::os::unix::fs::symlink(FILE, &file).unwrap();
        assert!(all.get(root).await.is_err(), "it leads to itself");
    }

    #[tokio::test(flavor = "multi_thread")]
    #[allow(clippy::await_holding_lock, reason = "what hangs waits for it")]
    async fn a_disk_that_does_not_respond_blocks_no_other_project() {
        static HANGS: Mutex<()> = Mutex::new(());
        let hung = HANGS.lock().unwrap();
        let read: Read = |root| {
            if root.ends_with("hung") {
                drop(HANGS.lock());
            }
            Ok(ProjectConfig::default())
        };
        let all = Arc::new(Checkouts::new(read, Duration::from_millis(50)));
        let (slow, good) = (Path::new("/nowhere/hung"), Path::new("/nowhere/good"));
        let asked = Instant::now();
        let (first, second, other) = tokio::join!(all.get(slow), all.get(slow), all.get(good));
        assert!(first.unwrap_err().contains("does not answer") && second.is_err() && other.is_ok());
        // From now on the disk is known to hang, and nobody waits.
        for _ in 0..1000 {
            assert!(all.get(slow).await.is_err());
        }
        assert!(all.known(slow).is_none() && asked.elapsed() < Duration::from_secs(20));
        drop(hung);
        let deadline = Instant::now() + Duration::from_secs(20);
        while all.get(slow).await.is_err() {
            assert!(Instant::now() < deadline, "it answers again");
            tokio::task::yield_now().await;
        }
    }

    #[tokio::test]
    async fn an_invalid_file_is_read_once_until_it_changes() {
        static TIMES: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
        let read: Read = |_| {
            TIMES.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            Err("wrong".into())
        };
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join(FILE), "agnet: x\n").unwrap();
        let all = Checkouts::new(read, PATIENCE);
        for _ in 0..5 {
            assert_eq!(all.get(dir.path()).await, Err("wrong".into()));
        }
        assert_eq!(TIMES.load(std::sync::atomic::Ordering::Relaxed), 1);
    }
}
