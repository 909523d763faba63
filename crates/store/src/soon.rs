//! Commits that reach the disk a moment later, many in one flush. The promise to processes is not weaker:
//! such a commit outlives all of them immediately, and only a machine that goes down may lose it.
//!
//! SQLite appends commits to its write-ahead log in order, and reads back only complete ones, so
//! one flush of that file makes all of them durable (<https://sqlite.org/wal.html>).

use std::ffi::OsString;
use std::fs::OpenOptions;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The time that a commit may wait for others to be flushed with it.
const WAIT: Duration = Duration::from_millis(200);

/// The write-ahead log of a database, flushed on request.
#[derive(Debug, Clone)]
pub(crate) struct Soon {
    log: Arc<PathBuf>,
    due: Arc<AtomicBool>,
}

impl Soon {
    /// Creates the flusher of the database at `path`.
    pub(crate) fn of(path: &Path) -> Self {
        let mut log = OsString::from(path);
        log.push("-wal");
        Self {
            log: Arc::new(log.into()),
            due: Arc::default(),
        }
    }

    /// Schedules a flush after a commit, within the wait.
    pub(crate) fn flush(&self) {
        if self.due.swap(true, Ordering::AcqRel) {
            return;
        }
        let soon = self.clone();
        tokio::spawn(async move {
            tokio::time::sleep(WAIT).await;
            // Commits from here on may be too late for this flush.
            soon.due.store(false, Ordering::Release);
            let flushed = tokio::task::spawn_blocking(move || {
                // On Windows, flushing needs a handle with write access.
                OpenOptions::new().write(true).open(&*soon.log)?.sync_data()
            });
            match flushed.await {
                // Closed meanwhile: everything is in the database itself.
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
    async fn several_commits_are_flushed_together_and_later_ones_again() {
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
