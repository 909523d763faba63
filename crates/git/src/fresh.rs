//! An index that nobody but us has written, for git to write files by. Git takes an index at its word, and
//! so one that was found beside a worktree, or in a backup, may have it write, replace and delete `../x`.
//! What goes into this one is a commit, or names that git looks at one by one.

use crate::command::Git;
use crate::shadow::private_folder;
use crate::{Error, below};
use std::fs::File;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// See the module. It stands where nobody who works in the repository may write, and is gone when dropped.
pub(crate) struct FreshIndex {
    home: TempDir,
}

impl FreshIndex {
    pub(crate) fn new() -> Result<Self, Error> {
        let home = private_folder()?;
        Ok(Self { home })
    }

    fn file(&self) -> PathBuf {
        self.home.path().join("index")
    }

    /// The same git, with this index.
    pub(crate) fn of(&self, git: Git) -> Git {
        git.env("GIT_INDEX_FILE", self.file())
    }

    /// Puts it in the place `inside` of a git directory, over what is there.
    pub(crate) fn keep(&self, root: &Path, inside: &Path) -> Result<(), Error> {
        let (file, to) = (self.file(), root.join(inside));
        let bytes = std::fs::read(&file).map_err(Error::io("read", &file))?;
        let written = file.metadata().and_then(|about| about.modified());
        below::replace(root, inside, &bytes)?;
        // A file that is younger than its index counts as changed: the copy is not younger than the files.
        let dated = written.and_then(|at| File::options().append(true).open(&to)?.set_modified(at));
        dated.map_err(Error::io("date", &to))
    }
}
