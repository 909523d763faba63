//! Processes: their identity, their parents, and the variables that mark those of a session.

use serde::{Deserialize, Serialize};
#[cfg(unix)]
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// The environment variable that marks every process of a session.
pub const MARK: &str = "DOWNBEAT_SESSION";

/// The environment variable that names the keeper's folder. In a copy of a data directory, sessions have the
/// ids of those whose processes run for the original.
#[cfg(unix)]
pub(super) const KEEPER: &str = "DOWNBEAT_KEEPER";

/// The identity of a process: its id, and its start time in the system's own count, so that a later process
/// with the same id is not mistaken for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Known {
    pub(super) pid: u32,
    pub(super) started: u64,
}

/// Reports whether `of` is the folder of another keeper than the one in `dir`, which is so if both exist as
/// different folders. If `of` is gone, it was moved to `dir`.
pub(super) fn is_another(of: &Path, dir: &Path) -> bool {
    let real = |path: &Path| std::fs::canonicalize(path).ok();
    of != dir && real(of).is_some_and(|of| Some(of) != real(dir))
}

/// A process and its parent.
#[cfg(unix)]
pub(super) struct Process {
    pub(super) this: Known,
    pub(super) parent: u32,
}

/// Returns the processes of `all` that are in `roots` or below them, without the calling process. A root
/// whose id now belongs to another process is left out.
#[cfg(unix)]
pub(super) fn below(all: &[Process], roots: impl Iterator<Item = Known>) -> Vec<Known> {
    let live: HashSet<Known> = all.iter().map(|process| process.this).collect();
    let mut children: HashMap<u32, Vec<Known>> = HashMap::new();
    for process in all {
        children.entry(process.parent).or_default().push(process.this);
    }
    let mut found = HashSet::new();
    let mut chosen: Vec<Known> = roots
        .filter(|root| live.contains(root) && found.insert(*root))
        .collect();
    let mut i = 0;
    while i < chosen.len() {
        let below = children.get(&chosen[i].pid).into_iter().flatten();
        chosen.extend(below.filter(|one| found.insert(**one)));
        i += 1;
    }
    chosen.retain(|one| one.pid != std::process::id());
    chosen
}
