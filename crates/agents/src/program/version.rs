//! Finds an agent's program on a given `PATH` and, as a separate and slow step, asks it for its version. Runs
//! no shell.

use crate::program::find::{Program, absolute_only, find_program};
use std::ffi::OsStr;
use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// The time limit for a program to print its version; a cold start of a large one takes two seconds.
const DEADLINE: Duration = Duration::from_secs(5);
/// The interval between checks whether the program has exited, once its output has ended.
const LOOK: Duration = Duration::from_millis(10);
/// The number of bytes of the answer that are read; a version is in the first line.
const ANSWER: u64 = 4096;

/// `CREATE_NO_WINDOW`.
#[cfg(windows)]
const NO_WINDOW: u32 = 0x0800_0000;

/// Looks for `program` (a name, or an absolute path) in the directories of `path_env` and asks it for its
/// version. Blocks for up to five seconds. Returns `None` if it is missing or does not answer.
#[must_use]
pub fn program_version(program: &str, path_env: &OsStr) -> Option<String> {
    let program = find_program(program, path_env).ok()?;
    ask(&program, &absolute_only(path_env), DEADLINE)
}

/// Returns the first line of `<program> --version`, from its first digit up to a space.
fn ask(program: &Program, path_env: &OsStr, deadline: Duration) -> Option<String> {
    let until = Instant::now() + deadline;
    let mut command = Command::new(&program.path);
    command
        .args(&program.arguments)
        .arg("--version")
        .env("PATH", path_env)
        .current_dir(program.found.parent().unwrap_or(Path::new("/")))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    // Otherwise a console window would flash up.
    #[cfg(windows)]
    std::os::windows::process::CommandExt::creation_flags(&mut command, NO_WINDOW);
    let mut child = command.spawn().ok()?;
    let answer = answer(&mut child, until);
    let ended = answer.is_some() && ends(&mut child, until);
    if !ended {
        // The child may have exited by itself just now; then there is nothing to kill.
        let _ = child.kill();
        let _ = child.wait();
    }
    in_answer(&answer?)
}

/// Returns the version in what a program printed: its first line, without colours, from the first digit on.
fn in_answer(answer: &str) -> Option<String> {
    let line = without_escapes(answer.lines().next()?);
    let start = line.find(|c: char| c.is_ascii_digit())?;
    line[start..].split_whitespace().next().map(str::to_owned)
}

/// Removes the terminal escape sequences from a line, since their parameters contain digits, too.
fn without_escapes(line: &str) -> String {
    let mut plain = String::with_capacity(line.len());
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match c {
            '\u{1b}' => match chars.next() {
                // CSI: parameters up to a final character.
                Some('[') => drop(chars.by_ref().find(|c| ('@'..='~').contains(c))),
                // OSC: text up to BEL or ST.
                Some(']') => {
                    let end = chars.by_ref().find(|c| matches!(c, '\u{7}' | '\u{1b}'));
                    if end == Some('\u{1b}') {
                        chars.next();
                    }
                }
                _ => {}
            },
            c if c.is_control() => {}
            c => plain.push(c),
        }
    }
    plain
}

/// Reads the output of `child`, if it ends before `until`. A thread reads, since a pipe cannot be read with a
/// deadline on all systems; the thread ends with the pipe.
fn answer(child: &mut Child, until: Instant) -> Option<String> {
    let output = child.stdout.take()?;
    // There is one answer, sent once: the send never blocks.
    let (send, receive) = mpsc::sync_channel(1);
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if output.take(ANSWER).read_to_end(&mut bytes).is_ok() {
            // The receiver gave up: the answer is not needed any more.
            let _ = send.send(bytes);
        }
    });
    let bytes = receive.recv_timeout(until.saturating_duration_since(Instant::now()));
    Some(String::from_utf8_lossy(&bytes.ok()?).into_owned())
}

fn ends(child: &mut Child, until: Instant) -> bool {
    while Instant::now() < until {
        match child.try_wait() {
            Ok(None) => std::thread::sleep(LOOK),
            Ok(Some(_)) => return true,
            Err(_) => return false,
        }
    }
    false
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;
    use std::path::PathBuf;

    fn script(directory: &Path, name: &str, text: &str) -> PathBuf {
        let path = directory.join(name);
        std::fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    #[test]
    fn a_program_is_found_only_on_the_given_path() {
        let directory = tempfile::tempdir().unwrap();
        let path = script(directory.path(), "ag", "echo \"2.1.329 (Claude Code)\"");
        let here = directory.path().as_os_str();
        assert_eq!(find_program("ag", here).unwrap().found, path);
        assert_eq!(program_version("ag", here).as_deref(), Some("2.1.329"));
        assert!(find_program("ag", OsStr::new("/nonexistent")).is_err());
        assert!(find_program("./ag", here).is_err());
        assert!(find_program("$(ag)", here).is_err());
    }

    #[test]
    fn colours_are_not_part_of_a_version() {
        for (answer, version) in [
            ("\u{1b}[1mDemo\u{1b}[0m 3.4.5\n", Some("3.4.5")),
            ("\u{1b}[38;5;12mv1.2.3\u{1b}[m\n", Some("1.2.3")),
            ("\u{1b}]0;title 9\u{7}2.0 (x)", Some("2.0")),
            (
                "\u{1b}]8;;http://127.0.0.1\u{1b}\\2.1\u{1b}]8;;\u{1b}\\",
                Some("2.1"),
            ),
            ("\u{1b}[1mDemo\u{1b}[0m\n", None),
            ("2.1\u{7}", Some("2.1")),
            ("\u{1b}[", None),
            ("", None),
        ] {
            assert_eq!(in_answer(answer).as_deref(), version, "{answer:?}");
        }
    }

    #[test]
    fn a_relative_entry_of_the_path_finds_and_runs_nothing() {
        let planted = tempfile::tempdir_in(std::env::temp_dir()).unwrap();
        let name = planted.path().file_name().unwrap().to_str().unwrap();
        script(planted.path(), "ag", "echo 9.9.9");
        for relative in [
            format!("/usr/bin:{name}"),
            format!("./{name}:/usr/bin"),
            format!("{name}:"),
        ] {
            assert!(find_program("ag", OsStr::new(&relative)).is_err(), "{relative}");
        }
        // The same holds for programs that a found program looks for.
        let good = tempfile::tempdir().unwrap();
        script(planted.path(), "helper", "echo 9.9.9");
        script(
            good.path(),
            "ag",
            &format!("cd {}; helper || echo 1.0", std::env::temp_dir().display()),
        );
        let path = format!("{}:{name}:/usr/bin:/bin", good.path().display());
        assert_eq!(program_version("ag", OsStr::new(&path)).as_deref(), Some("1.0"));
        assert_eq!(absolute_only(OsStr::new(":/usr/bin::./x:/bin:")), "/usr/bin:/bin");
    }

    #[test]
    fn a_program_that_does_not_answer_is_killed() {
        let directory = tempfile::tempdir().unwrap();
        let path = Program::plain(script(directory.path(), "slow", "exec sleep 60"));
        let start = Instant::now();
        let none = ask(&path, OsStr::new("/usr/bin:/bin"), Duration::from_millis(200));
        assert_eq!(none, None);
        assert!(start.elapsed() < Duration::from_secs(30));
    }
}
