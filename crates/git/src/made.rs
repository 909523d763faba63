//! What a build, a test run or a tool makes again, told by well-known names, endings and cache tags.
//! Only names are judged here; whether git ignores the place is for the caller to know.

use crate::path::exists;
use crate::setup::is_dependency_name;
use crate::tips;
use std::collections::VecDeque;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Directories that a build, a test run or a tool fills, where git ignores them.
const DIRECTORIES: &[&str] = &[
    "__pycache__",
    "_build",
    ".build",
    ".cache",
    ".dart_tool",
    ".eggs",
    ".mypy_cache",
    ".nox",
    ".nuxt",
    ".nyc_output",
    ".output",
    ".parcel-cache",
    ".pnpm-store",
    ".pytest_cache",
    ".ruff_cache",
    ".svelte-kit",
    ".terraform",
    ".tox",
    ".yarn",
    ".zig-cache",
    "build",
    "coverage",
    "DerivedData",
    "dist",
    "dist-newstyle",
    "htmlcov",
    "obj",
    "out",
    "playwright-report",
    "test-results",
    "zig-cache",
    "zig-out",
];

/// Endings of files that a tool makes beside the sources.
const ENDINGS: &[&str] = &[
    "class",
    "gcda",
    "gcno",
    "o",
    "obj",
    "pyc",
    "pyo",
    "rlib",
    "rmeta",
    "tsbuildinfo",
];

/// Whole names of files that a tool or a system makes.
const FILES: &[&str] = &[
    ".coverage",
    ".DS_Store",
    ".eslintcache",
    "Thumbs.db",
    "desktop.ini",
];

/// The file by which a tool says that its directory is a cache.
const CACHE_TAG: &str = "CACHEDIR.TAG";

/// Whether a tool makes this file again.
pub(crate) fn is_file(path: &Path) -> bool {
    let ending = path.extension().and_then(OsStr::to_str);
    is_one_of(FILES, path) || ending.is_some_and(|ending| ENDINGS.contains(&ending))
}

/// Whether a tool makes this directory and all that is in it again.
pub(crate) fn is_directory(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default();
    is_dependency_name(name) || is_one_of(DIRECTORIES, path) || exists(&path.join(CACHE_TAG))
}

/// How many folders of a made directory are looked into for repositories.
const LOOKED: usize = 20_000;

/// The repositories at and below a folder that a tool is said to make, those that are nearest first:
/// whatever is around it, a repository is somebody's. Relative to `root`.
///
/// # Errors
/// The folder that cannot be looked into: nobody knows what is in it.
pub(crate) fn repositories(root: &Path, inside: &Path) -> Result<Vec<PathBuf>, PathBuf> {
    let mut found = Vec::new();
    let mut folders = VecDeque::from([inside.to_owned()]);
    let mut looked = 0;
    while let Some(folder) = folders.pop_front() {
        let at = root.join(&folder);
        looked += 1;
        if is_there(&at.join(".git")).ok_or(&folder)? || tips::is_git_directory(&at) {
            found.push(folder);
            continue;
        }
        if looked > LOOKED {
            continue;
        }
        let entries = match at.read_dir() {
            Ok(entries) => entries,
            Err(error) if is_absence(&error) => continue,
            Err(_) => return Err(folder),
        };
        for entry in entries {
            let entry = entry.map_err(|_| folder.clone())?;
            if entry.file_type().map_or(true, |kind| kind.is_dir()) {
                folders.push_back(folder.join(entry.file_name()));
            }
        }
    }
    Ok(found)
}

/// Whether anything is at a path; `None` where the system does not tell.
fn is_there(path: &Path) -> Option<bool> {
    match path.symlink_metadata() {
        Ok(_) => Some(true),
        Err(error) => is_absence(&error).then_some(false),
    }
}

/// Whether an error says that nothing is there, or no folder any more.
fn is_absence(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{NotADirectory, NotFound};
    matches!(error.kind(), NotFound | NotADirectory)
}

fn is_one_of(list: &[&str], path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default();
    list.iter().any(|made| name == OsStr::new(made))
}
