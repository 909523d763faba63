//! The errors of this crate. Every message names the affected thing and a remedy. Problems with a folder that
//! is not a project yet are in [`crate::FolderKind`].

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
    /// The folder is not a usable git repository.
    #[error("{} is not a usable git repository: {reason}; check the path, or run `git init` there", path.display())]
    NotARepository {
        /// The folder.
        path: PathBuf,
        /// The message of git.
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
        /// The requested name.
        name: String,
        /// Existing names that are close to it, best first.
        near: Vec<String>,
    },
    /// The location for a worktree is occupied.
    #[error("{} exists and was not created by Downbeat ({what}); move it away or choose another location", path.display())]
    Occupied {
        /// The location.
        path: PathBuf,
        /// A description of its content.
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
    /// Somebody else locked the worktree with `git worktree lock`.
    #[error(
        "the worktree {} is locked{reason}; `git -C {} worktree unlock {}` unlocks it",
        path.display(),
        quoted(root),
        quoted(path)
    )]
    Locked {
        /// The repository.
        root: PathBuf,
        /// The worktree.
        path: PathBuf,
        /// The reason that was given, in parentheses after a space; empty if none was.
        reason: String,
    },
    /// The `.git` file of a worktree names a git directory other than the one that was created for it.
    #[error("{}", redirected(path, common, *known))]
    Redirected {
        /// The worktree.
        path: PathBuf,
        /// The git directory of its repository.
        common: PathBuf,
        /// Whether the repository still has administrative files of this worktree.
        known: bool,
    },
    /// A folder for worktrees inside the repository is a link.
    #[error("{} is a link or leads through one, so that worktrees would be made elsewhere; remove it, or choose another `worktrees: location`", path.display())]
    Linked {
        /// The folder.
        path: PathBuf,
    },
    /// A git directory or a worktree has a link, or a file in place of a folder. Nothing is written there.
    #[error("{} is a link or not a folder, and Downbeat does not write through it; move it away, then try again", path.display())]
    Leads {
        /// The link.
        path: PathBuf,
    },
    /// Undoing the creation of a worktree would lose work.
    #[error("{} contains work ({what}); save it and remove the worktree instead of undoing it", path.display())]
    HasWork {
        /// The worktree.
        path: PathBuf,
        /// A description of the work.
        what: String,
    },
    /// Submodules or nested repositories hold work, and are too large to be saved.
    #[error("work inside {} would be lost: these repositories are too large to save; commit and push there, or move them away, then try again", paths.join(", "))]
    NestedWork {
        /// The submodules or nested repositories, relative to the worktree.
        paths: Vec<String>,
    },
    /// A file is larger than any backup may be.
    #[error("{} has {} GB and is too large to save; move it away or delete it, then try again", path.display(), bytes / 1_000_000_000)]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The size of the file in bytes.
        bytes: u64,
    },
    /// A folder cannot be read, so its content cannot be saved.
    #[error("the folder {} cannot be read, and what is in it would be lost; allow reading it (chmod u+rx), or move it away, then try again", path.display())]
    Unreadable {
        /// The folder.
        path: PathBuf,
    },
    /// A folder belongs to another user and is not empty.
    #[error("{} belongs to another user (number {owner}) and cannot be deleted; nothing was changed: delete it with `sudo rm -rf {}`, then try again", path.display(), quoted(path))]
    Foreign {
        /// The folder.
        path: PathBuf,
        /// The user id of its owner.
        owner: u32,
    },
    /// A file system is mounted in the worktree.
    #[error("something is mounted on {}, and deleting the folder would delete what is mounted there; unmount it with `umount {}`, then try again", path.display(), quoted(path))]
    Mounted {
        /// The mount point.
        path: PathBuf,
    },
    /// A worktree was removed, but some of its files could not be deleted.
    #[error("the worktree is removed, but what is left of it in {} cannot be deleted ({reason}); delete that with `sudo rm -rf {}`", path.display(), quoted(path))]
    Left {
        /// The folder with the remaining files.
        path: PathBuf,
        /// The message of the system.
        reason: String,
    },
    /// A process wrote into a worktree after it was saved.
    #[error("a program still writes into {}: {} was written during the removal; end that program, then try again; nothing is lost", place.display(), path.display())]
    Written {
        /// The worktree, which is still in its place.
        place: PathBuf,
        /// The written file, relative to the worktree.
        path: PathBuf,
    },
    /// A worktree was removed, but a process wrote into it until its files were to be deleted.
    #[error("the worktree is removed, but a program was writing into it until the end ({}), so its files are kept in {}; end that program, take what you need, then delete that with `rm -rf {}`", path.display(), at.display(), quoted(at))]
    LeftWritten {
        /// The folder in which its files are kept.
        at: PathBuf,
        /// The written file, relative to that folder.
        path: PathBuf,
    },
    /// The repository is not the one that was looked for.
    #[error("{} is not the expected repository: {reason}", path.display())]
    AnotherRepository {
        /// The root of the repository.
        path: PathBuf,
        /// The reason, such as a commit that it lacks.
        reason: String,
    },
    /// The folder of a repository is gone.
    #[error("the repository {} is missing; put it back, or, if it was moved, say where: downbeat project edit NAME --path NEW", path.display())]
    Vanished {
        /// The last known location of the repository.
        path: PathBuf,
    },
    /// The branch must not be deleted.
    #[error("branch {branch:?} is kept: {reason}")]
    BranchKept {
        /// The branch.
        branch: String,
        /// Why.
        reason: String,
    },
    /// Git would read this file, and block on it or never reach its end.
    #[error("git cannot read {} ({reason}); remove it or move it away, then try again", path.display())]
    NotOrdinary {
        /// The file.
        path: PathBuf,
        /// A description of the file.
        reason: String,
    },
    /// A git command that only reads exceeded its time limit.
    #[error("git {command} in {} did not finish within {seconds} seconds and was ended; check the disk and the output of `git {command}` there, then try again", path.display())]
    TooSlow {
        /// The git subcommand.
        command: String,
        /// The directory in which it ran.
        path: PathBuf,
        /// The time limit, in seconds.
        seconds: u64,
    },
    /// The path leaves the repository.
    #[error("{path:?} is not a path inside the repository; use one relative to its root, without `..`")]
    OutsidePath {
        /// The path, as it was given.
        path: String,
    },
    /// A file is not as it was when it was shown.
    #[error("{path} was changed meanwhile; read the changes again")]
    ChangedMeanwhile {
        /// The path relative to the worktree.
        path: String,
    },
    /// A change that cannot be discarded.
    #[error("the change of {path} cannot be discarded: {reason}")]
    NotDiscarded {
        /// The path relative to the worktree.
        path: String,
        /// Why.
        reason: &'static str,
    },
    /// A glob pattern is invalid.
    #[error("bad pattern in {place}: {reason}")]
    BadPattern {
        /// The file or setting that contains the pattern.
        place: String,
        /// The reason that it is invalid.
        reason: String,
    },
    /// A post-checkout hook failed.
    #[error("the post-checkout hook of {} failed: {output}; repair the hook, then retry", path.display())]
    Hook {
        /// The worktree.
        path: PathBuf,
        /// The output of the hook.
        output: String,
    },
    /// A git command failed.
    #[error("git {command} failed in {}: {output}", path.display())]
    Git {
        /// The git subcommand.
        command: String,
        /// The directory in which it ran.
        path: PathBuf,
        /// The standard error of git.
        output: String,
        /// Whether a signal killed it.
        is_ended: bool,
    },
    /// A git command failed for a reason outside of the worktree that it inspected.
    #[error("git {command} failed in {}: {output}; the worktree itself can be read, and nothing in it was changed: try again once the cause is fixed", path.display())]
    Failed {
        /// The git subcommand.
        command: String,
        /// The directory in which it ran.
        path: PathBuf,
        /// The standard error of git.
        output: String,
    },
    /// No identity is configured for new commits.
    #[error("no name or no e-mail address is configured for commits in {}; set them: git config --global user.name \"Your Name\", git config --global user.email you@example.com", path.display())]
    NoIdentity {
        /// The repository.
        path: PathBuf,
    },
    /// Two commits without a common ancestor cannot be combined.
    #[error(
        "the commits {target} and {head} have no history in common, so they cannot be merged; start the branch from the target, or fetch the missing history (`git fetch --unshallow`)"
    )]
    Unrelated {
        /// The target's commit.
        target: String,
        /// The commit that was to be merged.
        head: String,
    },
    /// A rebase would lose what was resolved in a merge.
    #[error(
        "the branch contains the merge {commit}, and a rebase would lose what was resolved there; use the strategy `merge` or `squash`"
    )]
    MergeInRebase {
        /// The merge.
        commit: String,
    },
    /// A rebase has too many commits.
    #[error("the branch has more than {most} commits to rebase; use the strategy `merge` or `squash`")]
    TooManyCommits {
        /// The limit.
        most: usize,
    },
    /// The id of a merge candidate is not fit for the name of a reference.
    #[error("{id:?} is not an id of a merge candidate; use at most 64 letters, digits, `-` and `_`")]
    BadId {
        /// The id.
        id: String,
    },
    /// A branch is only another name for a branch.
    #[error(
        "{name} is another name for a branch (a symbolic reference), and nothing can land on it; use the name that `git symbolic-ref {name}` shows"
    )]
    Alias {
        /// The full name of the branch.
        name: String,
    },
    /// The operation was cancelled on request.
    #[error("the operation in {} was interrupted", path.display())]
    Interrupted {
        /// The directory of the operation.
        path: PathBuf,
    },
    /// The repository could not be read.
    #[error("cannot read the repository at {}: {source}", path.display())]
    Read {
        /// The repository.
        path: PathBuf,
        /// The message of libgit2.
        #[source]
        source: git2::Error,
    },
    /// A file system operation failed.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// The attempted action, as a verb: `write`, `copy`.
        action: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// The error of the system.
        #[source]
        source: std::io::Error,
    },
}

