//! Files that a build, a test run or a tool regenerates, recognized by well-known names, extensions and cache
//! tags. Only names are considered here; the caller checks whether git ignores the path.

use crate::path::exists;
use crate::setup::is_dependency_name;
use crate::tips;
use std::collections::VecDeque;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Directories that a build, a test run or a tool fills, provided that git ignores them.
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

/// Extensions of files that a tool creates next to the sources.
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

/// Names of files that a tool or a system creates.
const FILES: &[&str] = &[
    ".coverage",
    ".DS_Store",
    ".eslintcache",
    "Thumbs.db",
    "desktop.ini",
];

/// The file with which a tool marks its directory as a cache.
const CACHE_TAG: &str = "CACHEDIR.TAG";

/// Whether a tool regenerates this file.
pub(crate) fn is_file(path: &Path) -> bool {
    let ending = path.extension().and_then(OsStr::to_str);
    is_one_of(FILES, path) || ending.is_some_and(|ending| ENDINGS.contains(&ending))
}

/// Whether a tool regenerates this directory and everything in it.
pub(crate) fn is_directory(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default();
    is_dependency_name(name) || is_one_of(DIRECTORIES, path) || exists(&path.join(CACHE_TAG))
}

/// The maximum number of folders in a generated directory that are searched for repositories.
const LOOKED: usize = 20_000;

/// Returns the repositories at and below a folder that a tool supposedly generates, nearest first and
/// relative to `root`: whatever is around it, a repository belongs to somebody.
///
/// # Errors
/// The folder that cannot be read, because its content is unknown.
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

/// Whether anything is at a path; `None` if the system does not say.
fn is_there(path: &Path) -> Option<bool> {
    match path.symlink_metadata() {
        Ok(_) => Some(true),
        Err(error) => is_absence(&error).then_some(false),
    }
}

/// Whether an error means that nothing is there, or that a parent is not a folder.
fn is_absence(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{NotADirectory, NotFound};
    matches!(error.kind(), NotFound | NotADirectory)
}

fn is_one_of(list: &[&str], path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default();
    list.iter().any(|made| name == OsStr::new(made))
}
