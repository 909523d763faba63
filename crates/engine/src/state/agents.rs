//! What is known of the installed agents: versions, and which hooks were vouched for.

use downbeat_wire::agent::Agent;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};
use tokio::sync::Mutex;

/// How long versions hold before they are asked for again behind the list: a wrapper may stand for
/// another version without being another file.
pub(crate) const FRESH: Duration = Duration::from_secs(20);

/// What [`downbeat_agents::vouch_for_hooks`] gave.
pub type Vouched = BTreeMap<String, String>;

/// A program as a file: another version is another file.
pub(crate) type File = (PathBuf, u64, Option<SystemTime>);

/// Versions that are known, and the question under way.
#[derive(Default)]
pub(crate) struct Versions {
    /// What each file said; `None` where it did not answer.
    pub(crate) of: BTreeMap<File, Option<String>>,
    /// Counts what changed: answers that came, and folders that the login shell added.
    pub(crate) answers: u64,
    /// When all were asked last.
    pub(crate) asked: Option<Instant>,
    pub(crate) under_way: bool,
    /// What was listed last, and may be out of date.
    pub(crate) listed: Option<Vec<Agent>>,
}

impl Versions {
    pub(crate) fn take(&mut self, file: File, version: Option<String>) {
        self.of.retain(|(path, ..), _| *path != file.0);
        self.of.insert(file, version);
        self.answers += 1;
    }
}

/// The last answers.
#[derive(Default)]
pub struct Known {
    pub(crate) versions: std::sync::Mutex<Versions>,
    pub(crate) vouched: Mutex<BTreeMap<String, (File, Vouched)>>,
}

impl Known {
    pub(crate) fn versions(&self) -> MutexGuard<'_, Versions> {
        self.versions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A program as it is now.
pub(crate) fn file(path: &Path) -> File {
    let about = std::fs::metadata(path).ok();
    (
        path.to_owned(),
        about.as_ref().map_or(0, std::fs::Metadata::len),
        about.and_then(|about| about.modified().ok()),
    )
}
