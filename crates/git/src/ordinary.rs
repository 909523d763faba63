//! Checks the files that git reads of a repository and its checkout, before either is opened: git and libgit2
//! would block on a pipe that nobody writes to, and read a device or a file of terabytes to its end. The
//! error names the file. Of the files themselves, only those that name others are read: `HEAD`,
//! configurations and lists of alternates.

use crate::outside::{check_readable, read_linked};
use crate::path::{exists, from_bytes};
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

/// The maximum number of files that a configuration or a list of alternates leads to.
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
        // A character for each byte: paths need not be UTF-8.
        let text: String = text.iter().map(|byte| char::from(*byte)).collect();
        if !text.to_ascii_lowercase().contains("include") {
            return Ok(());
        }
        for value in named_paths(&text) {
            also(included(config, &value));
        }
        Ok(())
    })
}

/// Returns the values of the settings that are called `path`, in whatever section.
fn named_paths(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    let lower = text.to_ascii_lowercase();
    for (at, key) in lower.match_indices("path") {
        // The setting may follow its section header on the same line.
        let before = lower[..at]
            .trim_end_matches([' ', '\t', '\r'])
            .chars()
            .next_back();
        let begins = before.is_none_or(|c| matches!(c, '\n' | ']'));
        let after = text[at + key.len()..].trim_start_matches([' ', '\t', '\r']);
        if let Some(value) = after.strip_prefix('=').filter(|_| begins) {
            all.push(value_of(value));
        }
    }
    all
}

/// Reads a value as git does: up to the end of its line or a comment, with quotes, escapes and lines that go on.
fn value_of(text: &str) -> String {
    let (mut value, mut kept, mut is_quoted) = (String::new(), 0, false);
    let mut rest = text.trim_start_matches([' ', '\t']).chars();
    while let Some(c) = rest.next() {
        match c {
            '\n' => break,
            '#' | ';' if !is_quoted => break,
            '"' => is_quoted = !is_quoted,
            '\\' => match rest.next() {
                Some('\n') | None => continue,
                Some('\r') => {
                    rest.next();
                    continue;
                }
                Some('n') => value.push('\n'),
                Some('t') => value.push('\t'),
                Some('b') => value.push('\u{8}'),
                Some(other) => value.push(other),
            },
            c => value.push(c),
        }
        if is_quoted || !c.is_ascii_whitespace() {
            kept = value.len();
        }
    }
    value.truncate(kept);
    value
}

/// Checks `first` and everything that it leads to, each once: the files may name each other in circles.
///
/// # Errors
/// [`Error::NotOrdinary`] names `first` if it leads to too much.
fn each_once(
    first: PathBuf,
    mut look: impl FnMut(&Path, &mut dyn FnMut(PathBuf)) -> Result<(), Error>,
) -> Result<(), Error> {
    let (mut all, mut next) = (vec![first], 0);
    while let Some(path) = all.get(next).cloned() {
        next += 1;
        look(&path, &mut |found| {
            if all.len() <= NAMED && !all.contains(&found) {
                all.push(found);
            }
        })?;
        if all.len() > NAMED {
            return Err(Error::NotOrdinary {
                path: all.swap_remove(0),
                reason: format!("it leads to more than {NAMED} other files"),
            });
        }
    }
    Ok(())
}

/// Returns the path that a configuration includes, relative to the home folder or to the configuration. The value has a
/// character for each byte.
fn included(config: &Path, value: &str) -> PathBuf {
    let bytes: Vec<u8> = value.chars().filter_map(|c| u8::try_from(c).ok()).collect();
    match (bytes.strip_prefix(b"~/"), std::env::home_dir()) {
        (Some(rest), Some(home)) => home.join(from_bytes(rest)),
        _ => config.parent().unwrap_or(config).join(from_bytes(&bytes)),
    }
}

#[cfg(test)]
mod tests {
    use super::{NAMED, check_config, named_paths};

    #[test]
    fn included_files_are_found_as_git_finds_them() {
        for (text, expected) in [
            ("[include]\n\tpath = a\n", vec!["a"]),
            ("[include] PATH=a b \r\n", vec!["a b"]),
            ("[include]\npath = a ; no\npath = b#no\n", vec!["a", "b"]),
            ("[include]\npath = \"a \\\"; b\" c\n", vec!["a \"; b c"]),
            ("[include]\npath = /tmp/a\\\nb\n", vec!["/tmp/ab"]),
            ("[include]\npath = /tmp/a\\\r\nb\n", vec!["/tmp/ab"]),
            ("[includeIf \"gitdir:x\"] path = a]b\n", vec!["a]b"]),
            ("[core]\nhooksPath = /dev/null\nx = a path = b\n", vec![]),
        ] {
            assert_eq!(named_paths(text), expected, "{text:?}");
        }
    }

    #[test]
    fn a_configuration_that_includes_hundreds_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let config = dir.path().join("config");
        for (files, is_refused) in [(NAMED - 1, false), (NAMED, true)] {
            let lines: String = (0..files).map(|n| format!("path = f{n}\n")).collect();
            std::fs::write(&config, format!("[include]\n{lines}")).unwrap();
            assert_eq!(check_config(&config).is_err(), is_refused, "{files}");
        }
    }
}
