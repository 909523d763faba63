//! Runs the `git` command: an argument vector, a clean environment, no prompt. Not a shell.

use crate::Error;
use crate::interrupt::{self, Interrupt};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Variables that would point git at another repository, index or config than the one we name.
const FOREIGN: &[&str] = &[
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_CONFIG",
    "GIT_CONFIG_COUNT",
    "GIT_CONFIG_PARAMETERS",
    "GIT_DIR",
    "GIT_GRAFT_FILE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_LITERAL_PATHSPECS",
    "GIT_NAMESPACE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_QUARANTINE_PATH",
    "GIT_REPLACE_REF_BASE",
    "GIT_SHALLOW_FILE",
    "GIT_WORK_TREE",
];

/// `CREATE_NO_WINDOW`.
#[cfg(windows)]
pub(crate) const NO_WINDOW: u32 = 0x0800_0000;

/// The most of git's own words that an error repeats.
const SAID_LIMIT: usize = 2_000;

/// One run of git, being put together.
#[must_use]
pub(crate) struct Git {
    dir: PathBuf,
    name: &'static str,
    command: Command,
    input: Option<Vec<u8>>,
    interrupt: Option<Interrupt>,
}

impl Git {
    /// `git <name>` in `dir`.
    pub(crate) fn new(dir: &Path, name: &'static str) -> Self {
        Self::configured(dir, name, &[])
    }

    /// `git -c <config>… <name>` in `dir`.
    pub(crate) fn configured(dir: &Path, name: &'static str, config: &[OsString]) -> Self {
        let mut command = Command::new("git");
        command.current_dir(dir).stdin(Stdio::null());
        // Else a console would flash up for each run below the desktop's window.
        #[cfg(windows)]
        std::os::windows::process::CommandExt::creation_flags(&mut command, NO_WINDOW);
        for variable in FOREIGN {
            command.env_remove(variable);
        }
        command.env("GIT_TERMINAL_PROMPT", "0").env("LC_ALL", "C");
        if let Some(path) = crate::search::chosen() {
            command.env("PATH", path);
        }
        for setting in config {
            command.arg("-c").arg(setting);
        }
        command.arg(name);
        Self {
            dir: dir.to_owned(),
            name,
            command,
            input: None,
            interrupt: None,
        }
    }

    /// Adds one argument.
    pub(crate) fn arg(mut self, arg: impl AsRef<OsStr>) -> Self {
        self.command.arg(arg);
        self
    }

    /// Adds arguments.
    pub(crate) fn args<A: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = A>) -> Self {
        self.command.args(args);
        self
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

    /// Hands git a lock file as its standard input (it is empty). So the lock outlives us: where
    /// this process is killed, the next one waits until git has finished what it was doing. What
    /// holds a lock makes something: it can be cut short.
    pub(crate) fn holding(mut self, lock: &File) -> Result<Self, Error> {
        self.interrupt = interrupt::current();
        let copy = lock.try_clone().map_err(Error::io("lock", &self.dir))?;
        self.command.stdin(Stdio::from(copy));
        Ok(self)
    }

    /// Runs it, whatever its exit code.
    pub(crate) fn output(mut self) -> Result<Output, Error> {
        self.command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let not_started = |source: std::io::Error| {
            if source.kind() == std::io::ErrorKind::NotFound && self.dir.is_dir() {
                Error::NoGit
            } else {
                Error::io("run git in", &self.dir)(source)
            }
        };
        if let Some(interrupt) = self.interrupt.take().filter(|_| self.input.is_none()) {
            return interrupt.run(&mut self.command, &self.dir)?.map_err(not_started);
        }
        let mut child = self.command.spawn().map_err(not_started)?;
        let writer = match (self.input.take(), child.stdin.take()) {
            (Some(bytes), Some(mut pipe)) => Some(std::thread::spawn(move || pipe.write_all(&bytes))),
            _ => None,
        };
        let output = child
            .wait_with_output()
            .map_err(Error::io("run git in", &self.dir))?;
        if let Some(writer) = writer {
            // A broken pipe means that git gave up; its exit code says so.
            let _ = writer.join();
        }
        Ok(output)
    }

    /// Runs it and returns its standard output; any failing exit code is an error.
    pub(crate) fn run(self) -> Result<Vec<u8>, Error> {
        let (name, dir) = (self.name, self.dir.clone());
        let output = self.output()?;
        if output.status.success() {
            return Ok(output.stdout);
        }
        let output = said(&output);
        Err(Error::Git {
            command: name.to_owned(),
            path: dir,
            output,
        })
    }

    /// Runs it and returns the first line of its standard output.
    pub(crate) fn line(self) -> Result<String, Error> {
        let out = self.run()?;
        Ok(String::from_utf8_lossy(&out)
            .lines()
            .next()
            .unwrap_or_default()
            .to_owned())
    }
}

/// What a failed git printed, trimmed and cut.
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
