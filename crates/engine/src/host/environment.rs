//! Builds the environment of agents when the desktop starts Downbeat: what the person's login shell would set
//! (a desktop start does not know their `PATH`), without the variables of a bundle or of another program that
//! started Downbeat.
//!
//! `downbeat serve` keeps the environment of its terminal and adds what is missing there, because a command
//! may have started it from anywhere.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Variables of the engine's own environment that would mislead an agent or its tools.
pub(crate) const STRIPPED: &[&str] = &[
    "AO_DATA_DIR",
    "AO_ISSUE_ID",
    "AO_PROJECT_ID",
    "AO_SESSION",
    "AO_SESSION_NAME",
    "APPDIR",
    "APPIMAGE",
    "ARGV0",
    "CLAUDECODE",
    "CLAUDE_CODE_ENTRYPOINT",
    "GDK_BACKEND",
    "GIT_DIR",
    "GIT_INDEX_FILE",
    "GIT_WORK_TREE",
    "GTK_PATH",
    "LD_LIBRARY_PATH",
    "NO_COLOR",
    "STY",
    "TMUX",
    "TMUX_PANE",
    "ZELLIJ",
];

/// Returns the `PATH` of a session, with `downbeat` after all of the person's own folders.
pub(crate) fn with_ours(search: String, cli: &Path) -> String {
    match cli.parent().and_then(Path::to_str) {
        Some(folder) => both_paths(&search, folder),
        None => search,
    }
}

pub(crate) fn path(path: PathBuf) -> String {
    path.to_string_lossy().into_owned()
}

/// Variables with their names, in no particular order.
pub type Env = Vec<(String, String)>;

/// The answer of the login shell.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LoginEnv {
    /// The shell's variables; empty if it could not be asked.
    pub vars: Env,
    /// The reason that it could not be asked.
    pub problem: Option<String>,
}

/// Variables of programs that may have started Downbeat, and Downbeat's own for sessions: an agent that finds
/// them mistakes itself for a part of that program.
const FOREIGN: [&str; 24] = [
    "APPDIR",
    "APPIMAGE",
    "ARGV0",
    "CLAUDECODE",
    "CLAUDE_CODE_ENTRYPOINT",
    "CLAUDE_CODE_SSE_PORT",
    "DOWNBEAT_ENGINE",
    "DOWNBEAT_KEEPER",
    "DOWNBEAT_PORT",
    "DOWNBEAT_SESSION",
    "DOWNBEAT_TOKEN",
    "GIT_DIR",
    "GIT_INDEX_FILE",
    "GIT_WORK_TREE",
    "INIT_CWD",
    "ORCH_DEPTH",
    "ORCH_MAX_DEPTH",
    "ORCH_WORKER_NAME",
    "OWD",
    "STY",
    "TMUX",
    "TMUX_PANE",
    "WINDOWID",
    "ZELLIJ",
];

/// Variables that describe the queried shell, not the person's set-up.
const OF_THE_SHELL: [&str; 5] = ["SHLVL", "PWD", "OLDPWD", "_", ASKED];

/// Set while the login shell is queried, so that start-up files can detect it.
const ASKED: &str = "DOWNBEAT_READS_ENVIRONMENT";

/// Removes the variables of other programs. Under an AppImage, also removes every entry of a path list
/// (`PATH`, `LD_LIBRARY_PATH`, `XDG_DATA_DIRS` …) that leads into the bundle.
#[must_use]
pub fn strip(env: Env) -> Env {
    let bundle = env
        .iter()
        .find(|(name, _)| name == "APPDIR")
        .map(|(_, value)| value.clone());
    let bundle = bundle.filter(|dir| dir.len() > 1);
    env.into_iter()
        .filter(|(name, _)| !FOREIGN.contains(&name.as_str()))
        .filter_map(|(name, value)| match &bundle {
            Some(bundle) => without(bundle, &value).map(|value| (name, value)),
            None => Some((name, value)),
        })
        .collect()
}

/// Removes the paths that lead into the bundle from a value; `None` if nothing else is in it.
fn without(bundle: &str, value: &str) -> Option<String> {
    if !value.contains(bundle) {
        return Some(value.to_owned());
    }
    let outside: Vec<&str> = value
        .split(':')
        .filter(|path| !Path::new(path).starts_with(bundle))
        .collect();
    let any = outside.iter().any(|path| !path.is_empty());
    any.then(|| outside.join(":"))
}

