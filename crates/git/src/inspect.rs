//! What a folder is, before it becomes a project, and how a plain one becomes a repository.

use crate::command::Git;
use crate::path::exists;
use crate::{Error, ordinary};
use std::path::{Path, PathBuf};

/// What a folder is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FolderKind {
    /// A repository; `root` is its primary checkout, also for a subfolder or a linked worktree.
    Repository {
        /// The primary checkout.
        root: PathBuf,
    },
    /// A folder in no repository.
    PlainFolder,
    /// A repository without a commit.
    NoCommits {
        /// The primary checkout.
        root: PathBuf,
    },
    /// A repository without a checkout of its own.
    Bare,
    /// A git directory that is no `.git` at the root of its checkout, such as one that was committed
    /// as files of another repository. Its configuration is whoever's who wrote those files.
    Embedded,
    /// Nothing is there.
    Missing,
    /// Something else than a folder is there.
    NotAFolder,
    /// Git would wait without end for one of its files.
    NotOrdinary {
        /// Which one, and the way out.
        reason: String,
    },
    /// A folder or repository that cannot be read, or that git does not trust.
    Unreadable,
    /// A repository that libgit2 refuses to open: of another format, or with a broken configuration.
    Refused {
        /// What it says.
        reason: String,
    },
}

/// Says what a folder is.
pub fn inspect(path: &Path) -> FolderKind {
    match path.metadata() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return FolderKind::Missing,
        Err(error) if error.kind() == std::io::ErrorKind::NotADirectory => return FolderKind::Missing,
        Err(_) => return FolderKind::Unreadable,
        Ok(meta) if !meta.is_dir() => return FolderKind::NotAFolder,
        Ok(_) if path.read_dir().is_err() => return FolderKind::Unreadable,
        Ok(_) => {}
    }
    if let Err(error) = ordinary::check_around(path) {
        return FolderKind::NotOrdinary {
            reason: error.to_string(),
        };
    }
    let found = match containing(path) {
        Ok(found) => found,
        Err(error) if error.code() == git2::ErrorCode::NotFound => return FolderKind::PlainFolder,
        Err(error) => return refused(&error),
    };
    let primary = match primary(&found) {
        Ok(primary) => primary,
        Err(_) if found.workdir().is_some_and(|root| !exists(&root.join(".git"))) => {
            return FolderKind::Embedded;
        }
        Err(error) => return refused(&error),
    };
    let Some(root) = primary.workdir().map(clean) else {
        return match is_embedded(path) {
            true => FolderKind::Embedded,
            false => FolderKind::Bare,
        };
    };
    if !names(&root, &primary) {
        return FolderKind::Embedded;
    }
    match has_commits(&primary) {
        Ok(true) => FolderKind::Repository { root },
        Ok(false) => FolderKind::NoCommits { root },
        Err(_) => FolderKind::Unreadable,
    }
}

fn refused(error: &git2::Error) -> FolderKind {
    match error.code() {
        // It belongs to somebody else.
        git2::ErrorCode::Owner => FolderKind::Unreadable,
        _ => FolderKind::Refused {
            reason: error.message().to_owned(),
        },
    }
}

/// The repository that a folder is in. Not by `discover`, which forgets the checkout on its way to a
/// directory of notes that stands elsewhere.
fn containing(path: &Path) -> Result<git2::Repository, git2::Error> {
    let no_ceiling: [&Path; 0] = [];
    git2::Repository::open_ext(path, git2::RepositoryOpenFlags::empty(), no_ceiling)
}

/// Whether the `.git` at `root` is, or names, the directory of that repository.
fn names(root: &Path, repository: &git2::Repository) -> bool {
    let no_ceiling: [&Path; 0] = [];
    let dot_git = root.join(".git");
    let named = git2::Repository::open_ext(
        &dot_git,
        git2::RepositoryOpenFlags::NO_SEARCH | git2::RepositoryOpenFlags::NO_DOTGIT,
        no_ceiling,
    )
    .or_else(|_| git2::Repository::open_ext(root, git2::RepositoryOpenFlags::NO_SEARCH, no_ceiling));
    exists(&dot_git) && named.is_ok_and(|named| clean(named.path()) == clean(repository.path()))
}

/// Whether a folder lies in the checkout of a repository, whatever it holds itself.
fn is_embedded(path: &Path) -> bool {
    path.ancestors()
        .skip(1)
        .any(|folder| exists(&folder.join(".git")))
}

/// The repository as its primary checkout sees it.
pub(crate) fn primary(found: &git2::Repository) -> Result<git2::Repository, git2::Error> {
    if found.is_worktree() {
        return git2::Repository::open(found.commondir());
    }
    // By its checkout: the directory of its notes may stand elsewhere (`--separate-git-dir`, a link).
    git2::Repository::open(found.workdir().unwrap_or_else(|| found.path()))
}

/// A path without a trailing separator.
pub(crate) fn clean(path: &Path) -> PathBuf {
    path.components().collect()
}

/// An unborn HEAD does not mean that there is nothing: another branch may have commits.
fn has_commits(repository: &git2::Repository) -> Result<bool, git2::Error> {
    match repository.head() {
        Ok(_) => Ok(true),
        Err(error) if error.code() == git2::ErrorCode::UnbornBranch => {
            Ok(repository.branches(None)?.next().is_some())
        }
        Err(error) => Err(error),
    }
}

/// Makes a plain folder a repository with one empty commit; adds no file. A repository without
/// commits gets that commit; one with commits is left as it is.
pub fn initialize(path: &Path) -> Result<(), Error> {
    let root = match inspect(path) {
        FolderKind::Repository { .. } => return Ok(()),
        FolderKind::NoCommits { root } => root,
        FolderKind::PlainFolder => {
            Git::new(path, "init").arg("--quiet").run()?;
            path.to_owned()
        }
        kind => {
            let reason = format!("it is {kind:?}");
            return Err(Error::NotARepository {
                path: path.to_owned(),
                reason,
            });
        }
    };
    // Plumbing, because `git commit --allow-empty` would take along what is staged.
    let tree = Git::new(&root, "hash-object")
        .args(["-t", "tree", "-w", "--stdin"])
        .input(Vec::new())
        .line()?;
    let mut commit = Git::new(&root, "commit-tree").args([tree.as_str(), "-m", "First commit"]);
    let repository = ordinary::open(&root)?;
    if repository.signature().is_err() {
        commit = signed(commit);
    }
    let commit = commit.line()?;
    Git::new(&root, "update-ref")
        .args(["-m", "first commit", "HEAD", &commit, ""])
        .run()?;
    Ok(())
}

/// Gives a command that writes a commit an author of our own.
pub(crate) fn signed(git: Git) -> Git {
    git.env("GIT_AUTHOR_NAME", "Downbeat")
        .env("GIT_AUTHOR_EMAIL", "downbeat@localhost")
        .env("GIT_COMMITTER_NAME", "Downbeat")
        .env("GIT_COMMITTER_EMAIL", "downbeat@localhost")
}
