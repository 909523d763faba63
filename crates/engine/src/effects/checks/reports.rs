//! The report files that a check wrote in its worktree. Only read: what they mean is decided by their content
//! ([`downbeat_failures`]).

use crate::host::blocking;
use downbeat_failures::{MAX_REPORT, Report};
use downbeat_wire::ApiError;
use std::path::Path;
use std::time::SystemTime;

/// Reads the reports of a check that began at `begun`. A file that is older is of an earlier run.
pub async fn read(tree: &Path, names: &[String], begun: SystemTime) -> Result<Vec<Report>, ApiError> {
    if names.is_empty() {
        return Ok(Vec::new());
    }
    let (tree, names) = (tree.to_owned(), names.to_vec());
    let read = move || {
        let made = names.into_iter().map(|name| {
            let content = one(&tree, &name, begun);
            Report { name, content }
        });
        made.collect()
    };
    blocking::blocking(read).await
}

fn one(tree: &Path, name: &str, begun: SystemTime) -> Result<Vec<u8>, String> {
    let missing = || "the check did not write it".to_owned();
    let about = tree.join(name).symlink_metadata().map_err(|_| missing())?;
    // File systems round times.
    let second = std::time::Duration::from_secs(1);
    if about.modified().is_ok_and(|at| at + second < begun) {
        return Err(missing());
    }
    let read = downbeat_git::read_inside(tree, name, MAX_REPORT as u64);
    read.map_err(|error| error.to_string())?.ok_or_else(missing)
}

#[cfg(test)]
mod tests {
    use super::read;
    use std::time::{Duration, SystemTime};

    #[tokio::test]
    async fn only_what_this_run_wrote_is_read() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("junit.xml"), "<testsuites/>").unwrap();
        let names = ["junit.xml".to_owned(), "other.xml".to_owned()];
        let later = SystemTime::now() + Duration::from_secs(60);
        for (begun, read_now) in [(SystemTime::now(), true), (later, false)] {
            let reports = read(dir.path(), &names, begun).await.unwrap();
            assert_eq!(reports[0].content.is_ok(), read_now);
            assert_eq!(
                reports[1].content.as_ref().unwrap_err(),
                "the check did not write it"
            );
        }
    }
}
