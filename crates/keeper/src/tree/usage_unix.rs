//! The usage and the sessions of processes, on systems that let us look at each process.

use super::super::noted::noted_steps;
use super::super::os;
use super::super::process::{Known, Process, below};
use super::{Marked, Usage, Working};
use downbeat_model::id::SessionId;
use std::path::Path;

/// Returns the processes below the keeper `pid`; `None` if the keeper is gone.
fn tree(pid: u32) -> Option<Vec<Known>> {
    let all: Vec<Process> = os::processes();
    let keeper = all
        .iter()
        .map(|process| process.this)
        .find(|one| one.pid == pid)?;
    let mut tree = below(&all, std::iter::once(keeper));
    tree.retain(|one| one.pid != pid);
    Some(tree)
}

/// Returns the number of processes below the keeper `pid`; `None` if the keeper is gone.
#[must_use]
pub fn count(pid: u32) -> Option<usize> {
    tree(pid).map(|tree| tree.len())
}

/// Returns the usage of the processes below the keeper `pid`; `None` if the keeper is gone.
#[must_use]
pub fn usage(pid: u32) -> Option<Usage> {
    let own = tree(pid)?;
    let sizes: Vec<u64> = own.iter().filter_map(|one| os::memory(one.pid)).collect();
    Some(Usage {
        processes: u32::try_from(sizes.len()).unwrap_or(u32::MAX),
        bytes: sizes.iter().sum(),
    })
}

/// Returns the processes that have `folder`, or a folder in it, as their working directory, without the calling process, its children
/// and those below the keeper `keeper`. Those of other users are found only as far as the system shows them.
#[must_use]
pub fn working_in(folder: &Path, keeper: Option<u32>) -> Vec<Working> {
    let Ok(folder) = folder.canonicalize() else {
        return Vec::new();
    };
    let (own, spared) = (std::process::id(), keeper.and_then(tree).unwrap_or_default());
    let is_spared = |process: &Process| {
        let is_own = process.this.pid == own || process.parent == own;
        is_own || spared.contains(&process.this)
    };
    let all = os::processes().into_iter();
    let others = all.filter(|process| !is_spared(process));
    let pids = others.map(|process| process.this.pid);
    pids.filter(|pid| os::folder(*pid).is_some_and(|at| at.starts_with(&folder)))
        .map(|pid| Working {
            pid,
            name: os::name(pid).unwrap_or_default(),
        })
        .collect()
}

/// Returns the processes of sessions whose keepers have their folders in `keepers`: those with the mark, and
/// those that a keeper recorded because they do not have it.
#[must_use]
pub fn marked(keepers: &Path) -> Vec<Marked> {
    let all = os::processes();
    let found = all.iter().filter_map(|process| {
        let pid = process.this.pid;
        let dir = os::variable(pid, super::super::process::KEEPER)?;
        let inside = Path::new(&dir).strip_prefix(keepers).ok()?;
        Some(Marked {
            pid,
            name: os::name(pid).unwrap_or_default(),
            session: SessionId::parse(inside.to_str()?)?,
        })
    });
    let mut found: Vec<Marked> = found.collect();
    for dir in std::fs::read_dir(keepers).into_iter().flatten().flatten() {
        let name = dir.file_name();
        let Some(session) = name.to_str().and_then(SessionId::parse) else {
            continue;
        };
        for noted in noted_steps(&dir.path()) {
            let lives = all.iter().any(|process| process.this == noted);
            if lives && found.iter().all(|known| known.pid != noted.pid) {
                found.push(Marked {
                    pid: noted.pid,
                    name: os::name(noted.pid).unwrap_or_default(),
                    session: session.clone(),
                });
            }
        }
    }
    found
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn a_tree_is_measured_and_a_mark_is_found() {
        let keepers = tempfile::tempdir().unwrap();
        let session = SessionId::random().unwrap();
        let mut child = Command::new("sleep")
            .arg("1000")
            .env(
                super::super::super::process::KEEPER,
                keepers.path().join(session.as_str()),
            )
            .spawn()
            .unwrap();
        let own = usage(std::process::id()).unwrap();
        assert!(own.processes >= 1 && own.bytes > 0, "{own:?}");
        assert!(count(std::process::id()).is_some_and(|count| count >= 1));
        let found = marked(keepers.path());
        assert_eq!(
            found,
            [Marked {
                pid: child.id(),
                name: "sleep".into(),
                session
            }]
        );
        assert_eq!(marked(&keepers.path().join("other")), []);
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(usage(u32::MAX), None);
    }

    #[test]
    fn what_works_in_a_folder_is_found_apart_from_what_a_keeper_runs() {
        let folder = tempfile::tempdir().unwrap();
        let below = folder.path().join("src");
        std::fs::create_dir(&below).unwrap();
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(&below, &link).unwrap();
        assert_eq!(working_in(folder.path(), None), []);
        // A child, as git is of the engine, and one of it, as an agent is of a keeper.
        let mut child = Command::new("timeout")
            .args(["1000", "sleep", "1000"])
            .current_dir(&below)
            .spawn()
            .unwrap();
        let deadline = std::time::Instant::now() + std::time::Duration::from_secs(20);
        let found = loop {
            let found = working_in(folder.path(), None);
            if found.iter().any(|one| one.name == "sleep") || std::time::Instant::now() > deadline {
                break found;
            }
            std::thread::yield_now();
        };
        let [sleeps] = found.as_slice() else {
            panic!("the child is spared, and nothing else: {found:?}")
        };
        assert!(sleeps.name == "sleep" && sleeps.pid != child.id(), "{found:?}");
        for at in [&below, &link] {
            assert_eq!(working_in(at, None), found, "{}", at.display());
        }
        assert_eq!(working_in(folder.path(), Some(child.id())), []);
        std::fs::create_dir(folder.path().join("sr")).unwrap();
        assert_eq!(working_in(&folder.path().join("sr"), None), []);
        let pid = rustix::process::Pid::from_raw(i32::try_from(sleeps.pid).unwrap()).unwrap();
        rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
        child.wait().unwrap();
        assert_eq!(working_in(folder.path(), None), []);
    }
}
