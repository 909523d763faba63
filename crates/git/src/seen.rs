//! What lay in a worktree before it was saved: paths, sizes and times, so that a removal notices what a
//! process wrote there afterwards. Reads no file; what a tool makes again is left out.

use crate::inside::MadeIn;
use crate::inspect::clean;
use crate::path::{self, aside, exists};
use crate::record::{Record, Stage, lock_worktree};
use crate::{Error, Repository, admin, ordinary, tree};
use std::collections::{HashMap, HashSet};
use std::fs::Metadata;
use std::path::{Path, PathBuf};

/// A worktree as it lay at one moment. Taken before [`crate::save()`], for
/// [`crate::remove_unchanged()`] to compare with.
#[derive(Debug, Clone, Default)]
pub struct Seen {
    /// Files, links and folders of the worktree, relative to it.
    files: HashMap<PathBuf, Stamp>,
    /// Those of git's directory for it, relative to that.
    notes: HashMap<PathBuf, Stamp>,
    /// Folders that were not looked into, since a tool makes them again.
    made: HashSet<PathBuf>,
}

/// What changes whenever a file is written. Of folders only that they are there: their times change when
/// something in them is deleted, or when they are moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    is_folder: bool,
    size: u64,
    written: i64,
    changed: i64,
}

impl Seen {
    /// Looks at a worktree that is to be saved and removed. One that a removal moved aside, and had not
    /// compared yet when it was killed, is moved back first: it is to be saved again.
    ///
    /// # Errors
    /// Where the repository cannot be opened, or the worktree not be moved back.
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

    /// Looks at a worktree that may have been moved aside, and at git's directory for it.
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

    /// The first path that is new or was written since `before`, relative to the worktree or to git's
    /// directory for it. What is gone is no loss: it was saved.
    pub(crate) fn newer_than(&self, before: &Self) -> Option<PathBuf> {
        first(&self.files, &before.files).or_else(|| first(&self.notes, &before.notes))
    }

    /// The first path that was written into the tree at `place` since this was taken. Git's directory for it
    /// is gone by then.
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

/// Everything below `root` but what is in folders that are passed over. What cannot be read is left to
/// whoever saves it, who refuses it.
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

/// When anything about a file was changed, in nanoseconds since 1970.
#[cfg(unix)]
fn changed(meta: &Metadata) -> i64 {
    use std::os::unix::fs::MetadataExt;
    meta.ctime()
        .saturating_mul(1_000_000_000)
        .saturating_add(meta.ctime_nsec())
}

/// Here only when it was made is to be had.
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

/// Moves a worktree back that was moved aside while git still knows it.
fn take_back(common: &Path, place: &Path) -> Result<(), Error> {
    let aside = aside(place);
    let record = Record::load(common, place).filter(|record| record.stage == Stage::Removing);
    let Some(record) = record.filter(|_| !exists(place) && exists(&aside)) else {
        return Ok(());
    };
    std::fs::rename(&aside, place).map_err(Error::io("move back", &aside))?;
    record.standing().store(common)
}
