//! A time limit for git. Git may block on a pipe, a disk may not answer, or a worktree may be extremely
//! large: git is ended, and the caller gets an error with the reason.

use crate::interrupt::Interrupt;
use crate::{Error, ordinary};
use std::io;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::Duration;

/// The delay before files that may block git are searched for. Most commands have finished by then.
const LOOK: Duration = Duration::from_secs(2);

/// Runs `git <name>` in the checkout `dir` for at most `limit`, cancellable through `interrupt`.
///
/// # Errors
/// [`Error::NotOrdinary`] names the file that blocked git; [`Error::TooSlow`] if there is none.
pub(crate) fn run(
    command: &mut Command,
    input: Option<Vec<u8>>,
    (name, dir): (&'static str, &Path),
    limit: Duration,
    interrupt: Option<Interrupt>,
) -> Result<io::Result<Output>, Error> {
    let interrupt = interrupt.unwrap_or_else(Interrupt::unmarked);
    std::thread::scope(|scope| {
        let (running, ended) = sync_channel::<()>(0);
        let watching = scope.spawn({
            let interrupt = &interrupt;
            move || watch(interrupt, &ended, (name, dir), limit)
        });
        let output = interrupt.run(command, dir, input);
        drop(running);
        match watching.join() {
            Ok(Some(error)) => Err(error),
            _ => output,
        }
    })
}

/// Ends git if it takes too long, and returns the reason.
fn watch(
    interrupt: &Interrupt,
    ended: &Receiver<()>,
    (name, dir): (&'static str, &Path),
    limit: Duration,
) -> Option<Error> {
    // Nothing is ever sent: the sender is dropped when git exits.
    let outlasts = |time| ended.recv_timeout(time) == Err(RecvTimeoutError::Timeout);
    if !outlasts(LOOK.min(limit)) {
        return None;
    }
    let found = ordinary::culprit(dir);
    if found.is_none() && !outlasts(limit.saturating_sub(LOOK)) {
        return None;
    }
    interrupt.cut();
    Some(found.unwrap_or_else(|| Error::TooSlow {
        command: name.to_owned(),
        path: dir.to_owned(),
        seconds: limit.as_secs(),
    }))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::process::Stdio;
    use std::time::Instant;

    #[test]
    fn a_slow_command_is_ended_with_its_descendants() {
        let dir = tempfile::tempdir().unwrap();
        let mut slow = Command::new("sh");
        slow.args(["-c", "sleep 60 & sleep 60"]);
        slow.stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let (begun, interrupt) = (Instant::now(), Interrupt::unmarked());
        let ended = run(
            &mut slow,
            None,
            ("status", dir.path()),
            Duration::from_millis(300),
            Some(interrupt.clone()),
        );
        assert!(matches!(&ended, Err(Error::TooSlow { .. })), "{ended:?}");
        assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
        // Commands that undo its work may still run with the same interrupt.
        let mut quick = Command::new("cat");
        quick
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let text = vec![b'x'; 1 << 20];
        let output = run(
            &mut quick,
            Some(text.clone()),
            ("status", dir.path()),
            Duration::from_secs(60),
            Some(interrupt),
        );
        assert_eq!(output.unwrap().unwrap().stdout, text);
    }
}
