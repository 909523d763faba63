//! Runs the `git` command: with an argument vector and a clean environment, without a prompt or a shell.

use crate::Error;
use crate::interrupt::{self, Interrupt};
use crate::limit;
use crate::path::from_bytes;
use crate::search;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

/// The variables with which a person configures git. All other `GIT_…` variables are removed: they would name
/// another repository, a program, or a trace file.
const KEPT: &[&str] = &[
    "GIT_ASKPASS",
    "GIT_CEILING_DIRECTORIES",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_CONFIG_SYSTEM",
    "GIT_DISCOVERY_ACROSS_FILESYSTEM",
    "GIT_EXEC_PATH",
    "GIT_SSH",
    "GIT_SSH_COMMAND",
    "GIT_TEMPLATE_DIR",
];

/// The prefixes of further variables with which a person configures git.
const KEPT_KINDS: &[&str] = &["GIT_AUTHOR_", "GIT_COMMITTER_", "GIT_LFS_", "GIT_SSL_"];

/// Settings that keep a command from running programs that a repository names.
const QUIET: &[&str] = &[
    "core.fsmonitor=false",
    "log.showSignature=false",
    // A git directory that was committed as files of another repository is not treated as a repository.
    "safe.bareRepository=explicit",
];

/// Hooks that git runs while a worktree is created, saved or removed.
pub(crate) const HOOKS: &[&str] = &["post-checkout", "post-index-change", "reference-transaction"];

/// The hook that git runs before a push.
const PUSH_HOOK: &str = "pre-push";

/// Commands that run no hooks.
const HOOKLESS: &[&str] = &[
    "cat-file",
    "commit-tree",
    "config",
    "hash-object",
    "ls-files",
    "pack-objects",
    "rev-parse",
    "version",
];

/// The maximum length of git's output in an error.
const SAID_LIMIT: usize = 2_000;

/// Whether the programs that a repository names (hooks, filters, and those that a fetch of missing objects
/// starts) run while a worktree is created. They never run while a worktree is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Programs {
    /// The programs run, because the person trusts the project.
    Run,
    /// None of the programs runs.
    Skip,
}

/// The time limit of a command that only reads, or that renames something.
const LONGEST: Duration = Duration::from_secs(600);

/// The time limit of a command that creates something: a hook may install, a
/// filter may load very large files.
const MAKING: Duration = Duration::from_secs(3600);

/// A git command that is being built. The repository's hooks and its file system monitor do not run, and
/// nothing is fetched, unless [`Git::with`] or [`Git::reaching_remotes`] allows it. Its filters do run: use [`crate::shadow`] to read or
/// write the content of files without them.
#[must_use]
pub(crate) struct Git {
    dir: PathBuf,
    name: &'static str,
    config: Vec<OsString>,
    programs: Programs,
    command: Command,
    arguments: Vec<OsString>,
    input: Option<Vec<u8>>,
    interrupt: Option<Interrupt>,
    limit: Option<Duration>,
    /// Whether the command creates something under a lock, and gets the longer time limit.
    holds_lock: bool,
    /// Whether standard output is already redirected.
    keeps_output: bool,
    /// Whether the command may reach other repositories although no program of this one runs.
    reaches_remotes: bool,
    /// Whether the configuration of the git directory is our own.
    is_stand_in: bool,
    /// Whether git was not found.
    is_missing: bool,
}

impl Git {
    /// Creates the command `git <name>` in `dir`.
    pub(crate) fn new(dir: &Path, name: &'static str) -> Self {
        Self::configured(dir, name, &[])
    }

    /// Creates the command `git -c <config>… <name>` in `dir`.
    pub(crate) fn configured(dir: &Path, name: &'static str, config: &[OsString]) -> Self {
        let program = search::git();
        let mut command = Command::new(program.as_deref().unwrap_or(Path::new("git")));
        command.current_dir(dir).stdin(Stdio::null());
        for (variable, _) in std::env::vars_os() {
            if variable.to_str().is_none_or(is_foreign) {
                command.env_remove(variable);
            }
        }
        command
            .env("PATH", search::path())
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("LC_ALL", "C")
            // Commits are checked by their ids, so replacements must not apply; libgit2 ignores them, too.
            .env("GIT_NO_REPLACE_OBJECTS", "1");
        Self {
            dir: dir.to_owned(),
            name,
            config: config.to_vec(),
            programs: Programs::Skip,
            command,
            arguments: Vec::new(),
            input: None,
            interrupt: None,
            limit: None,
            holds_lock: false,
            keeps_output: false,
            reaches_remotes: false,
            is_stand_in: false,
            is_missing: program.is_none(),
        }
    }

