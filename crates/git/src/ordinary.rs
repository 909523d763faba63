//! What git reads of a repository and its checkout, looked at before it is opened: git and libgit2 would
//! wait without end for a pipe that nobody writes to, and read a device, or a file of terabytes, to its end. Says which file it
//! is; reads none of them but a configuration, for what that includes.

use crate::outside::{check_readable, read_linked};
use crate::path::{exists, from_bytes, from_text};
use crate::{Error, admin, tips};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The longest file that names one thing: a reference, a place, a reason.
const NAME: u64 = 64 << 10;

/// The longest configuration, and the longest list of other places.
const SETTINGS: u64 = 16 << 20;

/// The longest list of patterns, commits or packed references.
const LIST: u64 = 64 << 20;

/// The largest index.
const INDEX: u64 = 512 << 20;

/// The largest object that is in no pack: git itself puts what is larger into one as it comes.
const OBJECT: u64 = 1 << 30;

/// What is read of a git directory.
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

/// What git reads of its notes of each linked worktree, wherever in the repository it runs.
const WORKTREE: &[&str] = &["HEAD", "commondir", "gitdir", "locked"];

/// Folders of objects all of whose files git may open. What is in them is read piece by piece.
const OBJECTS: &[&str] = &["info", "info/commit-graphs", "pack"];

/// What is read of each folder of a checkout.
const EVERYWHERE: &[&str] = &[".gitattributes", ".gitignore"];

/// What is read at its top beside.
const TOP: &[(&str, u64)] = &[(".git", NAME), (".gitmodules", SETTINGS), (".mailmap", LIST)];

/// How many files and folders of references are looked at.
const REFERENCES: usize = 200_000;

/// How many files that one of them names, and those again, are looked at. What names more takes time,
/// and that has a limit.
const NAMED: usize = 100;

/// How long the folders of a checkout are looked through.
const PATIENCE: Duration = Duration::from_secs(10);

/// Opens the repository that has, or is, the folder `place`.
///
/// # Errors
/// [`Error::NotOrdinary`] where git would wait for one of its files.
pub(crate) fn open(place: &Path) -> Result<git2::Repository, Error> {
    check(place)?;
    git2::Repository::open(place).map_err(Error::read(place))
}

/// Refuses a repository of which git would wait for a file.
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

/// Looks at the repository around a folder as [`check`] does.
pub(crate) fn check_around(folder: &Path) -> Result<(), Error> {
    let root = folder.ancestors().find(|folder| exists(&folder.join(".git")));
    check(root.unwrap_or(folder))
}

/// The file of a checkout or its repository that keeps git waiting, if any. Looks into every folder.
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

/// Looks at a folder of objects and those that they name in lists.
///
/// # Errors
/// [`Error::NotOrdinary`] names what git, or libgit2, would wait for.
pub(crate) fn check_objects(objects: &Path) -> Result<(), Error> {
    each_once(objects.to_owned(), |folder, also| {
        for name in OBJECTS {
            check_files(&folder.join(name))?;
        }
        for entry in folder.read_dir().into_iter().flatten().flatten() {
            // Of objects that are no part of a pack, one folder for each first byte of their hashes.
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

/// Looks at the files of a folder. Most need no more than the look at the folder.
fn check_files(folder: &Path) -> Result<(), Error> {
    for entry in folder.read_dir().into_iter().flatten().flatten() {
        match entry.file_type() {
            Ok(kind) if kind.is_file() || kind.is_dir() => {}
            _ => check_readable(&entry.path(), u64::MAX)?,
        }
    }
    Ok(())
}

/// Looks at the files of a folder, each of which is read whole.
fn check_sizes(folder: &Path) -> Result<(), Error> {
    for entry in folder.read_dir().into_iter().flatten().flatten() {
        check_readable(&entry.path(), OBJECT)?;
    }
    Ok(())
}

/// Looks at the references that stand in files of their own.
///
/// # Errors
/// [`Error::NotOrdinary`] names one that is none, or the folder where there are too many.
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

/// Looks at a configuration and the files that it includes, whatever the condition.
fn check_config(config: &Path) -> Result<(), Error> {
    each_once(config.to_owned(), |config, also| {
        check_readable(config, SETTINGS)?;
        let text = read_linked(config, SETTINGS).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        if !text.to_ascii_lowercase().contains("include") {
            return Ok(());
        }
        for line in text.lines() {
            // Also one that stands behind its section on the same line.
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

/// Looks at `first` and whatever that leads to, each once: they may name each other in circles.
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

/// The file that a configuration names: below the home folder, or beside the configuration.
fn included(config: &Path, value: &str) -> PathBuf {
    match (value.strip_prefix("~/"), std::env::home_dir()) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => config.parent().unwrap_or(config).join(from_text(value)),
    }
}
