//! Commits that reach the disk a moment later, many at once. Not a weaker promise to processes: such
//! a commit outlives every one of them at once; only a machine that goes down may take it along.
//!
//! SQLite appends commits to its write-ahead log in order, and reads back whole ones only, so that
//! one flush of that file makes all of them durable (<https://sqlite.org/wal.html>).

use std::ffi::OsString;
use std::fs::OpenOptions;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How long a commit may wait for others to go to the disk with it.
const WAIT: Duration = Duration::from_millis(200);

/// The write-ahead log of a database, flushed when asked.
#[derive(Debug, Clone)]
pub(crate) struct Soon {
    log: Arc<PathBuf>,
    due: Arc<AtomicBool>,
}

impl Soon {
    /// Of the database at `path`.
    pub(crate) fn of(path: &Path) -> Self {
        let mut log = OsString::from(path);
        log.push("-wal");
        Self {
            log: Arc::new(log.into()),
            due: Arc::default(),
        }
    }

    /// Something was committed: it is flushed within the wait.
    pub(crate) fn flush(&self) {
        if self.due.swap(true, Ordering::AcqRel) {
            return;
        }
        let soon = self.clone();
        tokio::spawn(async move {
            tokio::time::sleep(WAIT).await;
            // What comes from here on may be too late for this flush.
            soon.due.store(false, Ordering::Release);
            let flushed = tokio::task::spawn_blocking(move || {
                // Flushing wants a handle that may write, on Windows.
                OpenOptions::new().write(true).open(&*soon.log)?.sync_data()
            });
            match flushed.await {
                // Closed meanwhile: it is all in the database itself.
                Ok(Err(error)) if error.kind() == std::io::ErrorKind::NotFound => {}
                Ok(Err(error)) => tracing::warn!(%error, "the database's log could not be flushed"),
                Ok(Ok(())) | Err(_) => {}
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn many_commits_are_flushed_at_once_and_later_ones_again() {
        let dir = tempfile::tempdir().unwrap();
        let soon = Soon::of(&dir.path().join("some.db"));
        std::fs::write(dir.path().join("some.db-wal"), "commits").unwrap();
        for _ in 0..2 {
            soon.flush();
            soon.flush();
            assert!(soon.due.load(Ordering::Acquire));
            tokio::time::timeout(WAIT * 50, async {
                while soon.due.load(Ordering::Acquire) {
                    tokio::time::sleep(WAIT / 10).await;
                }
            })
            .await
            .expect("a flush");
        }
    }
}