impl Error {
    /// Describes a worktree that somebody locked for `reason`, the first line of a text from outside; empty if none was given.
    pub(crate) fn locked(root: &Path, place: &Path, reason: &str) -> Self {
        let shown: String = reason.chars().filter(|c| !c.is_control()).take(200).collect();
        Self::Locked {
            root: root.to_owned(),
            path: place.to_owned(),
            reason: if shown.is_empty() {
                shown
            } else {
                format!(" ({shown})")
            },
        }
    }
}

fn redirected(path: &Path, common: &Path, known: bool) -> String {
    let (path, common) = (path.display(), common.display());
    let way = match known {
        true => {
            format!("find out what changed it, then repair it with `git --git-dir={common} worktree repair`")
        }
        false => format!(
            "the repository no longer lists this worktree (see `git --git-dir={common} worktree list`)"
        ),
    };
    format!(
        "{path}/.git does not point to the directory that {common} keeps for this worktree, so nothing was run there; {way}"
    )
}

fn near_names(near: &[String]) -> String {
    match near {
        [] => "; list all branches with `git branch -a`".to_owned(),
        names => format!("; did you mean {}?", names.join(", ")),
    }
}

/// Quotes a path as one word for a shell that a person types into.
pub(crate) fn quoted(path: &std::path::Path) -> String {
    let text = path.display().to_string();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+@:,".contains(c);
    match text.chars().all(is_plain) {
        true => text,
        false => format!("'{}'", text.replace('\'', "'\\''")),
    }
}

