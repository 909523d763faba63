//! Runs one program with a file as its input and another one for its output, so that what it prints is had exactly as it is, and
//! not as a terminal shows it. Errors that the program prints, and its exit code, are passed on. An engine runs this in a keeper,
//! which ends the whole process tree; it is no keeper itself.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;
use std::process::{ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

/// How long the rest of the output is waited for after the program's end. Something that it left may hold the pipe.
const REST: Duration = Duration::from_secs(1);

/// What happens while the program runs.
enum Happened {
    /// It ended.
    Ended(io::Result<ExitStatus>),
    /// Its output is at its end, or longer than it may be.
    Printed {
        /// Whether it is longer.
        is_too_long: bool,
    },
}

/// Runs the program of a command line: `INPUT OUTPUT MOST PROGRAM ARGUMENTS…`. At most `MOST` bytes of its output and one more are
/// written to the file `OUTPUT`; a program that prints more is not waited for. Returns its exit code.
///
/// # Errors
/// Fails if the program cannot be started, or if its output cannot be written.
pub fn run_relay(mut words: impl Iterator<Item = OsString>) -> io::Result<u8> {
    let mut next = |what: &str| {
        words
            .next()
            .ok_or_else(|| io::Error::other(format!("{what} is missing")))
    };
    let (input, output) = (next("the input")?, next("the output")?);
    let most = next("the limit")?;
    let program = next("the program")?;
    let most = most.to_str().and_then(|most| most.parse::<u64>().ok());
    let most = most.ok_or_else(|| io::Error::other("the limit is no number"))?;
    let (input, _) = downbeat_files::open(Path::new(&input))?;
    let output = downbeat_files::begin(Path::new(&output))?;
    let mut command = Command::new(&program);
    command.args(words).stdin(input).stdout(Stdio::piped());
    let mut child = command.spawn().map_err(|error| {
        let program = program.to_string_lossy();
        io::Error::new(error.kind(), format!("{program} could not be started: {error}"))
    })?;
    let printed = child.stdout.take();
    let printed = printed.ok_or_else(|| io::Error::other("the program has no output"))?;
    // Room for all that is sent: no thread waits for this one.
    let (told, happens) = sync_channel(2);
    let copies = told.clone();
    thread::spawn(move || copy(printed, output, most, &copies));
    thread::spawn(move || told.send(Happened::Ended(child.wait())));
    ended(&happens)
}

/// Copies the output of a program as far as it is read.
fn copy(mut printed: ChildStdout, mut output: File, most: u64, told: &SyncSender<Happened>) {
    // If the file cannot be written, the answer is cut, which its reader finds out.
    let mut start = printed.by_ref().take(most.saturating_add(1));
    let copied = io::copy(&mut start, &mut output).unwrap_or_default();
    // The pipe stays open meanwhile: a program that prints on would end because of a closed one, and seem to have failed. Nobody
    // listens any more if the program ended long ago.
    let _ = told.send(Happened::Printed {
        is_too_long: copied > most,
    });
}

/// Waits until the program ended and its output was copied, or until its output is too long.
fn ended(happens: &Receiver<Happened>) -> io::Result<u8> {
    let mut is_printed = false;
    loop {
        match happens.recv().map_err(io::Error::other)? {
            Happened::Printed { is_too_long: true } => return Ok(0),
            Happened::Printed { is_too_long: false } => is_printed = true,
            Happened::Ended(status) => {
                if !is_printed {
                    // What is there was copied, or comes within a moment.
                    let _ = happens.recv_timeout(REST);
                }
                return status.map(code);
            }
        }
    }
}

/// Returns the exit code of a program, as a shell would: 128 and the number of the signal that ended it.
fn code(status: ExitStatus) -> u8 {
    #[cfg(unix)]
    let signal = std::os::unix::process::ExitStatusExt::signal(&status).map(|signal| 128 + signal);
    #[cfg(not(unix))]
    let signal = None;
    let code = status.code().or(signal).unwrap_or(1);
    // An exit code of Windows may be larger; none becomes a success.
    u8::try_from(code).unwrap_or(u8::MAX)
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::run_relay;
    use std::ffi::OsString;
    use std::time::{Duration, Instant};

    /// Runs a script, and returns its exit code and its output.
    fn relayed(script: &str, most: u64) -> (u8, String) {
        let dir = tempfile::tempdir().unwrap();
        let (input, output) = (dir.path().join("in"), dir.path().join("out"));
        std::fs::write(&input, "{\"goal\": 1}").unwrap();
        let words = [
            input.into_os_string(),
            output.clone().into_os_string(),
            most.to_string().into(),
        ];
        let words = words.into_iter().chain(["sh", "-c", script].map(OsString::from));
        let code = run_relay(words).unwrap();
        (code, std::fs::read_to_string(output).unwrap())
    }

    #[test]
    fn input_output_and_exit_code_are_passed_on() {
        assert_eq!(relayed("cat; exit 3", 100), (3, "{\"goal\": 1}".to_owned()));
        assert_eq!(relayed("kill -9 $$", 100), (137, String::new()));
    }

    #[test]
    fn nothing_waits_for_endless_output_or_for_what_holds_the_pipe() {
        let begun = Instant::now();
        let (code, output) = relayed("exec yes", 1000);
        assert_eq!((code, output.len()), (0, 1001));
        assert_eq!(relayed("sleep 30 & echo done", 100), (0, "done\n".to_owned()));
        assert!(begun.elapsed() < Duration::from_secs(20));
    }

    #[test]
    fn a_program_that_is_not_there_is_named() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("in"), "").unwrap();
        let at = |name: &str| dir.path().join(name).into_os_string();
        let words = [at("in"), at("out"), "9".into(), "/none/planner".into()];
        let error = run_relay(words.into_iter()).unwrap_err().to_string();
        assert!(error.contains("/none/planner could not be started"), "{error}");
        assert!(run_relay(std::iter::empty()).is_err());
    }
}