/// Builds the environment of the window's agents. If a terminal started the window, the terminal's variables
/// stay ([`complete`]); if the desktop did, which knows little of the person's set-up, the login shell wins
/// ([`merge`]). Either way, every folder of both `PATH`s is searched.
#[must_use]
pub fn for_window(own: Env, login: &LoginEnv) -> Env {
    match own.iter().any(|(name, _)| name == "TERM") {
        true => complete(own, login),
        false => merge(own, login),
    }
}

/// Builds the environment of agents whose engine the desktop started: `own` overridden by the login shell,
/// both stripped; the folders of our own `PATH` are appended to the shell's.
#[must_use]
pub fn merge(own: Env, login: &LoginEnv) -> Env {
    let mut merged = strip(own);
    let said = strip(login.vars.clone()).into_iter();
    for (name, value) in said.filter(|(name, _)| !OF_THE_SHELL.contains(&name.as_str())) {
        match merged.iter_mut().find(|(known, _)| *known == name) {
            Some((name, known)) if name == "PATH" => *known = both_paths(&value, known),
            Some(known) => known.1 = value,
            None => merged.push((name, value)),
        }
    }
    merged
}

/// Builds the environment of agents whose engine a terminal or an arbitrary command started: `own`, stripped;
/// variables that only the login shell has are added, and its folders are appended to `PATH`.
#[must_use]
pub fn complete(own: Env, login: &LoginEnv) -> Env {
    let mut whole = strip(own);
    let said = strip(login.vars.clone()).into_iter();
    for (name, value) in said.filter(|(name, _)| !OF_THE_SHELL.contains(&name.as_str())) {
        match whole.iter_mut().find(|(known, _)| *known == name) {
            Some((name, known)) if name == "PATH" => *known = both_paths(known, &value),
            Some(_) => {}
            None => whole.push((name, value)),
        }
    }
    whole
}

/// Returns the folders of `first`, followed by those of `then` that are not among them.
#[must_use]
pub fn both_paths(first: &str, then: &str) -> String {
    let mut folders: Vec<_> = std::env::split_paths(first).collect();
    for folder in std::env::split_paths(then) {
        if !folders.contains(&folder) && folder.is_absolute() {
            folders.push(folder);
        }
    }
    let joined = std::env::join_paths(folders).ok();
    joined
        .and_then(|path| path.into_string().ok())
        .unwrap_or_else(|| first.to_owned())
}

/// Queries the login shell now, whatever it answered before. Blocks for up to five seconds.
pub fn ask_again() -> LoginEnv {
    ask::login_shell()
}

/// Queries the login shell once per process; later calls return the same answer. Blocks for up to five
/// seconds the first time.
pub fn cached() -> &'static LoginEnv {
    static ANSWER: OnceLock<LoginEnv> = OnceLock::new();
    ANSWER.get_or_init(ask::login_shell)
}

#[cfg(not(unix))]
pub(crate) mod ask {
    use super::LoginEnv;

    /// On this system the desktop's environment is the person's.
    pub(crate) fn login_shell() -> LoginEnv {
        LoginEnv::default()
    }
}

#[cfg(unix)]
pub(crate) mod ask {
    use super::{ASKED, Env, LoginEnv};
    use process_wrap::std::{ChildWrapper, CommandWrap, ProcessSession};
    use std::ffi::OsStr;
    use std::io::Read;
    use std::path::Path;
    use std::process::Stdio;
    use std::sync::mpsc::sync_channel;
    use std::time::Duration;

    /// The time limit. Start-up files that take longer are broken.
    const DEADLINE: Duration = Duration::from_secs(5);

    /// The maximum output that is read, in bytes; an environment is smaller (its kernel limit is 2 MB on most
    /// systems).
    const MOST: u64 = 8 << 20;

    /// The mark around the variables, since start-up files may print anything.
    const MARK: &str = "__DOWNBEAT_ENVIRONMENT__";

    /// A constant script that contains no text from anywhere else.
    const SCRIPT: &str = "printf %s __DOWNBEAT_ENVIRONMENT__; env -0; printf %s __DOWNBEAT_ENVIRONMENT__";

    /// The shells that accept `-l -i -c` and the script; others are not queried.
    const SHELLS: [&str; 8] = ["bash", "zsh", "fish", "ksh", "mksh", "dash", "ash", "sh"];

    pub(crate) fn login_shell() -> LoginEnv {
        match ask(&downbeat_keeper::login_shell(), DEADLINE) {
            Ok(vars) => LoginEnv { vars, problem: None },
            Err(problem) => {
                tracing::warn!("the login shell's environment is unknown: {problem}");
                LoginEnv {
                    vars: Env::new(),
                    problem: Some(problem),
                }
            }
        }
    }

