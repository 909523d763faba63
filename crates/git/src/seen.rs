//! The state of a worktree before it was saved: paths, sizes and times, so that a removal detects later
//! writes. Reads no file content. Files that a tool regenerates are left out.

use crate::inside::MadeIn;
use crate::inspect::clean;
use crate::path::{self, aside, exists};
use crate::record::{Record, Stage, lock_worktree};
use crate::{Error, Repository, admin, ordinary, tree};
use std::collections::{HashMap, HashSet};
use std::fs::Metadata;
use std::path::{Path, PathBuf};

/// The state of a worktree at one moment. It is taken before [`crate::save()`] and compared by
/// [`crate::remove_unchanged()`].
#[derive(Debug, Clone, Default)]
pub struct Seen {
    /// Files, links and folders of the worktree, relative to it.
    files: HashMap<PathBuf, Stamp>,
    /// Files in git's directory for the worktree, relative to that directory.
    notes: HashMap<PathBuf, Stamp>,
    /// Folders that were not searched, because a tool regenerates them.
    made: HashSet<PathBuf>,
}

/// The metadata that changes whenever a file is written. For a folder only its existence counts: its times
/// change when something in it is deleted, or when it is moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    is_folder: bool,
    size: u64,
    written: i64,
    changed: i64,
}

impl Seen {
    /// Records the state of a worktree that is to be saved and removed. If an earlier removal was killed
    /// after it moved the worktree aside but before it compared the states, the worktree is moved back first,
    /// to be saved again.
    ///
    /// # Errors
    /// Fails if the repository cannot be opened, or if the worktree cannot be moved back.
    pub fn of(repo: &Path, worktree: &Path) -> Result<Self, Error> {
        let common = Repository::open(repo)?.common();
        let place = path::place(worktree)?;
        if admin::find(&common, &place).is_some() {
            let _mine = lock_worktree(&common, &place)?;
            take_back(&common, &place)?;
        }
        let inner = ordinary::open(&place);
        Ok(inner.map_or_else(
            |_| Self::default(),
            |inner| Self::at(&place, &clean(inner.path())),
        ))
    }

    /// Records the state of a worktree, which may have been moved aside, and of git's directory for it.
    pub(crate) fn at(place: &Path, notes: &Path) -> Self {
        let tool = MadeIn::of(place);
        let mut made = HashSet::new();
        let files = stamps(place, &mut |folder| {
            let is_made = tool.has(folder);
            if is_made {
                made.insert(folder.to_owned());
            }
            is_made
        });
        Self {
            files,
            notes: stamps(notes, &mut |_| false),
            made,
        }
    }

    /// Returns the first path that is new or was written since `before`, relative to the worktree or to git's
    /// directory for it. Missing files are ignored: they were saved.
    pub(crate) fn newer_than(&self, before: &Self) -> Option<PathBuf> {
        first(&self.files, &before.files).or_else(|| first(&self.notes, &before.notes))
    }

    /// Returns the first path in the tree at `place` that was written since this state was taken. Git's
    /// directory for the worktree is gone by then.
    pub(crate) fn written(&self, place: &Path) -> Option<PathBuf> {
        let now = stamps(place, &mut |folder| self.made.contains(folder));
        first(&now, &self.files)
    }
}

fn first(now: &HashMap<PathBuf, Stamp>, before: &HashMap<PathBuf, Stamp>) -> Option<PathBuf> {
    let newer = now
        .iter()
        .filter(|(path, stamp)| before.get(*path) != Some(stamp));
    newer.map(|(path, _)| path).min().cloned()
}

/// Returns everything below `root`, without the content of folders that `pass` selects. Unreadable folders
/// are ignored here, because saving them fails.
fn stamps(root: &Path, pass: &mut dyn FnMut(&Path) -> bool) -> HashMap<PathBuf, Stamp> {
    let mut found = HashMap::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        for entry in root.join(&folder).read_dir().into_iter().flatten().flatten() {
            let Ok(meta) = entry.metadata() else { continue };
            let below = folder.join(entry.file_name());
            found.insert(below.clone(), Stamp::of(&meta));
            if meta.is_dir() && !pass(&below) {
                folders.push(below);
            }
        }
    }
    found
}

impl Stamp {
    fn of(meta: &Metadata) -> Self {
        match meta.is_dir() {
            true => Self {
                is_folder: true,
                size: 0,
                written: 0,
                changed: 0,
            },
            false => Self {
                is_folder: false,
                size: meta.len(),
                written: tree::mtime(meta),
                changed: changed(meta),
            },
        }
    }
}

/// Returns the time of the last change of a file's content or metadata, in nanoseconds since 1970.
#[cfg(unix)]
fn changed(meta: &Metadata) -> i64 {
    use std::os::unix::fs::MetadataExt;
    meta.ctime()
        .saturating_mul(1_000_000_000)
        .saturating_add(meta.ctime_nsec())
}

/// Returns the creation time, because these systems have no such time.
#[cfg(not(unix))]
fn changed(meta: &Metadata) -> i64 {
    let since = meta
        .created()
        .ok()
        .and_then(|at| at.duration_since(std::time::UNIX_EPOCH).ok());
    since
        .and_then(|since| i64::try_from(since.as_nanos()).ok())
        .unwrap_or(0)
}

/// Moves a worktree back that was moved aside but is still registered.
fn take_back(common: &Path, place: &Path) -> Result<(), Error> {
    let aside = aside(place);
    let record = Record::load(common, place).filter(|record| record.stage == Stage::Removing);
    let Some(record) = record.filter(|_| !exists(place) && exists(&aside)) else {
        return Ok(());
    };
    std::fs::rename(&aside, place).map_err(Error::io("move back", &aside))?;
    record.standing().store(common)
}
