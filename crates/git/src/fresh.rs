//! An index that nobody else has written, from which git writes files. Git trusts its index, so one that was
//! found in a git directory or in a backup could make it write, replace and delete `../x`. This one is filled
//! only from a commit, or with names that git checks one by one; a copy of a found one is checked before use.

use crate::command::Git;
use crate::shadow::private_folder;
use crate::{Error, below};
use std::fs::File;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The size limit of an index that is copied.
const LARGEST: u64 = 512 << 20;

/// An index of our own; see the module. Nobody who works in the repository can write to it. Deleted on drop.
pub(crate) struct FreshIndex {
    home: TempDir,
}

impl FreshIndex {
    pub(crate) fn new() -> Result<Self, Error> {
        let home = private_folder()?;
        Ok(Self { home })
    }

    /// Copies the index of the git directory `notes`, if it has one. The caller checks the names in it.
    pub(crate) fn copy_of(notes: &Path) -> Result<Self, Error> {
        let (copy, index) = (Self::new()?, notes.join("index"));
        if !crate::path::exists(&index) {
            return Ok(copy);
        }
        let bytes = downbeat_files::read(&index, LARGEST).map_err(Error::io("read", &index))?;
        let written = index.metadata().and_then(|about| about.modified());
        let to = copy.file();
        std::fs::write(&to, bytes).map_err(Error::io("write", &to))?;
        // See `keep`.
        let dated = written.and_then(|at| File::options().append(true).open(&to)?.set_modified(at));
        dated.map_err(Error::io("date", &to))?;
        Ok(copy)
    }

    fn file(&self) -> PathBuf {
        self.home.path().join("index")
    }

    /// Makes a git command use this index.
    pub(crate) fn of(&self, git: Git) -> Git {
        git.env("GIT_INDEX_FILE", self.file())
    }

    /// Copies the index to `inside` of a git directory, replacing what is there.
    pub(crate) fn keep(&self, root: &Path, inside: &Path) -> Result<(), Error> {
        let (file, to) = (self.file(), root.join(inside));
        let bytes = std::fs::read(&file).map_err(Error::io("read", &file))?;
        let written = file.metadata().and_then(|about| about.modified());
        below::replace(root, inside, &bytes)?;
        // Git suspects a change in every file that is not older than its index, so the copy
        // keeps the time of the original.
        let dated = written.and_then(|at| File::options().append(true).open(&to)?.set_modified(at));
        dated.map_err(Error::io("date", &to))
    }
}
