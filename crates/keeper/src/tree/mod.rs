//! Ends a whole process tree with TERM, a wait, then KILL, including children that left the terminal's
//! session with `setsid`. What is to be killed is stopped first, so that it starts nothing else meanwhile.
//!
//! On Linux the keeper adopts orphans, so its tree stays connected. Once the keeper is dead, the rest of
//! the tree is found by the session's mark in its environment. Processes that cleared or overwrote their
//! environment are found by the notes of the keeper, taken with each second of output and a second after
//! it. A process without the mark that starts later, in silence, is missed if its keeper is killed; on
//! most machines we could not create a cgroup. On macOS the tree is walked by parent: a process whose
//! parents all died before the first look is missed. On Windows a job holds everything. The steps of a
//! keeper are recorded on disk, so that their trees are found when the keeper is dead.

mod noted;
#[cfg_attr(target_os = "linux", path = "linux.rs")]
#[cfg_attr(target_os = "macos", path = "macos.rs")]
#[cfg_attr(windows, path = "windows.rs")]
mod os;
mod process;
mod usage;

pub use noted::{Unmarked, forget_steps, note_step};
#[cfg(windows)]
pub use os::enter_job;
#[cfg(unix)]
pub use os::{adopt_orphans, name};
pub use process::MARK;
pub use usage::{Marked, Usage, Working, count, marked, usage, working_in};

use downbeat_model::id::SessionId;
use noted::noted_steps;
use process::Known;
#[cfg(unix)]
use process::{KEEPER, is_another};
use std::collections::HashSet;
use std::path::Path;
use std::time::{Duration, Instant};

/// The time between two looks at what is left.
const LOOK: Duration = Duration::from_millis(10);

/// The longest time that killed processes may take to vanish; one stuck in the kernel is given up.
const VANISH: Duration = Duration::from_secs(5);

/// Reports whether a process was started for another keeper than the one in `dir`.
#[cfg(unix)]
fn is_of_another(pid: u32, dir: &Path) -> bool {
    os::variable(pid, KEEPER).is_some_and(|of| is_another(Path::new(&of), dir))
}

/// Returns `false`: a job belongs to one keeper.
#[cfg(windows)]
fn is_of_another(_pid: u32, _dir: &Path) -> bool {
    false
}

/// Ends the tree of the calling keeper; returns when nothing is left of it.
pub fn end_own(session: &SessionId, grace: Duration) {
    end(HashSet::new(), &|known| os::own(session, known), grace);
}

/// Ends what is left of the tree of a dead keeper, whose directory is `dir`. Spares the processes of a keeper
/// of the same session in another existing directory.
pub fn end_left(dir: &Path, session: &SessionId, grace: Duration) {
    let is_ours = |pid: u32| !is_of_another(pid, dir);
    end(
        noted_steps(dir).into_iter().collect(),
        &|known| os::left(session, known, &is_ours),
        grace,
    );
}

/// Returns what is left, given the processes that are known.
type Left<'a> = &'a dyn Fn(&HashSet<Known>) -> Vec<Known>;

/// Ends the processes that `left` returns. A process that was seen once stays known when its parent is gone.
fn end(mut known: HashSet<Known>, left: Left<'_>, grace: Duration) {
    let mut asked = HashSet::new();
    let deadline = Instant::now() + grace;
    loop {
        let now = left(&known);
        if now.is_empty() {
            return;
        }
        known.extend(&now);
        if Instant::now() >= deadline {
            break;
        }
        for process in now {
            if asked.insert(process) {
                os::ask(process.pid);
            }
        }
        std::thread::sleep(LOOK);
    }
    let deadline = Instant::now() + VANISH;
    while Instant::now() < deadline {
        let now = stopped(&mut known, left, deadline);
        if now.is_empty() {
            return;
        }
        for process in now {
            os::kill(process.pid);
        }
        std::thread::sleep(LOOK);
    }
}

/// Stops all that is left, until a look finds nothing new; returns what it found. A process that starts others
/// faster than they are killed one by one would otherwise go on for ever.
fn stopped(known: &mut HashSet<Known>, left: Left<'_>, deadline: Instant) -> Vec<Known> {
    let mut stopped = HashSet::new();
    loop {
        let now = left(known);
        known.extend(&now);
        let mut is_new = false;
        for process in &now {
            if stopped.insert(*process) {
                is_new = true;
                os::stop(process.pid);
            }
        }
        if !is_new || Instant::now() >= deadline {
            return now;
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn a_recorded_process_is_ended_and_a_later_one_with_its_id_is_not() {
        let dir = tempfile::tempdir().unwrap();
        let session = SessionId::random().unwrap();
        let mut child = Command::new("sleep").arg("1000").spawn().unwrap();
        let real = os::known(child.id()).unwrap();
        let other = Known {
            started: real.started - 1,
            ..real
        };
        // Without our mark, only the recorded step shows that the process is ours.
        std::fs::write(dir.path().join(noted::FILE), serde_json::to_vec(&other).unwrap()).unwrap();
        end_left(dir.path(), &session, Duration::ZERO);
        assert!(child.try_wait().unwrap().is_none());
        forget_steps(dir.path());
        note_step(dir.path(), child.id());
        let ended = std::thread::spawn(move || child.wait().unwrap());
        end_left(dir.path(), &session, Duration::ZERO);
        assert!(!ended.join().unwrap().success());
    }

    /// The situation in a copy of a data directory, whose sessions have the same ids.
    #[test]
    fn processes_of_another_keeper_of_the_same_session_are_spared() {
        let root = tempfile::tempdir().unwrap();
        let (first, copy) = (root.path().join("first"), root.path().join("copy"));
        std::fs::create_dir(&first).unwrap();
        let session = SessionId::random().unwrap();
        let mut marked = Command::new("sleep")
            .arg("1000")
            .env(MARK, session.as_str())
            .env(KEEPER, &first)
            .spawn()
            .unwrap();
        let mut written_down = Command::new("sleep").arg("1000").spawn().unwrap();
        note_step(&first, written_down.id());
        std::fs::create_dir(&copy).unwrap();
        std::fs::copy(first.join(noted::FILE), copy.join(noted::FILE)).unwrap();
        end_left(&copy, &session, Duration::ZERO);
        assert!(marked.try_wait().unwrap().is_none());
        assert!(written_down.try_wait().unwrap().is_none());

        std::fs::remove_dir_all(&copy).unwrap();
        std::fs::rename(&first, &copy).unwrap();
        let ended = std::thread::spawn(move || [marked.wait().unwrap(), written_down.wait().unwrap()]);
        end_left(&copy, &session, Duration::ZERO);
        assert!(
            ended.join().unwrap().iter().all(|status| !status.success()),
            "moved"
        );
    }
}
