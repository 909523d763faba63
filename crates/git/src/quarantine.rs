//! The temporary object directory of a backup, until its objects are in a pack: a backup that fails leaves
//! nothing among the repository's objects, and a killed one leaves only files that the next one deletes. The
//! pack itself is in [`crate::pack`].

use crate::room;
use crate::{Error, below, record, tree};
use std::path::{Path, PathBuf};

/// The name of the directory, next to the record of a worktree.
const NAME: &str = "quarantine";

/// The path from its objects to those of the repository, as git reads it.
const REAL: &str = "../../../../objects\n";

/// A bare repository with its own objects, and the repository's as alternates. It is deleted on drop.
pub(crate) struct Quarantine {
    home: PathBuf,
    repository: git2::Repository,
}

impl Quarantine {
    /// Creates the directory for the worktree at `place`, whose lock the caller holds.
    pub(crate) fn new(common: &Path, place: &Path) -> Result<Self, Error> {
        let inside = record::name(place).join(NAME);
        sweep(common, place)?;
        let home = below::folder(common, &inside)?;
        for folder in ["refs", "objects/info", "objects/pack"] {
            below::folder(common, &inside.join(folder))?;
        }
        below::replace(common, &inside.join("objects/info/alternates"), REAL.as_bytes())?;
        below::replace(common, &inside.join("config"), b"[core]\n\tbare = true\n")?;
        below::replace(common, &inside.join("HEAD"), b"ref: refs/heads/none\n")?;
        let repository = git2::Repository::open_bare(&home).map_err(Error::read(&home))?;
        Ok(Self { home, repository })
    }

    /// Makes a repository write its objects here. It can still read its own objects.
    pub(crate) fn take(&self, writer: &git2::Repository) -> Result<(), Error> {
        let objects = self.repository.odb();
        let taken = objects.and_then(|objects| writer.set_odb(&objects));
        taken.map_err(Error::read(&self.home))
    }

    /// Returns the folder of the objects, for git to read and write.
    pub(crate) fn objects(&self) -> PathBuf {
        self.home.join("objects")
    }

    /// Checks that the disk has room for a pack of these objects.
    pub(crate) fn has_room(&self) -> Result<(), Error> {
        room::check(&self.home, tree::bytes(&self.home))
    }
}

impl Drop for Quarantine {
    fn drop(&mut self) {
        if let Err(error) = tree::remove(&self.home) {
            tracing::warn!("could not delete the temporary objects of a backup: {error}");
        }
    }
}

/// Deletes the directory that a killed backup of the worktree at `place` left.
pub(crate) fn sweep(common: &Path, place: &Path) -> Result<(), Error> {
    let inside = record::name(place).join(NAME);
    tree::remove(&below::way(common, &inside)?)
}