    /// Marks the git directory as one of our own, whose configuration names no program.
    pub(crate) fn standing_in(mut self) -> Self {
        self.is_stand_in = true;
        self
    }

    /// Sets whether the repository's programs run.
    pub(crate) fn with(mut self, programs: Programs) -> Self {
        self.programs = programs;
        self
    }

    /// Lets the command reach remotes, over the protocols and with the credentials that the person configured. The
    /// repository's hooks still do not run.
    pub(crate) fn reaching_remotes(mut self) -> Self {
        self.reaches_remotes = true;
        self
    }

    /// Adds one argument.
    pub(crate) fn arg(mut self, arg: impl AsRef<OsStr>) -> Self {
        self.arguments.push(arg.as_ref().to_owned());
        self
    }

    /// Adds arguments.
    pub(crate) fn args<A: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = A>) -> Self {
        let args = args.into_iter().map(|arg| arg.as_ref().to_owned());
        self.arguments.extend(args);
        self
    }

    /// Adds the command line, and the settings that keep the repository's programs from running.
    fn complete(&mut self) {
        // Commands that run hooks pass their settings on to the processes they start.
        self.command.arg("-c").arg(QUIET[0]);
        if self.programs == Programs::Skip {
            let mut hooks = OsString::from("core.hooksPath=");
            hooks.push(no_hooks());
            // These run git in git directories without an explicit `GIT_DIR`.
            let copies = matches!(self.name, "submodule" | "clone");
            let quiet = QUIET[1..]
                .iter()
                .filter(|setting| !copies || !setting.starts_with("safe.bareRepository"));
            for setting in quiet.map(OsString::from).chain([hooks]) {
                self.command.arg("-c").arg(setting);
            }
            self.command.env("GIT_NO_LAZY_FETCH", "1");
            if !self.reaches_remotes {
                let protocols = if copies { "file" } else { "none" };
                self.command.env("GIT_ALLOW_PROTOCOL", protocols);
            }
        }
        for setting in &self.config {
            self.command.arg("-c").arg(setting);
        }
        self.command.arg(self.name).args(&self.arguments);
    }

    /// Disables the hooks that the configuration names (git 2.54 and later), to which `core.hooksPath` does
    /// not apply. It disables each hook by its name and, for later versions of git, each event. A repository
    /// can enable an event again, so the events alone are not enough.
    fn without_hooks(&mut self) -> Result<(), Error> {
        if self.programs == Programs::Run || HOOKLESS.contains(&self.name) {
            return Ok(());
        }
        let events = HOOKS.iter().copied().chain([PUSH_HOOK]);
        let mut off: Vec<OsString> = events.map(OsString::from).collect();
        if !self.is_stand_in {
            off.extend(configured_hooks(&self.dir)?);
        }
        for (number, hook) in off.iter().enumerate() {
            let mut key = OsString::from("hook.");
            key.push(hook);
            key.push(".enabled");
            // `-c` would cut a name at its first `=`.
            self.command
                .env(format!("GIT_CONFIG_KEY_{number}"), key)
                .env(format!("GIT_CONFIG_VALUE_{number}"), "false");
        }
        self.command.env("GIT_CONFIG_COUNT", off.len().to_string());
        Ok(())
    }

    /// Sets a variable.
    pub(crate) fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// Feeds bytes to standard input.
    pub(crate) fn input(mut self, bytes: Vec<u8>) -> Self {
        self.command.stdin(Stdio::piped());
        self.input = Some(bytes);
        self
    }

    /// Passes a lock file to git as its standard input (it is empty), so that the lock outlives this process:
    /// if this process is killed, the next one waits until git has finished. A command that holds a lock
    /// creates something, so it can be cancelled.
    pub(crate) fn holding(mut self, lock: &File) -> Result<Self, Error> {
        self.interrupt = interrupt::current();
        self.holds_lock = true;
        let copy = lock.try_clone().map_err(Error::io("lock", &self.dir))?;
        self.command.stdin(Stdio::from(copy));
        Ok(self)
    }

    /// Sets a time limit other than ten minutes. It does not apply to a command that holds a lock.
    pub(crate) fn within(mut self, limit: Duration) -> Self {
        self.limit = Some(limit);
        self
    }

    /// Runs the command and returns its output, whatever the exit code.
    pub(crate) fn output(mut self) -> Result<Output, Error> {
        if self.is_missing {
            return Err(Error::NoGit);
        }
        self.without_hooks()?;
        self.complete();
        self.command.stderr(Stdio::piped());
        if !self.keeps_output {
            self.command.stdout(Stdio::piped());
        }
        let not_started = |source: std::io::Error| {
            if source.kind() == std::io::ErrorKind::NotFound && self.dir.is_dir() {
                Error::NoGit
            } else {
                Error::io("run git in", &self.dir)(source)
            }
        };
        let interrupt = self.interrupt.take().filter(|_| self.input.is_none());
        let limit = match self.holds_lock {
            true => MAKING,
            false => self.limit.unwrap_or(LONGEST),
        };
        let of = (self.name, &*self.dir);
        limit::run(&mut self.command, self.input.take(), of, limit, interrupt)?.map_err(not_started)
    }

    /// Runs the command and returns its standard output. A failing exit code is an error.
    pub(crate) fn run(self) -> Result<Vec<u8>, Error> {
        let (name, dir) = (self.name, self.dir.clone());
        let output = self.output()?;
        if output.status.success() {
            return Ok(output.stdout);
        }
        Err(failed(name, &dir, &output))
    }

    /// Runs the command with its standard output redirected to a file.
    pub(crate) fn write_to(mut self, file: File) -> Result<(), Error> {
        self.command.stdout(Stdio::from(file));
        self.keeps_output = true;
        self.run().map(drop)
    }

    /// Runs the command and returns the first line of its standard output.
    pub(crate) fn line(self) -> Result<String, Error> {
        let out = self.run()?;
        Ok(String::from_utf8_lossy(&out)
            .lines()
            .next()
            .unwrap_or_default()
            .to_owned())
    }
}

