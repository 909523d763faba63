//! Safe writing below a folder in which somebody else may have placed links: the git directory of a
//! repository, or a worktree that is restored from a backup. Paths consist of plain names only, every folder
//! on a path is a real one, and no link is followed or written through. Reading is in [`crate::outside`].

use crate::Error;
use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs::{File, Metadata};
use std::io::{self, Write as _};
use std::path::{Component, Path, PathBuf};

/// Returns the components of a path, which must not leave its root.
fn names(inside: &Path) -> Result<Vec<&OsStr>, Error> {
    let name = |part| match part {
        Component::Normal(name) => Ok(name),
        _ => Err(Error::OutsidePath {
            path: inside.display().to_string(),
        }),
    };
    inside.components().map(name).collect()
}

/// A folder below which files are created. It caches which folders below it are known to be real, so that
/// each is checked once, however deep it is and however many files it holds.
pub(crate) struct Root<'a> {
    path: &'a Path,
    real: HashSet<PathBuf>,
}

impl<'a> Root<'a> {
    pub(crate) fn new(path: &'a Path) -> Self {
        let real = HashSet::new();
        Self { path, real }
    }

    /// Returns the path of `inside` after checking that every existing folder on
    /// the way to it is a real folder.
    ///
    /// # Errors
    /// [`Error::OutsidePath`], or [`Error::Leads`] with the link.
    pub(crate) fn way(&mut self, inside: &Path) -> Result<PathBuf, Error> {
        names(inside)?;
        let mut below = self.known(inside);
        let parent = inside.parent().unwrap_or(inside);
        for name in names(parent.strip_prefix(&below).unwrap_or(parent))? {
            below.push(name);
            let way = self.path.join(&below);
            match way.symlink_metadata() {
                Ok(about) if about.is_dir() => drop(self.real.insert(below.clone())),
                Ok(_) => return Err(leads(way)),
                Err(_) => break,
            }
        }
        Ok(self.path.join(inside))
    }

    /// Returns the longest ancestor of `inside` that is known to be real.
    fn known(&self, inside: &Path) -> PathBuf {
        let mut above = inside.ancestors().skip(1);
        let known = above.find(|way| self.real.contains(*way));
        known.unwrap_or(Path::new("")).to_owned()
    }

    /// Creates a folder and its parents.
    pub(crate) fn folder(&mut self, inside: &Path) -> Result<PathBuf, Error> {
        names(inside)?;
        if self.real.contains(inside) {
            return Ok(self.path.join(inside));
        }
        let mut below = self.known(inside);
        for name in names(inside.strip_prefix(&below).unwrap_or(inside))? {
            below.push(name);
            let way = self.path.join(&below);
            let is_missing = |error: &io::Error| error.kind() == io::ErrorKind::NotFound;
            if way.symlink_metadata().is_err_and(|error| is_missing(&error)) {
                match std::fs::create_dir(&way) {
                    Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                        return Err(Error::io("create", &way)(error));
                    }
                    _ => {}
                }
            }
            let about = way.symlink_metadata().map_err(Error::io("create", &way))?;
            if !about.is_dir() {
                return Err(leads(way));
            }
            self.real.insert(below.clone());
        }
        Ok(self.path.join(inside))
    }

    /// Prepares a path for a new file: creates its parent folders and removes the file that is there.
    pub(crate) fn cleared(&mut self, inside: &Path) -> Result<PathBuf, Error> {
        if let Some(parent) = inside.parent() {
            self.folder(parent)?;
        }
        let at = self.way(inside)?;
        match std::fs::remove_file(&at) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(Error::io("replace", &at)(error)),
            _ => Ok(at),
        }
    }

    /// Writes a file, replacing an existing one.
    pub(crate) fn write(&mut self, inside: &Path, bytes: &[u8]) -> Result<(), Error> {
        let at = self.cleared(inside)?;
        create(&at)?.write_all(bytes).map_err(Error::io("write", &at))
    }
}

/// Checks the path to a single place; see [`Root::way`].
pub(crate) fn way(root: &Path, inside: &Path) -> Result<PathBuf, Error> {
    Root::new(root).way(inside)
}

/// Creates a single folder; see [`Root::folder`].
pub(crate) fn folder(root: &Path, inside: &Path) -> Result<PathBuf, Error> {
    Root::new(root).folder(inside)
}

/// Returns the metadata of a path, or `None` if a link is on the way to it.
pub(crate) fn there(root: &Path, inside: &Path) -> Option<Metadata> {
    way(root, inside).ok()?.symlink_metadata().ok()
}

/// Refuses a path that is a link or leads through one. The path may be missing.
///
/// # Errors
/// [`Error::Leads`] with the link.
pub(crate) fn check(root: &Path, inside: &Path) -> Result<(), Error> {
    let way = way(root, inside)?;
    match way.is_symlink() {
        true => Err(leads(way)),
        false => Ok(()),
    }
}

/// Refuses a reference whose file, log or packed form git would reach through a link.
///
/// # Errors
/// [`Error::Leads`] with the link.
pub(crate) fn check_reference(common: &Path, name: &str) -> Result<(), Error> {
    check(common, Path::new("packed-refs"))?;
    check(common, Path::new(name))?;
    check(common, &Path::new("logs").join(name))
}

/// Creates a file at a path from [`Root::cleared`]; a link that appeared there since is not followed.
pub(crate) fn create(at: &Path) -> Result<File, Error> {
    let mut options = File::options();
    let file = options.write(true).create_new(true).open(at);
    file.map_err(Error::io("write", at))
}

/// The prefix of the names of drafts.
const DRAFT: &str = "downbeat-draft-";

/// Writes a file atomically: first under an unpredictable name, which then replaces the old file or link. The
/// new file keeps the permissions of the old one.
pub(crate) fn replace(root: &Path, inside: &Path, bytes: &[u8]) -> Result<(), Error> {
    let folder = folder(root, inside.parent().unwrap_or(Path::new("")))?;
    let file = root.join(inside);
    let failed = || Error::io("write", &file);
    let old = file.symlink_metadata().ok().filter(Metadata::is_file);
    let old = old.map(|about| about.permissions());
    let mut draft = tempfile::Builder::new();
    draft.prefix(DRAFT);
    let usual = usual().filter(|_| old.is_none());
    if let Some(usual) = usual {
        draft.permissions(usual);
    }
    let mut draft = draft.tempfile_in(folder).map_err(failed())?;
    draft.write_all(bytes).map_err(failed())?;
    if let Some(old) = old {
        draft.as_file().set_permissions(old).map_err(failed())?;
    }
    draft.persist(&file).map_err(|error| failed()(error.error))?;
    Ok(())
}

/// Returns the permissions of a new file, before the umask applies.
#[cfg(unix)]
fn usual() -> Option<std::fs::Permissions> {
    use std::os::unix::fs::PermissionsExt as _;
    Some(std::fs::Permissions::from_mode(0o666))
}

#[cfg(not(unix))]
fn usual() -> Option<std::fs::Permissions> {
    None
}

fn leads(path: PathBuf) -> Error {
    Error::Leads { path }
}
