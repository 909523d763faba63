//! Keeps paths out of `git status` without touching a tracked file.

use crate::outside::{check_notes, read_linked};
use crate::record::lock_repository;
use crate::{Error, Repository};
use std::path::Path;

/// The longest such file that we add to.
const MOST: u64 = 1 << 20;

/// Adds a line to the repository's own `info/exclude`, once.
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
    let file = common.join("info").join("exclude");
    check_notes(&common.join("info"))?;
    let old = match read_linked(&file, MOST) {
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
    let parent = common.join("info");
    let fresh = parent.join("exclude.downbeat");
    std::fs::create_dir_all(&parent).map_err(Error::io("create", &parent))?;
    std::fs::write(&fresh, text).map_err(Error::io("write", &fresh))?;
    std::fs::rename(&fresh, &file).map_err(Error::io("write", &file))
}
