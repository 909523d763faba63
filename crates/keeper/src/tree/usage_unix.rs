//! The usage and the sessions of processes, on systems that let us look at each process.

use super::super::noted::noted_steps;
use super::super::os;
use super::super::process::{Known, Process, below};
use super::{Marked, Usage};
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
}
