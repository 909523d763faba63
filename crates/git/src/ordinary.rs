//! Checks the files that git reads of a repository and its checkout, before either is opened: git and libgit2
//! would block on a pipe that nobody writes to, and read a device or a file of terabytes to its end. The
//! error names the file. Of the files themselves, only those that name others are read: `HEAD`,
//! configurations and lists of alternates.

use crate::outside::{check_readable, read_linked};
use crate::path::{exists, from_bytes, from_text};
use crate::{Error, admin, tips};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The size limit of a file with a single value: a reference, a path, a reason.
const NAME: u64 = 64 << 10;

/// The size limit of a configuration, and of a list of other places.
const SETTINGS: u64 = 16 << 20;

/// The size limit of a list of patterns, commits or packed references.
const LIST: u64 = 64 << 20;

/// The size limit of an index.
const INDEX: u64 = 512 << 20;

/// The size limit of a loose object: git itself puts larger ones into a pack right away.
const OBJECT: u64 = 1 << 30;

/// The files that are read of a git directory, with their size limits.
const NOTES: &[(&str, u64)] = &[
    ("HEAD", NAME),
    ("commondir", NAME),
    ("config", SETTINGS),
    ("config.worktree", SETTINGS),
    ("gitdir", NAME),
    ("index", INDEX),
    ("info/attributes", LIST),
    ("info/exclude", LIST),
    ("info/grafts", LIST),
    ("info/sparse-checkout", LIST),
    ("packed-refs", LIST),
    ("shallow", LIST),
];

/// The files that git reads of the administrative directory of each worktree,
/// wherever in the repository it runs.
const WORKTREE: &[&str] = &["HEAD", "commondir", "gitdir", "locked"];

/// Folders of objects in which git may open every file. The files are read
/// piecewise, so their size is not limited.
const OBJECTS: &[&str] = &["info", "info/commit-graphs", "pack"];

/// The files that are read in each folder of a checkout.
const EVERYWHERE: &[&str] = &[".gitattributes", ".gitignore"];

/// The files that are read in the root of a checkout in addition.
const TOP: &[(&str, u64)] = &[(".git", NAME), (".gitmodules", SETTINGS), (".mailmap", LIST)];

/// The maximum number of files and folders of references.
const REFERENCES: usize = 200_000;

/// The maximum number of files that are followed through includes or alternates. Longer chains take time, and
/// the time limit of git covers those.
const NAMED: usize = 100;

/// The maximum time for searching the folders of a checkout.
const PATIENCE: Duration = Duration::from_secs(10);

/// Opens the repository that has, or is, the folder `place`.
///
/// # Errors
/// [`Error::NotOrdinary`] names a file on which git would block.
pub(crate) fn open(place: &Path) -> Result<git2::Repository, Error> {
    check(place)?;
    git2::Repository::open(place).map_err(Error::read(place))
}

/// Checks that git would not block on a file of a repository.
///
/// # Errors
/// [`Error::NotOrdinary`] names the file.
pub(crate) fn check(place: &Path) -> Result<(), Error> {
    let everywhere = EVERYWHERE.iter().map(|name| (*name, LIST));
    for (name, most) in everywhere.chain(TOP.iter().copied()) {
        check_readable(&place.join(name), most)?;
    }
    let dir = tips::directory(place).unwrap_or_else(|| place.to_owned());
    let common = tips::common(&dir);
    for home in [&dir, &common] {
        for (name, most) in NOTES {
            check_readable(&home.join(name), *most)?;
        }
        check_references(&home.join("refs"))?;
        for name in ["config", "config.worktree"] {
            check_config(&home.join(name))?;
        }
    }
    check_objects(&common.join("objects"))?;
    for notes in admin::all(&common) {
        for name in WORKTREE {
            check_readable(&notes.join(name), NAME)?;
        }
    }
    let head = tips::contents(&dir.join("HEAD"), NAME).unwrap_or_default();
    match head
        .strip_prefix(b"ref: ")
        .and_then(|name| std::str::from_utf8(name).ok())
    {
        Some(name) => check_readable(&common.join(name.trim_end()), NAME),
        None => Ok(()),
    }
}

/// Checks the repository around a folder as [`check`] does.
pub(crate) fn check_around(folder: &Path) -> Result<(), Error> {
    let root = folder.ancestors().find(|folder| exists(&folder.join(".git")));
    check(root.unwrap_or(folder))
}

/// Returns an error with the file of a checkout or its repository that blocks git,
/// if any. Searches every folder.
pub(crate) fn culprit(checkout: &Path) -> Option<Error> {
    let until = Instant::now() + PATIENCE;
    check(checkout).and_then(|()| below(checkout, until)).err()
}

