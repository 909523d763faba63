//! Ending a whole process tree: TERM, wait, KILL; also children that left the terminal's session
//! with `setsid`. On Linux the keeper adopts orphans, so its tree stays connected. Once the keeper is
//! dead, what is left is found by the session's mark in its environment, and what cleared or overwrote
//! its environment by what the keeper wrote down of it, with each second of output and a second behind it.
//! A process without the mark that starts later, in silence, is missed when its keeper is killed; no
//! cgroup would be ours to make on most machines. On macOS the tree is walked by
//! parent: a process whose parents all died before the first look is missed. On Windows a job
//! holds everything. The steps of a keeper are written down, so that their trees are found when
//! the keeper is dead.

#[cfg_attr(target_os = "linux", path = "linux.rs")]
#[cfg_attr(target_os = "macos", path = "macos.rs")]
#[cfg_attr(windows, path = "windows.rs")]
mod os;
mod usage;

#[cfg(windows)]
pub use os::enter_job;
#[cfg(unix)]
pub use os::{adopt_orphans, name};
pub use usage::{Marked, Usage, marked, usage};

use downbeat_model::id::SessionId;
use serde::{Deserialize, Serialize};
use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

/// The environment variable that marks every process of a session.
pub const MARK: &str = "DOWNBEAT_SESSION";

/// The environment variable that names the keeper's folder.
#[cfg(unix)]
const KEEPER: &str = "DOWNBEAT_KEEPER";

/// Time between two looks at what is left.
const LOOK: Duration = Duration::from_millis(10);

/// How long killed processes may take to vanish; one stuck in the kernel is given up.
const VANISH: Duration = Duration::from_secs(5);

/// A process: its id, and when it started in the system's own count, so that one that got the
/// same id later is not taken for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Known {
    pid: u32,
    started: u64,
}

/// The file in a keeper's directory that names the processes of its steps.
const FILE: &str = "steps";

/// Forgets the steps of an earlier keeper in `dir`.
pub fn forget_steps(dir: &Path) {
    let _ = std::fs::remove_file(dir.join(FILE));
}

/// Writes down that this keeper started a step, for whoever finds the keeper dead.
pub fn note_step(dir: &Path, pid: u32) {
    let note = || -> std::io::Result<()> {
        let Some(known) = os::known(pid) else {
            return Ok(());
        };
        let mut options = std::fs::OpenOptions::new();
        options.create(true).append(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut line = serde_json::to_vec(&known)?;
        line.push(b'\n');
        options.open(dir.join(FILE))?.write_all(&line)
    };
    // A full disk must not keep a session from running.
    if let Err(error) = note() {
        tracing::debug!("a step could not be written down: {error}");
    }
}

/// Processes without the mark that are written down for one keeper; a session has a handful.
const UNMARKED: usize = 256;

/// What a keeper wrote down of the processes below it that no mark leads to.
#[derive(Debug, Default)]
pub struct Unmarked(Vec<Known>);

impl Unmarked {
    /// Looks for new ones.
    pub fn look(&mut self, dir: &Path, session: &SessionId) {
        for known in os::unmarked(session) {
            if self.0.len() < UNMARKED && !self.0.contains(&known) {
                self.0.push(known);
                note_step(dir, known.pid);
            }
        }
    }
}

fn noted_steps(dir: &Path) -> Vec<Known> {
    let text = std::fs::read_to_string(dir.join(FILE)).unwrap_or_default();
    text.lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect()
}

/// Ends the tree of the calling keeper; returns when nothing is left of it.
pub fn end_own(session: &SessionId, grace: Duration) {
    end(Vec::new(), &|known| os::own(session, known), grace);
}

/// Ends what is left of the tree of a dead keeper, whose directory is `dir`.
pub fn end_left(dir: &Path, session: &SessionId, grace: Duration) {
    end(noted_steps(dir), &|known| os::left(session, known), grace);
}

/// What is below a process that was seen once stays known when that process is gone.
fn end(mut known: Vec<Known>, left: &dyn Fn(&[Known]) -> Vec<Known>, grace: Duration) {
    let mut asked = Vec::new();
    let deadline = Instant::now() + grace;
    loop {
        let now = left(&known);
        if now.is_empty() {
            return;
        }
        remember(&mut known, &now);
        if Instant::now() >= deadline {
            break;
        }
        for process in now {
            if !asked.contains(&process) {
                os::ask(process.pid);
                asked.push(process);
            }
        }
        std::thread::sleep(LOOK);
    }
    let deadline = Instant::now() + VANISH;
    while Instant::now() < deadline {
        let now = left(&known);
        if now.is_empty() {
            return;
        }
        remember(&mut known, &now);
        for process in now {
            os::kill(process.pid);
        }
        std::thread::sleep(LOOK);
    }
}

fn remember(known: &mut Vec<Known>, now: &[Known]) {
    let new: Vec<Known> = now.iter().filter(|one| !known.contains(one)).copied().collect();
    known.extend(new);
}

/// A process and its parent.
#[cfg(unix)]
struct Process {
    this: Known,
    parent: u32,
}

/// Of `all`, those of `roots` that still are who they were, and everything below them; never the
/// calling process.
#[cfg(unix)]
fn below(all: &[Process], roots: impl Iterator<Item = Known>) -> Vec<Known> {
    let mut chosen: Vec<Known> = roots.filter(|root| all.iter().any(|p| p.this == *root)).collect();
    let mut i = 0;
    while i < chosen.len() {
        let children = all.iter().filter(|p| p.parent == chosen[i].pid).map(|p| p.this);
        let new: Vec<Known> = children.filter(|one| !chosen.contains(one)).collect();
        chosen.extend(new);
        i += 1;
    }
    chosen.retain(|one| one.pid != std::process::id());
    chosen
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn a_recorded_process_is_ended_and_one_that_got_its_id_later_is_not() {
        let dir = tempfile::tempdir().unwrap();
        let session = SessionId::random().unwrap();
        let mut child = Command::new("sleep").arg("1000").spawn().unwrap();
        let real = os::known(child.id()).unwrap();
        let other = Known {
            started: real.started - 1,
            ..real
        };
        // Without our mark, only what was written down tells that it is ours.
        std::fs::write(dir.path().join(FILE), serde_json::to_vec(&other).unwrap()).unwrap();
        end_left(dir.path(), &session, Duration::ZERO);
        assert!(child.try_wait().unwrap().is_none());
        forget_steps(dir.path());
        note_step(dir.path(), child.id());
        let ended = std::thread::spawn(move || child.wait().unwrap());
        end_left(dir.path(), &session, Duration::ZERO);
        assert!(!ended.join().unwrap().success());
    }
}
