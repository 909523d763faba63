//! The known facts about installed agents: their versions, and the hooks that were vouched for.

use downbeat_wire::agent::Agent;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};
use tokio::sync::Mutex;

/// The time that versions are valid before they are queried again in the background: a wrapper may stand for
/// another version without being another file.
pub(crate) const FRESH: Duration = Duration::from_secs(20);

/// The result of [`downbeat_agents::trust_hooks`].
pub type HookTrust = BTreeMap<String, String>;

/// A program as a file: another version is another file.
pub(crate) type File = (PathBuf, u64, Option<SystemTime>);

/// The known versions, and the state of the query for them.
#[derive(Default)]
pub(crate) struct Versions {
    /// The version that each file reported; `None` if it did not answer.
    pub(crate) of: BTreeMap<File, Option<String>>,
    /// The number of changes: answers that came, and folders that the login shell added.
    pub(crate) answers: u64,
    /// The time at which all programs were queried last.
    pub(crate) asked: Option<Instant>,
    pub(crate) under_way: bool,
    /// The last list of agents, which may be out of date.
    pub(crate) listed: Option<Vec<Agent>>,
}

impl Versions {
    pub(crate) fn take(&mut self, file: File, version: Option<String>) {
        self.of.retain(|(path, ..), _| *path != file.0);
        self.of.insert(file, version);
        self.answers += 1;
    }
}

/// The last known answers.
#[derive(Default)]
pub struct Known {
    pub(crate) versions: std::sync::Mutex<Versions>,
    pub(crate) hook_trust: Mutex<BTreeMap<String, (File, HookTrust)>>,
}

impl Known {
    pub(crate) fn versions(&self) -> MutexGuard<'_, Versions> {
        self.versions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns a program as it is now.
pub(crate) fn file(path: &Path) -> File {
    let about = std::fs::metadata(path).ok();
    (
        path.to_owned(),
        about.as_ref().map_or(0, std::fs::Metadata::len),
        about.and_then(|about| about.modified().ok()),
    )
}