fn below(checkout: &Path, until: Instant) -> Result<(), Error> {
    let mut folders = vec![checkout.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in folder.read_dir().into_iter().flatten().flatten() {
            let name = entry.file_name();
            match entry.file_type() {
                _ if Instant::now() > until => return Ok(()),
                Ok(kind) if kind.is_dir() && name != ".git" => folders.push(entry.path()),
                Ok(_) if EVERYWHERE.iter().any(|one| name == *one) => {
                    check_readable(&entry.path(), LIST)?;
                }
                _ => {}
            }
        }
    }
    Ok(())
}

/// Checks a folder of objects and the folders that its alternates name.
///
/// # Errors
/// [`Error::NotOrdinary`] names a file on which git or libgit2 would block.
pub(crate) fn check_objects(objects: &Path) -> Result<(), Error> {
    each_once(objects.to_owned(), |folder, also| {
        for name in OBJECTS {
            check_files(&folder.join(name))?;
        }
        for entry in folder.read_dir().into_iter().flatten().flatten() {
            // Loose objects are in one folder for each first byte of their hashes.
            if entry.file_name().len() == 2 {
                check_sizes(&entry.path())?;
            }
        }
        let list = folder.join("info/alternates");
        check_readable(&list, SETTINGS)?;
        let text = tips::contents(&list, SETTINGS).unwrap_or_default();
        let lines = text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        lines.for_each(|line| also(folder.join(from_bytes(line))));
        Ok(())
    })
}

/// Checks the files of a folder. For most of them the directory entry is enough.
fn check_files(folder: &Path) -> Result<(), Error> {
    for entry in folder.read_dir().into_iter().flatten().flatten() {
        match entry.file_type() {
            Ok(kind) if kind.is_file() || kind.is_dir() => {}
            _ => check_readable(&entry.path(), u64::MAX)?,
        }
    }
    Ok(())
}

/// Checks the sizes of the files in a folder, because each is read completely.
fn check_sizes(folder: &Path) -> Result<(), Error> {
    for entry in folder.read_dir().into_iter().flatten().flatten() {
        check_readable(&entry.path(), OBJECT)?;
    }
    Ok(())
}

/// Checks the loose references.
///
/// # Errors
/// [`Error::NotOrdinary`] names an irregular file, or the folder if it has too many files.
fn check_references(refs: &Path) -> Result<(), Error> {
    let (mut folders, mut seen) = (vec![refs.to_owned()], 0);
    while let Some(folder) = folders.pop() {
        for entry in folder.read_dir().into_iter().flatten().flatten() {
            seen += 1;
            if seen > REFERENCES {
                return Err(Error::NotOrdinary {
                    path: refs.to_owned(),
                    reason: format!(
                        "it has more than {REFERENCES} files, which `git pack-refs --all` puts into one"
                    ),
                });
            }
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(entry.path()),
                _ => check_readable(&entry.path(), NAME)?,
            }
        }
    }
    Ok(())
}

/// Checks a configuration and the files that it includes, whatever the condition.
fn check_config(config: &Path) -> Result<(), Error> {
    each_once(config.to_owned(), |config, also| {
        check_readable(config, SETTINGS)?;
        let text = read_linked(config, SETTINGS).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        if !text.to_ascii_lowercase().contains("include") {
            return Ok(());
        }
        for line in text.lines() {
            // The setting may follow its section header on the same line.
            let line = line.rsplit(']').next().unwrap_or(line);
            if let Some((key, value)) = line.split_once('=')
                && key.trim().eq_ignore_ascii_case("path")
            {
                also(included(config, value.trim().trim_matches('"')));
            }
        }
        Ok(())
    })
}

/// Checks `first` and everything that it leads to, each once: the files may name each other in circles.
fn each_once(
    first: PathBuf,
    mut look: impl FnMut(&Path, &mut dyn FnMut(PathBuf)) -> Result<(), Error>,
) -> Result<(), Error> {
    let (mut all, mut next) = (vec![first], 0);
    while let Some(path) = all.get(next).cloned() {
        next += 1;
        look(&path, &mut |found| {
            if all.len() < NAMED && !all.contains(&found) {
                all.push(found);
            }
        })?;
    }
    Ok(())
}

/// Returns the path that a configuration includes, relative to the home folder or to the configuration.
fn included(config: &Path, value: &str) -> PathBuf {
    match (value.strip_prefix("~/"), std::env::home_dir()) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => config.parent().unwrap_or(config).join(from_text(value)),
    }
}
