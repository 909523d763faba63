//! The classification of a folder before it becomes a project, and the initialization of a plain folder.

use crate::command::Git;
use crate::path::exists;
use crate::{Error, ordinary};
use std::path::{Path, PathBuf};

/// The kind of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FolderKind {
    /// A repository. `root` is its primary checkout, also for a subfolder or a linked worktree.
    Repository {
        /// The primary checkout.
        root: PathBuf,
    },
    /// A folder outside of any repository.
    PlainFolder,
    /// A repository without a commit.
    NoCommits {
        /// The primary checkout.
        root: PathBuf,
    },
    /// A bare repository.
    Bare,
    /// A git directory that is not the `.git` at the root of its checkout, such as one that was committed as
    /// files of another repository. Whoever wrote those files controls its configuration.
    Embedded,
    /// The path does not exist.
    Missing,
    /// The path is not a folder.
    NotAFolder,
    /// The repository has a file on which git would block.
    NotOrdinary {
        /// The name of the file, and a remedy.
        reason: String,
    },
    /// The folder or repository cannot be read, or git does not trust it.
    Unreadable,
    /// libgit2 refuses to open the repository: its format is unknown, or its configuration is invalid.
    Refused {
        /// The message of libgit2.
        reason: String,
    },
}

/// Determines the kind of a folder.
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
        // The repository belongs to another user.
        git2::ErrorCode::Owner => FolderKind::Unreadable,
        _ => FolderKind::Refused {
            reason: error.message().to_owned(),
        },
    }
}

/// Opens the repository that contains a folder. `discover` is not used, because it loses the checkout if the
/// git directory is elsewhere.
fn containing(path: &Path) -> Result<git2::Repository, git2::Error> {
    let no_ceiling: [&Path; 0] = [];
    git2::Repository::open_ext(path, git2::RepositoryOpenFlags::empty(), no_ceiling)
}

/// Whether the `.git` at `root` is, or names, the git directory of the given repository.
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

/// Whether a folder is in the checkout of another repository.
fn is_embedded(path: &Path) -> bool {
    path.ancestors()
        .skip(1)
        .any(|folder| exists(&folder.join(".git")))
}

/// Opens the repository through its primary checkout.
pub(crate) fn primary(found: &git2::Repository) -> Result<git2::Repository, git2::Error> {
    if found.is_worktree() {
        return git2::Repository::open(found.commondir());
    }
    // Opened by its checkout, because the git directory may be elsewhere (`--separate-git-dir`, a link).
    git2::Repository::open(found.workdir().unwrap_or_else(|| found.path()))
}

/// Returns a path without a trailing separator.
pub(crate) fn clean(path: &Path) -> PathBuf {
    path.components().collect()
}

/// Whether a repository has commits. With an unborn HEAD, another branch may have some.
fn has_commits(repository: &git2::Repository) -> Result<bool, git2::Error> {
    match repository.head() {
        Ok(_) => Ok(true),
        Err(error) if error.code() == git2::ErrorCode::UnbornBranch => {
            Ok(repository.branches(None)?.next().is_some())
        }
        Err(error) => Err(error),
    }
}

/// Turns a plain folder into a repository with one empty commit, without adding files. A repository without
/// commits gets that commit; one with commits is not changed.
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
    // Plumbing commands, because `git commit --allow-empty` would include staged changes.
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

/// Sets our own author and committer for a command that writes a commit.
pub(crate) fn signed(git: Git) -> Git {
    git.env("GIT_AUTHOR_NAME", "Downbeat")
        .env("GIT_AUTHOR_EMAIL", "downbeat@localhost")
        .env("GIT_COMMITTER_NAME", "Downbeat")
        .env("GIT_COMMITTER_EMAIL", "downbeat@localhost")
}
