//! Excludes paths from `git status` without changing a tracked file.

use crate::record::lock_repository;
use crate::{Error, Repository, below};
use std::path::Path;

/// The size limit of the file.
const MOST: u64 = 1 << 20;

/// The path of the file in the git directory.
const FILE: &str = "info/exclude";

/// Adds a line to the repository's own `info/exclude`, unless it is there already.
pub fn exclude(repo: &Path, pattern: &str) -> Result<(), Error> {
    if pattern.trim().is_empty() || pattern.contains(['\n', '\r', '\0']) {
        let reason = "an exclude pattern is one line of text".to_owned();
        return Err(Error::BadPattern {
            place: format!("{pattern:?}"),
            reason,
        });
    }
    let common = Repository::open(repo)?.common();
    let _lock = lock_repository(&common)?;
    let file = common.join(FILE);
    below::check(&common, Path::new(FILE))?;
    let old = match downbeat_files::read(&file, MOST) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(Error::io("read", &file)(error)),
    };
    if old
        .split(|byte| *byte == b'\n')
        .any(|line| line.trim_ascii_end() == pattern.as_bytes())
    {
        return Ok(());
    }
    let mut text = old;
    if !text.is_empty() && !text.ends_with(b"\n") {
        text.push(b'\n');
    }
    text.extend(pattern.as_bytes());
    text.push(b'\n');
    below::replace(&common, Path::new(FILE), &text)
}
