//! The two states that are compared, and the git commands that compare them.

use crate::Error;
use crate::command::Git;
use crate::path::to_bytes;
use crate::shadow::Shadow;
use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

/// The tree without files, from which the first commit of a repository differs.
const EMPTY: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

/// The time limit of each command.
const LIMIT: Duration = Duration::from_secs(20);

/// What counts as one file, and as one line. Programs that the person configured for all repositories are disabled, too: only
/// lines are compared.
pub(crate) const RULES: [&str; 6] = [
    "--no-ext-diff",
    "--no-textconv",
    "--find-renames",
    "--find-copies",
    "-l1000",
    "--diff-algorithm=histogram",
];

/// Two states of a worktree.
#[derive(Debug, Clone, Copy)]
pub struct Compared<'a> {
    /// The repository.
    pub repo: &'a Path,
    /// The worktree, or a checkout of the repository if both states are commits.
    pub checkout: &'a Path,
    /// The full id of the earlier commit; `None` for no files at all.
    pub from: Option<&'a str>,
    /// The full id of the later commit; `None` for the files of the worktree, including new ones.
    pub to: Option<&'a str>,
    /// Whether lines that differ only in white space are equal.
    pub ignores_space: bool,
}

impl Compared<'_> {
    /// Opens the checkout for reading.
    pub(super) fn open(&self) -> Result<Shadow, Error> {
        Shadow::of(self.repo, self.checkout)
    }

    /// Creates the command that compares the states, with further options, limited to `paths` if there are any.
    pub(super) fn diff(&self, shadow: &Shadow, options: &[&str], paths: &[&Path]) -> Git {
        let space: &[&str] = if self.ignores_space {
            &["--ignore-all-space"]
        } else {
            &[]
        };
        shadow
            .git("diff")
            .within(LIMIT)
            .args(options)
            .args(space)
            .args(RULES)
            .args([
                "--no-color",
                "--no-relative",
                "--full-index",
                "--ignore-submodules=dirty",
                "--submodule=short",
                "--src-prefix=a/",
                "--dst-prefix=b/",
            ])
            .arg(self.from.unwrap_or(EMPTY))
            .args(self.to)
            .arg("--")
            .args(paths.iter().map(|path| literal(path)))
    }

    /// Creates the command that lists files which git does not know; nothing is new in a commit.
    pub(super) fn untracked(&self, shadow: &Shadow, paths: &[&Path]) -> Option<Git> {
        let list = || {
            shadow
                .git("ls-files")
                .within(LIMIT)
                .args(["--others", "--exclude-standard", "-z", "--"])
                .args(paths.iter().map(|path| literal(path)))
        };
        self.to.is_none().then(list)
    }
}

/// A path that git takes letter for letter.
fn literal(path: &Path) -> OsString {
    let mut words = OsString::from(":(top,literal)");
    words.push(crate::path::from_bytes(&to_bytes(path)));
    words
}
