//! The objects of a repository, opened through a git directory of our own without configuration, references
//! and checkouts. What libgit2 computes there depends only on the objects: not on attributes or an index that
//! somebody is editing, nor on settings such as `merge.renames`. New objects are written to the repository.

use crate::shadow::private_folder;
use crate::trees::Trees;
use crate::{Error, Repository};
use git2::{Commit, Oid, Tree};
use std::cell::RefCell;
use std::path::PathBuf;
use tempfile::TempDir;

/// See the module. The git directory is deleted on drop.
pub(crate) struct Objects {
    // Closed before its directory is deleted.
    inner: git2::Repository,
    home: TempDir,
    root: PathBuf,
    trees: RefCell<Trees>,
}

impl Objects {
    /// Opens the objects of a repository.
    pub(crate) fn of(repository: &Repository) -> Result<Self, Error> {
        let objects = Self::empty(repository)?;
        let taken = repository
            .git2()
            .odb()
            .and_then(|odb| objects.inner.set_odb(&odb));
        taken.map_err(objects.failed())?;
        Ok(objects)
    }

    /// Opens the objects of a repository so that new objects are written to a folder of our own, which is deleted on drop:
    /// the repository stays as it is.
    pub(crate) fn apart(repository: &Repository) -> Result<Self, Error> {
        let objects = Self::empty(repository)?;
        let info = objects.folder().join("info");
        std::fs::create_dir(&info).map_err(Error::io("create", &info))?;
        let file = info.join("alternates");
        let mut line = crate::path::to_bytes(&repository.common().join("objects"));
        line.push(b'\n');
        // libgit2 reads the file when the first object is looked for.
        std::fs::write(&file, line).map_err(Error::io("write", &file))?;
        Ok(objects)
    }

    /// Creates the git directory.
    fn empty(repository: &Repository) -> Result<Self, Error> {
        let home = private_folder()?;
        let write = |name: &str, text: &[u8]| {
            let file = home.path().join(name);
            std::fs::write(&file, text).map_err(Error::io("write", &file))
        };
        for folder in ["refs", "objects"] {
            let folder = home.path().join(folder);
            std::fs::create_dir(&folder).map_err(Error::io("create", &folder))?;
        }
        write("HEAD", b"ref: refs/heads/unborn\n")?;
        write(
            "config",
            b"[core]\n\trepositoryformatversion = 0\n\tbare = true\n",
        )?;
        let common = repository.common();
        // The boundaries of a shallow clone, whose parents are missing.
        if let Some(text) = crate::tips::contents(&common.join("shallow"), SHALLOW) {
            write("shallow", &text)?;
        }
        let open = || -> Result<git2::Repository, git2::Error> {
            // `open_bare` would not read the boundaries.
            let inner = git2::Repository::open(home.path())?;
            inner.set_config(&git2::Config::new()?)?;
            Ok(inner)
        };
        let inner = open().map_err(Error::read(repository.root()))?;
        let root = repository.root().to_owned();
        let trees = RefCell::default();
        Ok(Self {
            inner,
            home,
            root,
            trees,
        })
    }

    pub(crate) fn git2(&self) -> &git2::Repository {
        &self.inner
    }

    /// Returns the folder in which [`Objects::apart`] writes objects, for git to read and write.
    pub(crate) fn folder(&self) -> PathBuf {
        self.home.path().join("objects")
    }

    /// Finds a commit by its full id.
    ///
    /// # Errors
    /// [`Error::UnknownRef`] if the repository has no such commit.
    pub(crate) fn commit(&self, id: &str) -> Result<Commit<'_>, Error> {
        let found = Oid::from_str(id).and_then(|oid| self.inner.find_commit(oid));
        let is_full = id.len() == FULL;
        found.ok().filter(|_| is_full).ok_or_else(|| Error::UnknownRef {
            name: id.chars().take(80).collect(),
            near: Vec::new(),
        })
    }

    /// Refuses a tree that is too large to be walked (see [`Trees`]).
    ///
    /// # Errors
    /// Fails if it is, with the reason.
    pub(crate) fn check_size(&self, tree: Oid) -> Result<(), git2::Error> {
        self.trees.borrow_mut().check(&self.inner, tree)
    }

    /// Makes libgit2 use the attributes of a tree, such as `merge=union` for a change log.
    pub(crate) fn use_attributes(&self, tree: &Tree<'_>) -> Result<(), git2::Error> {
        self.check_size(tree.id())?;
        let mut index = git2::Index::new()?;
        index.read_tree(tree)?;
        self.inner.set_index(&mut index)
    }

    /// Turns an error of libgit2 into one that names the repository.
    pub(crate) fn failed(&self) -> impl FnOnce(git2::Error) -> Error + use<'_> {
        Error::read(&self.root)
    }
}

/// The length of a full id.
const FULL: usize = 40;

/// The size limit of the list of a shallow clone's boundaries.
const SHALLOW: u64 = 64 << 20;
