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
    /// The `.git` of a worktree names another git directory than the one that was made for it.
    #[error("{}", redirected(path, common, *known))]
    Redirected {
        /// The worktree.
        path: PathBuf,
        /// The git directory of its repository.
        common: PathBuf,
        /// Whether the repository has notes of this worktree.
        known: bool,
    },
    /// A folder that the repository was to hold is a link.
    #[error("{} is a link or leads through one, so that worktrees would be made elsewhere; remove it, or choose another `worktrees: location`", path.display())]
    Linked {
        /// The folder.
        path: PathBuf,
    },
    /// Something in a git directory or a worktree leads elsewhere, where nothing is to be written.
    #[error("{} is a link, or is in the way of a folder, and Downbeat writes nothing through it; move it away, then try again", path.display())]
    Leads {
        /// The link.
        path: PathBuf,
    },
    /// Undoing would lose work.
    #[error("{} holds work ({what}); save it and remove the worktree instead of undoing it", path.display())]
    HasWork {
        /// The worktree.
        path: PathBuf,
        /// What it holds.
        what: String,
    },
    /// Submodules or nested repositories hold work, and are too large to be saved whole.
    #[error("work inside {} would be lost: these repositories are too large to save; commit and push there, or move them away, then try again", paths.join(", "))]
    NestedWork {
        /// The submodules or nested repositories, relative to the worktree.
        paths: Vec<String>,
    },
    /// One file that is larger than any backup.
    #[error("{} has {} GB and is too large to save; move it away or delete it, then try again", path.display(), bytes / 1_000_000_000)]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Its bytes.
        bytes: u64,
    },
    /// A folder whose content cannot be seen, and so not saved.
    #[error("the folder {} cannot be read, and what is in it would be lost; allow reading it (chmod u+rx), or move it away, then try again", path.display())]
    Unreadable {
        /// The folder.
        path: PathBuf,
    },
    /// A folder that belongs to another user and is not empty.
    #[error("{} belongs to another user (number {owner}) and cannot be deleted; nothing was changed: delete it with `sudo rm -rf {}`, then try again", path.display(), quoted(path))]
    Foreign {
        /// The folder.
        path: PathBuf,
        /// Whose it is.
        owner: u32,
    },
    /// Something is mounted there.
    #[error("something is mounted on {}, and deleting the folder would delete what is mounted there; unmount it with `umount {}`, then try again", path.display(), quoted(path))]
    Mounted {
        /// The mount point.
        path: PathBuf,
    },
    /// A worktree was removed, but not every file of it could be deleted.
    #[error("the worktree is removed, but what is left of it in {} cannot be deleted ({reason}); delete that with `sudo rm -rf {}`", path.display(), quoted(path))]
    Left {
        /// Where the rest is.
        path: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// Something was written into a worktree after it was saved.
    #[error("something still writes into {}: {} was written while it was removed; end what writes there, then try again; nothing is lost", place.display(), path.display())]
    Written {
        /// The worktree, which is where it was.
        place: PathBuf,
        /// What was written, relative to it.
        path: PathBuf,
    },
    /// A worktree was removed, but something wrote into it until its files were to be deleted.
    #[error("the worktree is removed, but something wrote into it to the last ({}), so its files are kept in {}; end what writes there, take what you need, then delete that with `rm -rf {}`", path.display(), at.display(), quoted(at))]
    LeftWritten {
        /// Where its files are.
        at: PathBuf,
        /// What was written, relative to that.
        path: PathBuf,
    },
    /// A repository that was taken for another one.
    #[error("{} is not the repository that was sought: {reason}", path.display())]
    AnotherRepository {
        /// Its root.
        path: PathBuf,
        /// What it lacks.
        reason: String,
    },
    /// The folder of a repository is gone.
    #[error("the repository {} is not there any more; bring it back, or, where it was moved, say where to: downbeat project edit NAME --path NEW", path.display())]
    Vanished {
        /// Where it was.
        path: PathBuf,
    },
    /// A branch that must not be deleted.
    #[error("branch {branch:?} is kept: {reason}")]
    BranchKept {
        /// The branch.
        branch: String,
        /// Why.
        reason: String,
    },
    /// A file that git would read, and wait for or never come to the end of.
    #[error("git cannot read {} ({reason}); remove it or move it away, then try again", path.display())]
    NotOrdinary {
        /// The file.
        path: PathBuf,
        /// What it is.
        reason: String,
    },
    /// A git that only reads took too long.
    #[error("git {command} did not come to an end in {} within {seconds} seconds and was ended; see whether its disk answers and what `git {command}` says there, then try again", path.display())]
    TooSlow {
        /// Its subcommand.
        command: String,
        /// Where it ran.
        path: PathBuf,
        /// How long it had.
        seconds: u64,
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
        /// Whether a signal ended it.
        is_ended: bool,
    },
    /// A git command failed, through no fault of the worktree that it was to look at.
    #[error("git {command} failed in {}: {output}; the worktree itself can be read, and nothing in it was changed: try again, once what stopped git is over", path.display())]
    Failed {
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

fn redirected(path: &Path, common: &Path, known: bool) -> String {
    let (path, common) = (path.display(), common.display());
    let way = match known {
        true => format!("see who changed it, then put it back with `git --git-dir={common} worktree repair`"),
        false => format!(
            "the repository does not know this worktree any more (see `git --git-dir={common} worktree list`)"
        ),
    };
    format!(
        "{path}/.git does not name the directory that {common} keeps for this worktree, so nothing was run there; {way}"
    )
}

fn near_names(near: &[String]) -> String {
    match near {
        [] => "; list what there is with `git branch -a`".to_owned(),
        names => format!("; did you mean {}?", names.join(", ")),
    }
}

/// A path as one word for a shell that a person types into.
pub(crate) fn quoted(path: &std::path::Path) -> String {
    let text = path.display().to_string();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+@:,".contains(c);
    match text.chars().all(is_plain) {
        true => text,
        false => format!("'{}'", text.replace('\'', "'\\''")),
    }
}

/// What systems say where there is no room; git repeats it in the words of its `C` locale.
const FULL: &[&str] = &[
    "No space left on device",
    "Disk quota exceeded",
    "not enough space on the disk",
];

/// The place that a text is about which says that there is no room; `at` where it names none in full.
fn full_place(text: &str, at: &Path) -> Option<PathBuf> {
    let line = text
        .lines()
        .find(|line| FULL.iter().any(|full| line.contains(full)))?;
    let named = line.split('\'').skip(1).step_by(2).map(Path::new);
    let named = named.filter(|path| path.is_absolute()).last();
    Some(named.unwrap_or(at).to_owned())
}

impl Error {
    /// Where there was no room, if that is why it failed.
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

    /// Whether git cannot read a worktree, so that nothing of it can be saved: neither a full disk nor one
    /// file that is in the way, which is named.
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
    fn a_full_disk_is_told_by_where_there_was_no_room() {
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
