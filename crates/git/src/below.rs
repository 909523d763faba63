//! What is made below a folder that somebody else may have put links into: the git directory of a
//! repository, a worktree that comes back from a backup. A path is taken by its plain names only, every
//! folder on its way is a real one, and no link is followed or written through. Reading is in
//! [`crate::outside`].

use crate::Error;
use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs::{File, Metadata};
use std::io::{self, Write as _};
use std::path::{Component, Path, PathBuf};

/// The names of a path that stays below its root.
fn names(inside: &Path) -> Result<Vec<&OsStr>, Error> {
    let name = |part| match part {
        Component::Normal(name) => Ok(name),
        _ => Err(Error::OutsidePath {
            path: inside.display().to_string(),
        }),
    };
    inside.components().map(name).collect()
}

/// A folder below which something is made, and what of it is known to be real folders: each is looked at
/// once, however deep and however many files are in it.
pub(crate) struct Root<'a> {
    path: &'a Path,
    real: HashSet<PathBuf>,
}

impl<'a> Root<'a> {
    pub(crate) fn new(path: &'a Path) -> Self {
        let real = HashSet::new();
        Self { path, real }
    }

    /// Where `inside` is, once no folder on the way to it is anything but a folder. Some may be missing.
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

    /// The longest part of the way to `inside` that is known to be real.
    fn known(&self, inside: &Path) -> PathBuf {
        let mut above = inside.ancestors().skip(1);
        let known = above.find(|way| self.real.contains(*way));
        known.unwrap_or(Path::new("")).to_owned()
    }

    /// Makes a folder and those on the way to it.
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

    /// Where something can be made: the folders on the way to it are there, and it is not.
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

    /// Writes a file in place of what is there.
    pub(crate) fn write(&mut self, inside: &Path, bytes: &[u8]) -> Result<(), Error> {
        let at = self.cleared(inside)?;
        create(&at)?.write_all(bytes).map_err(Error::io("write", &at))
    }
}

/// The way to one place; see [`Root::way`].
pub(crate) fn way(root: &Path, inside: &Path) -> Result<PathBuf, Error> {
    Root::new(root).way(inside)
}

/// Makes one folder; see [`Root::folder`].
pub(crate) fn folder(root: &Path, inside: &Path) -> Result<PathBuf, Error> {
    Root::new(root).folder(inside)
}

/// What is at a place, on a way of folders only: a link on it leads elsewhere.
pub(crate) fn there(root: &Path, inside: &Path) -> Option<Metadata> {
    way(root, inside).ok()?.symlink_metadata().ok()
}

/// Refuses a path that is a link or leads through one. It need not be there.
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

/// Refuses a reference that git would write or delete through a link, or note through one.
///
/// # Errors
/// [`Error::Leads`] with the link.
pub(crate) fn check_reference(common: &Path, name: &str) -> Result<(), Error> {
    check(common, Path::new("packed-refs"))?;
    check(common, Path::new(name))?;
    check(common, &Path::new("logs").join(name))
}

/// Makes a file at a place from [`Root::cleared`]; a link that came there meanwhile is not followed.
pub(crate) fn create(at: &Path) -> Result<File, Error> {
    let mut options = File::options();
    let file = options.write(true).create_new(true).open(at);
    file.map_err(Error::io("write", at))
}

/// What the names of drafts begin with.
const DRAFT: &str = "downbeat-draft-";

/// Writes a file whole or not at all: first under a name that nobody can foresee, which then takes the
/// place of the old one, or of a link. It has the permissions of the old one.
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

/// The permissions of a new file, of which the umask takes some.
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
