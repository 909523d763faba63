//! A time limit for git. A file that is a pipe keeps git waiting for ever, a disk may not
//! answer, a worktree may be beyond all measure: whoever asked is told, and git is ended.

use crate::interrupt::Interrupt;
use crate::{Error, ordinary};
use std::io;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::Duration;

/// When it is looked for a file that git may be waiting for. Most commands have ended long before.
const LOOK: Duration = Duration::from_secs(2);

/// Runs `git <name>` in the checkout `dir` for at most `limit`, and so that `interrupt` cuts it short.
///
/// # Errors
/// [`Error::NotOrdinary`] names the file that git was waiting for, [`Error::TooSlow`] where there is none.
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

/// Ends git where it takes too long, and says why.
fn watch(
    interrupt: &Interrupt,
    ended: &Receiver<()>,
    (name, dir): (&'static str, &Path),
    limit: Duration,
) -> Option<Error> {
    // Nothing is ever sent: the other end goes with git.
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
    fn what_takes_too_long_is_ended_with_all_that_it_started() {
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
        // What undoes it may still run, by the same means.
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
