//! Repositories for tests, and the clean environment that every test runs in.

use downbeat_git::{Programs, WorktreeMade, WorktreeSpec, checkout, register};
use downbeat_model::SessionId;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The variable that marks a process with the clean environment.
const CLEAN: &str = "DOWNBEAT_TEST_CLEAN";

/// Defines tests that run in a process of their own, with a clean environment and a home directory of their
/// own, so that no configuration of the person or the machine is read.
#[macro_export]
macro_rules! hermetic {
    ($($(#[$meta:meta])* fn $name:ident() $body:block)*) => {$(
        $(#[$meta])*
        #[test]
        fn $name() {
            let full = concat!(module_path!(), "::", stringify!($name));
            if $crate::fixture::enter(full, &[]).is_none() {
                $body
            }
        }
    )*};
}

/// Returns `None` in the clean process. Otherwise runs the test there, fails if
/// it fails, and prints its output.
pub fn enter(full: &str, more: &[(&str, &str)]) -> Option<()> {
    if std::env::var_os(CLEAN).is_some() {
        return None;
    }
    let output = rerun(full, more);
    let text = format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
    print!("{text}");
    Some(())
}

/// Runs one test of this binary in the clean environment, with additional variables.
pub fn rerun(full: &str, more: &[(&str, &str)]) -> Output {
    let name = full.split_once("::").unwrap().1;
    let home = tempfile::tempdir().unwrap();
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args([name, "--exact", "--nocapture", "--include-ignored"])
        .env_clear();
    command
        .env("PATH", std::env::var_os("PATH").unwrap())
        .env("HOME", home.path())
        .env(CLEAN, "1");
    command
        .env("XDG_CONFIG_HOME", home.path())
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("TMPDIR", std::env::temp_dir());
    command.envs(more.iter().copied());
    let config = "[user]\nname = Tester\nemail = t@example.com\n[init]\ndefaultBranch = main\n[protocol \"file\"]\nallow = user\n";
    std::fs::write(home.path().join(".gitconfig"), config).unwrap();
    command.output().unwrap()
}

/// A sandbox with a repository `repo` that has one commit with `README.md` and `src/lib.rs`.
pub struct Fixture {
    _dir: tempfile::TempDir,
    pub repo: PathBuf,
}

impl Fixture {
    /// Creates the repository with one commit on `main`; `.env*` and `node_modules/` are ignored.
    pub fn small() -> Self {
        Self::named("repo")
    }

    pub fn named(name: impl AsRef<Path>) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let repo = root.join(name);
        std::fs::create_dir_all(&repo).unwrap();
        git(&repo, &["init", "-q", "-b", "main"]);
        write(&repo, "README.md", "hello\n");
        write(&repo, "src/lib.rs", "fn main() {}\n");
        write(
            &repo,
            ".gitignore",
            ".env*\n!.env.example\nnode_modules/\ncache/\n",
        );
        git(&repo, &["add", "-A"]);
        git(&repo, &["commit", "-qm", "first"]);
        Self { _dir: dir, repo }
    }

    /// Returns a location for a worktree.
    pub fn place(&self, name: &str) -> PathBuf {
        self.repo.parent().unwrap().join("trees").join(name)
    }

    pub fn head(&self) -> String {
        out(&self.repo, &["rev-parse", "HEAD"])
    }

    /// Registers and fills a worktree.
    pub fn worktree(&self, name: &str) -> WorktreeMade {
        let made = self.register(name).unwrap();
        checkout(&made.path, Programs::Run).unwrap();
        made
    }

    pub fn register(&self, name: &str) -> Result<WorktreeMade, downbeat_git::Error> {
        let (place, base) = (self.place(name), self.head());
        let branch = format!("feature/{name}");
        register(&WorktreeSpec {
            repo: &self.repo,
            path: &place,
            branch: &branch,
            base_commit: &base,
            reason: "test",
            programs: Programs::Run,
        })
    }

    /// Describes everything that git knows about worktrees and branches, and the files next to the worktrees.
    pub fn census(&self) -> String {
        let trees = self.repo.parent().unwrap().join("trees");
        let mut beside: Vec<_> = trees
            .read_dir()
            .into_iter()
            .flatten()
            .flatten()
            .map(|e| e.file_name())
            .collect();
        beside.sort();
        let ours = self
            .repo
            .join(".git/downbeat")
            .read_dir()
            .into_iter()
            .flatten()
            .flatten();
        let mut records: Vec<_> = ours
            .map(|e| e.file_name())
            .filter(|name| name != "lock")
            .collect();
        records.sort();
        let worktrees = out(&self.repo, &["worktree", "list", "--porcelain"]);
        let branches = out(
            &self.repo,
            &["for-each-ref", "--format=%(refname) %(objectname)", "refs/heads"],
        );
        format!("{worktrees}\n{branches}\n{beside:?}\n{records:?}")
    }
}

/// Returns the session for which backups are made.
pub fn session() -> SessionId {
    SessionId::parse("s0123456789ab").unwrap()
}

pub fn write(dir: &Path, name: impl AsRef<Path>, text: &str) {
    let path = dir.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

pub fn read(dir: &Path, name: &str) -> String {
    std::fs::read_to_string(dir.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

pub fn git(dir: &Path, args: &[&str]) {
    let _ = out(dir, args);
}

pub fn out(dir: &Path, args: &[&str]) -> String {
    let output = Command::new("git").current_dir(dir).args(args).output().unwrap();
    assert!(
        output.status.success(),
        "git {args:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
}

pub fn status(dir: &Path) -> String {
    out(dir, &["status", "--porcelain", "--untracked-files=all"])
}

/// A step that runs in a process which is killed, or fails, at a named point.
pub struct CrashPlan<'a> {
    pub test: &'a str,
    pub step: &'a str,
    pub repo: &'a Path,
    pub variable: &'a str,
    pub point: &'a str,
}

impl CrashPlan<'_> {
    pub fn output(&self) -> Output {
        self.output_and(&[])
    }

    /// Runs the step with additional variables.
    pub fn output_and(&self, more: &[(&str, &str)]) -> Output {
        let own = [
            ("PLAY", self.step),
            ("PLAY_REPO", self.repo.to_str().unwrap()),
            (self.variable, self.point),
        ];
        rerun(self.test, &[&own[..], more].concat())
    }

    /// Returns the output of the step with an additional variable.
    pub fn output_with(&self, name: &str, value: &str) -> String {
        let output = self.output_and(&[(name, value)]);
        let text = [output.stdout, output.stderr].concat();
        String::from_utf8_lossy(&text).into_owned()
    }

    /// Runs the step, and returns whether it was killed.
    pub fn run(&self) -> bool {
        is_killed(self.output().status)
    }
}

#[cfg(unix)]
fn is_killed(status: std::process::ExitStatus) -> bool {
    std::os::unix::process::ExitStatusExt::signal(&status) == Some(9)
}

#[cfg(not(unix))]
fn is_killed(status: std::process::ExitStatus) -> bool {
    !status.success()
}