/// An entry of a configuration.
pub(crate) struct Setting {
    /// The scope: `local`, `worktree`, `global` and so on.
    pub(crate) level: String,
    pub(crate) key: Vec<u8>,
    pub(crate) value: Vec<u8>,
}

/// Returns the configuration entries of a repository whose keys match a pattern, with
/// includes resolved as git does.
///
/// # Errors
/// Fails if git cannot read the configuration.
pub(crate) fn configured(dir: &Path, pattern: &str) -> Result<Vec<Setting>, Error> {
    let list = Git::new(dir, "config").args(["--null", "--show-scope", "--get-regexp", pattern]);
    let output = list.output()?;
    // Exit code 1 means that no key matches.
    if !matches!(output.status.code(), Some(0 | 1)) {
        return Err(failed("config", dir, &output));
    }
    let mut words = output.stdout.split(|byte| *byte == 0);
    let mut found = Vec::new();
    while let (Some(level), Some(entry)) = (words.next(), words.next()) {
        // A key without `=` has no value.
        let mut parts = entry.splitn(2, |byte| *byte == b'\n').map(<[u8]>::to_vec);
        found.push(Setting {
            level: String::from_utf8_lossy(level).into_owned(),
            key: parts.next().unwrap_or_default(),
            value: parts.next().unwrap_or_default(),
        });
    }
    Ok(found)
}

/// Returns the name of a hook from one of its keys: `hook.<name>.<setting>`.
pub(crate) fn hook_of(key: &[u8]) -> Option<&[u8]> {
    let rest = key.strip_prefix(b"hook.")?;
    let end = rest.iter().rposition(|byte| *byte == b'.')?;
    Some(&rest[..end])
}