/// Messages for a full disk, by system; git repeats them in the words of its `C` locale.
const FULL: &[&str] = &[
    "No space left on device",
    "Disk quota exceeded",
    "not enough space on the disk",
];

/// Returns the path that a full-disk message names, or `at` if it names no absolute path.
fn full_place(text: &str, at: &Path) -> Option<PathBuf> {
    let line = text
        .lines()
        .find(|line| FULL.iter().any(|full| line.contains(full)))?;
    let named = line.split('\'').skip(1).step_by(2).map(Path::new);
    let named = named.filter(|path| path.is_absolute()).last();
    Some(named.unwrap_or(at).to_owned())
}

impl Error {
    /// Returns the path that had no room left, if a full disk is the reason of the failure.
    #[must_use]
    pub fn full(&self) -> Option<PathBuf> {
        use std::io::ErrorKind::{QuotaExceeded, StorageFull};
        match self {
            Self::Io { path, source, .. } if matches!(source.kind(), StorageFull | QuotaExceeded) => {
                Some(path.clone())
            }
            Self::Git { path, output, .. } | Self::Hook { path, output } => full_place(output, path),
            Self::Read { path, source } => full_place(source.message(), path),
            _ => None,
        }
    }

    /// Whether git cannot read a worktree, so that nothing of it can be saved. False for a full disk, and for
    /// a single file in the way, which its own error names.
    #[must_use]
    pub fn is_unreadable(&self) -> bool {
        let unreadable = matches!(
            self,
            Self::Redirected { .. }
                | Self::NotAWorktree { .. }
                | Self::NotARepository { .. }
                | Self::Git { .. }
                | Self::Read { .. }
        );
        unreadable && self.full().is_none()
    }

    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { action, path, source }
    }

    pub(crate) fn read(path: &Path) -> impl FnOnce(git2::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Read { path, source }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn full_returns_the_path_that_had_no_room() {
        let git = |output: &str| Error::Git {
            command: "worktree".to_owned(),
            path: "/repo".into(),
            output: output.to_owned(),
            is_ended: false,
        };
        let absolute = if cfg!(windows) {
            r"C:\trees\one"
        } else {
            "/trees/one"
        };
        let named = format!(
            "Preparing worktree\nfatal: could not create leading directories of '{absolute}': No space left on device"
        );
        assert_eq!(git(&named).full(), Some(absolute.into()));
        let unnamed = "error: unable to create file src/lib.rs: No space left on device";
        assert_eq!(git(unnamed).full(), Some("/repo".into()));
        assert_eq!(git("fatal: 'x' is not a commit").full(), None);
        let source = git2::Error::from_str("failed to write: Disk quota exceeded");
        assert_eq!(Error::read(Path::new("/r"))(source).full(), Some("/r".into()));
    }
}