    pub(crate) fn ask(shell: &Path, deadline: Duration) -> Result<Env, String> {
        let name = shell.file_name().and_then(OsStr::to_str).unwrap_or_default();
        if !SHELLS.contains(&name) {
            return Err(format!(
                "Downbeat cannot read the environment of {}",
                shell.display()
            ));
        }
        let mut command = CommandWrap::with_new(shell, |command| {
            command
                .args(["-l", "-i", "-c", SCRIPT])
                .env(ASKED, "1")
                .stdin(Stdio::null())
                .stdout(Stdio::piped())
                .stderr(Stdio::null());
        });
        // In a session of its own: an interactive shell that has a terminal but is not in its foreground is
        // stopped. It must not take the terminal from us, and is ended as a whole.
        let spawned = command.wrap(ProcessSession).spawn();
        let mut child = spawned.map_err(|error| format!("{}: {error}", shell.display()))?;
        let output = child.stdout().take().ok_or("no output")?;
        // Room for one message: the thread ends after it, read or not.
        let (told, answer) = sync_channel(1);
        let reader = std::thread::Builder::new().name("login-env".into());
        let reader = reader.spawn(move || {
            let mut text = Vec::new();
            let read = output.take(MOST).read_to_end(&mut text);
            let _ = told.send(read.map(|_| text));
        });
        let answer = match reader {
            Ok(_) => answer.recv_timeout(deadline),
            Err(error) => return Err(error.to_string()),
        };
        end(&mut *child);
        match answer {
            Ok(Ok(text)) => variables(&text).ok_or_else(|| format!("{} did not print it", shell.display())),
            Ok(Err(error)) => Err(error.to_string()),
            Err(_) => Err(format!(
                "{} took longer than {} s to start",
                shell.display(),
                deadline.as_secs()
            )),
        }
    }

    /// Ends the shell and what its start-up files left in its process group.
    fn end(child: &mut dyn ChildWrapper) {
        // Mostly, it has exited already.
        let _ = child.start_kill();
        let _ = child.wait();
    }

    pub(crate) fn variables(text: &[u8]) -> Option<Env> {
        let mark = MARK.as_bytes();
        let mut places = (0..text.len()).filter(|at| text[*at..].starts_with(mark));
        // From the first mark to the last: `_`, the last argument of `printf`, holds the mark too.
        let (first, last) = (places.next()?, places.next_back()?);
        let body = &text[first + mark.len()..last];
        let pairs = body.split(|byte| *byte == 0).filter(|pair| !pair.is_empty());
        // A value that is not UTF-8 cannot be passed on as text; the desktop's own value stays then.
        let pairs = pairs.filter_map(|pair| std::str::from_utf8(pair).ok()?.split_once('='));
        let env: Env = pairs
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        (!env.is_empty()).then_some(env)
    }
}

#[cfg(test)]
mod tests {
    use super::{Env, LoginEnv, complete, for_window, merge, strip};

    fn env(pairs: &[(&str, &str)]) -> Env {
        pairs
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect()
    }

    #[test]
    fn variables_of_other_programs_are_removed() {
        let own = env(&[
            ("APPDIR", "/tmp/.mount_x"),
            ("LD_LIBRARY_PATH", "/tmp/.mount_x/usr/lib:/tmp/.mount_x/lib"),
            ("XDG_DATA_DIRS", "/tmp/.mount_x/share:/usr/share"),
            ("PATH", "/tmp/.mount_x/bin:/usr/bin:/tmp/.mount_xy/bin"),
            ("CLAUDECODE", "1"),
            ("TMUX", "x"),
            ("HOME", "/home/x"),
        ]);
        let want = env(&[
            ("XDG_DATA_DIRS", "/usr/share"),
            ("PATH", "/usr/bin:/tmp/.mount_xy/bin"),
            ("HOME", "/home/x"),
        ]);
        assert_eq!(strip(own), want);
        let plain = env(&[("LD_LIBRARY_PATH", "/opt/cuda/lib"), ("A", "")]);
        assert_eq!(strip(plain.clone()), plain);
    }