/// Returns the names of the hooks in the configuration of a repository.
fn configured_hooks(dir: &Path) -> Result<Vec<OsString>, Error> {
    let mut names = Vec::new();
    for setting in configured(dir, r"^hook\.")? {
        if let Some(name) = hook_of(&setting.key) {
            let name = from_bytes(name).into_os_string();
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    Ok(names)
}

/// Whether a variable is removed from the environment of git.
fn is_foreign(name: &str) -> bool {
    // Environment variables ignore case on Windows.
    let name = if cfg!(windows) {
        name.to_ascii_uppercase()
    } else {
        name.to_owned()
    };
    name.starts_with("GIT_")
        && !KEPT.contains(&name.as_str())
        && !KEPT_KINDS.iter().any(|kind| name.starts_with(kind))
}

/// Returns a path that cannot contain hooks, because it is a file.
#[cfg(unix)]
fn no_hooks() -> PathBuf {
    PathBuf::from("/dev/null")
}

/// Returns a path that cannot contain hooks, because it is a file. On Windows, `/dev/null` would be a folder
/// of the drive that anybody may create.
#[cfg(not(unix))]
fn no_hooks() -> PathBuf {
    std::env::current_exe().unwrap_or_else(|_| PathBuf::from(r"\\.\NUL"))
}

/// Returns the error of a git command that failed.
fn failed(name: &str, dir: &Path, output: &Output) -> Error {
    Error::Git {
        command: name.to_owned(),
        path: dir.to_owned(),
        output: said(output),
        is_ended: output.status.code().is_none(),
    }
}

/// Returns the output of a failed git command, trimmed and truncated.
pub(crate) fn said(output: &Output) -> String {
    let words = if output.stderr.is_empty() {
        &output.stdout
    } else {
        &output.stderr
    };
    let text = String::from_utf8_lossy(words);
    let text = text.trim();
    if text.is_empty() {
        return output.status.to_string();
    }
    text.chars().take(SAID_LIMIT).collect()
}

#[cfg(test)]
mod tests {
    use super::{Git, Programs, hook_of, is_foreign};
    use std::collections::BTreeMap;
    use std::path::Path;

    /// Returns the settings that are disabled for a git command in a folder.
    fn off(dir: &Path, name: &'static str, programs: Programs) -> Vec<String> {
        let mut git = Git::new(dir, name).with(programs);
        git.without_hooks().unwrap();
        let given: BTreeMap<_, _> = git.command.get_envs().collect();
        let value = |name: String| {
            given
                .get(name.as_ref() as &std::ffi::OsStr)?
                .map(|text| text.to_str().unwrap())
        };
        let count = value("GIT_CONFIG_COUNT".to_owned()).map_or(0, |text| text.parse().unwrap());
        let pair = |number: usize| {
            (
                value(format!("GIT_CONFIG_KEY_{number}")),
                value(format!("GIT_CONFIG_VALUE_{number}")),
            )
        };
        let pairs = (0..count).map(|number| match pair(number) {
            (Some(key), Some("false")) => key.to_owned(),
            other => panic!("{other:?}"),
        });
        pairs.collect()
    }

    #[test]
    fn configured_hooks_are_disabled_by_name() {
        let dir = tempfile::tempdir().unwrap();
        Git::new(dir.path(), "init").arg("--quiet").run().unwrap();
        let included = "[hook \"reference-transaction\"]\n\tparallel = true\n[hook.Old]\n\tcommand = x\n";
        std::fs::write(dir.path().join(".git/included"), included).unwrap();
        let config = dir.path().join(".git/config");
        let mut text = std::fs::read_to_string(&config).unwrap();
        text.push_str(
            "[hook]\n\tjobs = 2\n[hook \"a=b.c d\"]\n\tevent = post-checkout\n\tcommand = x\n\tenabled = true\n\
             [hook \"\"]\n\tcommand\n[include]\n\tpath = included\n",
        );
        std::fs::write(&config, text).unwrap();
        let named = off(dir.path(), "update-ref", Programs::Skip);
        for name in ["reference-transaction", "post-checkout", "a=b.c d", "", "old"] {
            let key = format!("hook.{name}.enabled");
            assert!(named.contains(&key), "{key}: {named:?}");
        }
        assert_eq!(off(dir.path(), "worktree", Programs::Run), Vec::<String>::new());
        assert_eq!(off(dir.path(), "cat-file", Programs::Skip), Vec::<String>::new());
        assert_eq!(hook_of(b"hook.jobs"), None);
        std::fs::write(&config, "[hook").unwrap();
        Git::new(dir.path(), "update-ref").output().unwrap_err();
    }

    #[test]
    fn only_variables_that_configure_git_are_passed_on() {
        for name in [
            "GIT_DIR",
            "GIT_EXTERNAL_DIFF",
            "GIT_TRACE",
            "GIT_CONFIG_COUNT",
            "GIT_PAGER",
        ] {
            assert!(is_foreign(name), "{name}");
        }
        for name in [
            "GIT_CONFIG_GLOBAL",
            "GIT_AUTHOR_NAME",
            "GIT_LFS_PROGRESS",
            "HOME",
            "GITHUB_TOKEN",
        ] {
            assert!(!is_foreign(name), "{name}");
        }
    }
}
