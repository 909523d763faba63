//! What can go wrong with repositories and worktrees; every message names the thing and the way
//! out. Not here: what is wrong with a folder before it is a project (see [`crate::FolderKind`]).

use std::path::{Path, PathBuf};

/// An error of this crate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Git itself is not installed.
    #[error("git was not found; install it (https://git-scm.com/downloads) and make sure that it is on PATH")]
    NoGit,
    /// Git is too old.
    #[error(
        "git {found} is too old; Downbeat needs {needed} or newer: update git (https://git-scm.com/downloads)"
    )]
    OldGit {
        /// The version that was found.
        found: String,
        /// The oldest version that works.
        needed: &'static str,
    },
    /// No repository there.
    #[error("{} is not a usable git repository: {reason}; check the path, or run `git init` there", path.display())]
    NotARepository {
        /// The folder.
        path: PathBuf,
        /// What git said.
        reason: String,
    },
    /// The repository has no commit yet.
    #[error("{} has no commit yet; make one first: git commit --allow-empty -m \"first commit\"", path.display())]
    NoCommits {
        /// The repository's root.
        path: PathBuf,
    },
    /// A branch, tag or commit that does not exist.
    #[error("no branch, tag or commit is called {name:?}{}", near_names(near))]
    UnknownRef {
        /// What was asked for.
        name: String,
        /// Existing names that are close to it, best first.
        near: Vec<String>,
    },
    /// The place for a worktree holds something else.
    #[error("{} exists and is not ours ({what}); move it away or choose another location", path.display())]
    Occupied {
        /// The place.
        path: PathBuf,
        /// What is there.
        what: String,
    },
    /// The path is not a linked worktree of the repository.
    #[error("{} is not a linked worktree of {}; nothing was removed", path.display(), repo.display())]
    NotAWorktree {
        /// The path.
        path: PathBuf,
        /// The repository.
        repo: PathBuf,
    },
    /// Undoing would lose work.
    #[error("{} holds work ({what}); save it and remove the worktree instead of undoing it", path.display())]
    HasWork {
        /// The worktree.
        path: PathBuf,
        /// What it holds.
        what: String,
    },
    /// Work in submodules or nested repositories cannot be saved from outside.
    #[error("work inside {} would be lost; commit and push it there, or move it away, then try again", paths.join(", "))]
    NestedWork {
        /// The submodules or nested repositories, relative to the worktree.
        paths: Vec<String>,
    },
    /// A branch that must not be deleted.
    #[error("branch {branch:?} is kept: {reason}")]
    BranchKept {
        /// The branch.
        branch: String,
        /// Why.
        reason: String,
    },
    /// A path that leaves the repository.
    #[error("{path:?} is not a path inside the repository; use one relative to its root, without `..`")]
    OutsidePath {
        /// The path, as it was given.
        path: String,
    },
    /// A glob that cannot be read.
    #[error("bad pattern in {place}: {reason}")]
    BadPattern {
        /// Where it is written.
        place: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A post-checkout hook failed.
    #[error("the post-checkout hook of {} failed: {output}; repair the hook, then retry", path.display())]
    Hook {
        /// The worktree.
        path: PathBuf,
        /// What it printed.
        output: String,
    },
    /// A git command failed.
    #[error("git {command} failed in {}: {output}", path.display())]
    Git {
        /// Its subcommand.
        command: String,
        /// Where it ran.
        path: PathBuf,
        /// What it printed on standard error.
        output: String,
    },
    /// It was cut short on request.
    #[error("what was being done in {} was cut short", path.display())]
    Interrupted {
        /// Where.
        path: PathBuf,
    },
    /// The repository could not be read.
    #[error("cannot read the repository at {}: {source}", path.display())]
    Read {
        /// The repository.
        path: PathBuf,
        /// What libgit2 said.
        #[source]
        source: git2::Error,
    },
    /// The file system said no.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was tried, as a verb: `write`, `copy`.
        action: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
}

fn near_names(near: &[String]) -> String {
    match near {
        [] => "; list what there is with `git branch -a`".to_owned(),
        names => format!("; did you mean {}?", names.join(", ")),
    }
}

impl Error {
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { action, path, source }
    }

    pub(crate) fn read(path: &Path) -> impl FnOnce(git2::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Read { path, source }
    }
}
