//! The record of a landing in progress, `<common>/downbeat/land/record.json`. It is written before the first
//! change and removed after the last, so that the next call finishes or undoes what a killed one began.

use crate::record::{LANDING, OURS};
use crate::{Error, below};
use git2::Oid;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The file name of the record.
const RECORD: &str = "record.json";

/// The size limit of a record.
const MOST: u64 = 1 << 20;

/// A landing in progress.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Journal {
    /// The full name of the branch.
    pub(crate) branch: String,
    /// The commit from which the branch is moved.
    pub(crate) old: String,
    /// The commit to which it is moved.
    pub(crate) candidate: String,
    /// The checkouts that are updated, by the names of their git directories; empty for the primary one.
    pub(crate) checkouts: Vec<String>,
}

impl Journal {
    /// Reads the record. One that cannot be read was forged or cut off, and says nothing.
    pub(crate) fn load(common: &Path) -> Option<Self> {
        let text = downbeat_files::read(&common.join(file()), MOST).ok()?;
        let journal: Self = serde_json::from_slice(&text).ok()?;
        let is_valid = journal.branch.starts_with("refs/heads/") && journal.ids().is_some();
        is_valid.then_some(journal)
    }

    /// Returns the two commits.
    pub(crate) fn ids(&self) -> Option<(Oid, Oid)> {
        Some((
            Oid::from_str(&self.old).ok()?,
            Oid::from_str(&self.candidate).ok()?,
        ))
    }

    /// Writes the record atomically.
    pub(crate) fn store(&self, common: &Path) -> Result<(), Error> {
        let file = file();
        let text = serde_json::to_vec(self)
            .map_err(std::io::Error::from)
            .map_err(Error::io("write", &common.join(&file)))?;
        below::replace(common, &file, &text)
    }

    /// Removes the record.
    pub(crate) fn erase(common: &Path) -> Result<(), Error> {
        let inside = file();
        below::check(common, &inside)?;
        let file = common.join(inside);
        match std::fs::remove_file(&file) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(Error::io("remove", &file)(error))
            }
            _ => Ok(()),
        }
    }
}

/// Returns the path of the record in the git directory.
fn file() -> PathBuf {
    Path::new(OURS).join(LANDING).join(RECORD)
}