    #[test]
    fn the_login_shell_wins_except_for_its_own_variables() {
        let login = LoginEnv {
            vars: env(&[
                ("PATH", "/home/x/bin:/usr/bin"),
                ("SHLVL", "1"),
                ("PWD", "/"),
                ("NEW", "1"),
                ("TMUX", "y"),
            ]),
            problem: None,
        };
        let merged = merge(
            env(&[("PATH", "/usr/bin"), ("PWD", "/home/x"), ("DISPLAY", ":0")]),
            &login,
        );
        let want = env(&[
            ("PATH", "/home/x/bin:/usr/bin"),
            ("PWD", "/home/x"),
            ("DISPLAY", ":0"),
            ("NEW", "1"),
        ]);
        assert_eq!(merged, want);
        assert_eq!(
            merge(env(&[("A", "b")]), &LoginEnv::default()),
            env(&[("A", "b")])
        );
    }

    #[test]
    fn the_window_searches_the_folders_of_its_terminal_and_of_the_login_shell() {
        let login = LoginEnv {
            vars: env(&[("PATH", "/home/x/bin:/usr/bin"), ("LANG", "C")]),
            problem: None,
        };
        let desktop = env(&[("PATH", "/usr/bin:/opt/nvm/bin"), ("LANG", "de_DE")]);
        let mut terminal = desktop.clone();
        terminal.push(("TERM".into(), "xterm-256color".into()));
        let of = |own: Env| {
            let env = for_window(own, &login);
            let value = |name: &str| env.iter().find(|(known, _)| known == name).unwrap().1.clone();
            (value("PATH"), value("LANG"))
        };
        assert_eq!(
            of(desktop),
            ("/home/x/bin:/usr/bin:/opt/nvm/bin".into(), "C".into())
        );
        assert_eq!(
            of(terminal),
            ("/usr/bin:/opt/nvm/bin:/home/x/bin".into(), "de_DE".into())
        );
    }

    #[test]
    fn the_terminals_variables_stay_and_the_login_shell_adds_missing_ones() {
        let login = LoginEnv {
            vars: env(&[
                ("PATH", "/home/x/bin:/usr/bin:relative"),
                ("LANG", "C"),
                ("NEW", "1"),
                ("TMUX", "y"),
            ]),
            problem: None,
        };
        let own = env(&[("PATH", "/venv/bin:/usr/bin"), ("LANG", "de_DE")]);
        let want = env(&[
            ("PATH", "/venv/bin:/usr/bin:/home/x/bin"),
            ("LANG", "de_DE"),
            ("NEW", "1"),
        ]);
        assert_eq!(complete(own, &login), want);
        assert_eq!(complete(Env::new(), &login)[0].1, "/home/x/bin:/usr/bin:relative");
    }

    #[cfg(unix)]
    mod on_unix {
        use super::super::ask;
        use std::fs;
        use std::os::unix::fs::PermissionsExt;
        use std::path::{Path, PathBuf};
        use std::time::{Duration, Instant};

        /// Creates a stand-in for a shell, since tests must not depend on the machine's start-up files.
        fn shell(folder: &Path, script: &str) -> PathBuf {
            let path = folder.join("zsh");
            fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
            path
        }

        #[test]
        fn a_noisy_shell_is_understood() {
            let folder = tempfile::tempdir().unwrap();
            let script = "echo welcome; export ODD='a\nb=c'; [ \"$1$2$3\" = -l-i-c ] || exit 1; sh -c \"$4\"; echo bye";
            let vars = ask::ask(&shell(folder.path(), script), Duration::from_secs(30)).unwrap();
            assert!(vars.contains(&("ODD".into(), "a\nb=c".into())), "{vars:?}");
        }

        #[test]
        fn a_real_login_shell_is_understood() {
            let vars = ask::ask(Path::new("/bin/sh"), Duration::from_secs(30)).unwrap();
            assert!(
                vars.iter()
                    .any(|(name, value)| name == "PATH" && !value.is_empty())
            );
        }

        #[test]
        fn a_shell_that_hangs_or_prints_nothing_fails_in_time() {
            let folder = tempfile::tempdir().unwrap();
            let begun = Instant::now();
            // Its child holds the pipe too, and ends with it.
            let hangs = shell(folder.path(), "sleep 600 & sleep 600");
            let problem = ask::ask(&hangs, Duration::from_millis(200)).unwrap_err();
            assert!(problem.contains("longer"), "{problem}");
            let silent = shell(folder.path(), "exit 3");
            assert!(
                ask::ask(&silent, Duration::from_secs(30))
                    .unwrap_err()
                    .contains("did not print")
            );
            assert!(ask::ask(Path::new("/none/zsh"), Duration::from_secs(30)).is_err());
            assert!(ask::ask(Path::new("/bin/nologin"), Duration::from_secs(30)).is_err());
            assert!(begun.elapsed() < Duration::from_secs(20));
        }
    }
}
