//! Cutting short the making of a worktree: its hook may hang, a filter may wait for a network. What
//! is asked to end is git with everything in its process group; what was made so far is taken up
//! again, or undone, as after a kill. Reading and saving are never cut short.
//!
//! What runs is found by thread, because every step of a making would have to pass it on else, and
//! say nothing with it.

use crate::Error;
use std::cell::RefCell;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Output};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Between two looks at whether a git that ended, but left its output open, was asked to end.
const LOOK: Duration = Duration::from_millis(100);

/// Means to cut short what runs in [`Interrupt::during`]. Clones are the same one.
#[derive(Clone)]
pub struct Interrupt(Arc<Shared>);

struct Shared {
    /// A variable that marks every process of it, so that these are found when we were killed.
    mark: Option<(String, String)>,
    /// Told of each git that starts.
    started: Box<dyn Fn(u32) + Send + Sync>,
    /// A plain lock: held while a process starts, is signalled or is reaped, so that no number of
    /// a process is used after its end.
    now: Mutex<Now>,
}

#[derive(Default)]
struct Now {
    is_asked: bool,
    /// What runs was ended for itself.
    is_cut: bool,
    running: Option<u32>,
}

thread_local! {
    static CURRENT: RefCell<Option<Interrupt>> = const { RefCell::new(None) };
}

/// The one that holds for this thread.
pub(crate) fn current() -> Option<Interrupt> {
    CURRENT.with_borrow(Clone::clone)
}

/// Fails where what this thread makes was asked to end.
pub(crate) fn check(place: &Path) -> Result<(), Error> {
    match current() {
        Some(interrupt) if interrupt.is_asked() => Err(interrupted(place)),
        _ => Ok(()),
    }
}

fn interrupted(place: &Path) -> Error {
    Error::Interrupted {
        path: place.to_owned(),
    }
}

impl Interrupt {
    /// One whose processes bear the variable `mark`; `started` is told the number of each.
    pub fn new(mark: (String, String), started: impl Fn(u32) + Send + Sync + 'static) -> Self {
        Self(Arc::new(Shared {
            mark: Some(mark),
            started: Box::new(started),
            now: Mutex::default(),
        }))
    }

    /// One whose processes nobody else looks for.
    pub(crate) fn unmarked() -> Self {
        Self(Arc::new(Shared {
            mark: None,
            started: Box::new(|_| {}),
            now: Mutex::default(),
        }))
    }

    /// Does `work` on this thread so that it can be cut short.
    pub fn during<R>(&self, work: impl FnOnce() -> R) -> R {
        let before = CURRENT.replace(Some(self.clone()));
        let done = work();
        CURRENT.set(before);
        done
    }

    /// Asks what runs to end, and lets nothing start any more.
    pub fn ask(&self) {
        self.signal(false);
    }

    /// Ends what runs at once, and lets nothing start any more.
    pub fn end(&self) {
        self.signal(true);
    }

    /// Ends what runs at once. What comes after it, such as undoing it, may start.
    pub(crate) fn cut(&self) {
        let mut now = self.now();
        if let Some(pid) = now.running {
            now.is_cut = true;
            os::signal(pid, true);
        }
    }

    fn now(&self) -> std::sync::MutexGuard<'_, Now> {
        self.0.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_asked(&self) -> bool {
        self.now().is_asked
    }

    /// Whether what it ran was ended before its time.
    fn is_over(&self) -> bool {
        let now = self.now();
        now.is_asked || now.is_cut
    }

    fn signal(&self, by_force: bool) {
        let mut now = self.now();
        now.is_asked = true;
        if let Some(pid) = now.running {
            os::signal(pid, by_force);
        }
    }

    /// Runs a git in `place` that can be cut short; it is given `input`, and its output is collected.
    pub(crate) fn run(
        &self,
        command: &mut Command,
        place: &Path,
        input: Option<Vec<u8>>,
    ) -> Result<std::io::Result<Output>, Error> {
        if let Some((name, value)) = &self.0.mark {
            command.env(name, value);
        }
        os::apart(command);
        let mut child = {
            let mut now = self.now();
            if now.is_asked {
                return Err(interrupted(place));
            }
            match command.spawn() {
                Ok(child) => {
                    (now.running, now.is_cut) = (Some(child.id()), false);
                    child
                }
                Err(error) => return Ok(Err(error)),
            }
        };
        (self.0.started)(child.id());
        if let (Some(bytes), Some(mut pipe)) = (input, child.stdin.take()) {
            // A broken pipe means that git gave up; its exit code says so.
            std::thread::spawn(move || pipe.write_all(&bytes));
        }
        let output = self.collect(child);
        if self.is_asked() {
            return Err(interrupted(place));
        }
        Ok(output)
    }

    /// Waits for its end and its output. What it left behind may hold its output open: that is
    /// waited for as well, as git's own caller would, but not where it was asked to end.
    fn collect(&self, mut child: Child) -> std::io::Result<Output> {
        let reading = [
            child.stdout.take().map(read_all),
            child.stderr.take().map(read_all),
        ];
        let waited = os::wait(&mut child);
        let status = {
            let mut now = self.now();
            if now.is_asked || now.is_cut {
                // What it started was asked together with it, and has nobody left to wait for.
                os::signal(child.id(), true);
            }
            now.running = None;
            child.wait()
        };
        waited?;
        let [stdout, stderr] = reading.map(|read| self.received(read));
        Ok(Output {
            status: status?,
            stdout,
            stderr,
        })
    }

    fn received(&self, read: Option<Receiver<Vec<u8>>>) -> Vec<u8> {
        let Some(read) = read else { return Vec::new() };
        loop {
            match read.recv_timeout(LOOK) {
                Ok(bytes) => return bytes,
                Err(RecvTimeoutError::Timeout) if !self.is_over() => {}
                Err(_) => return Vec::new(),
            }
        }
    }
}

/// Reads a pipe to its end on a thread of its own.
fn read_all(mut pipe: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (sender, receiver) = sync_channel(1);
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        // What came before an error is all that there is to tell.
        let _ = pipe.read_to_end(&mut bytes);
        // Nobody waits for it any more where it was cut short.
        let _ = sender.send(bytes);
    });
    receiver
}

#[cfg(unix)]
mod os {
    use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
    use std::os::unix::process::CommandExt as _;
    use std::process::{Child, Command};

    pub(super) fn apart(command: &mut Command) {
        command.process_group(0);
    }

    fn number(pid: u32) -> Option<Pid> {
        Pid::from_raw(i32::try_from(pid).ok()?)
    }

    /// Signals a process that is not reaped yet, and its group.
    pub(super) fn signal(pid: u32, by_force: bool) {
        let signal = if by_force { Signal::KILL } else { Signal::TERM };
        if let Some(group) = number(pid) {
            // It fails where all of them ended meanwhile.
            let _ = kill_process_group(group, signal);
        }
    }

    /// Waits for the end of a child and leaves it to be reaped, so that its number stays its own.
    pub(super) fn wait(child: &mut Child) -> std::io::Result<()> {
        let Some(pid) = number(child.id()) else {
            return Ok(());
        };
        loop {
            match waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT) {
                Err(rustix::io::Errno::INTR) => {}
                other => return other.map(drop).map_err(Into::into),
            }
        }
    }
}

#[cfg(windows)]
mod os {
    use std::os::windows::process::CommandExt as _;
    use std::process::{Child, Command, Stdio};

    /// `CREATE_NO_WINDOW`.
    const NO_WINDOW: u32 = 0x0800_0000;

    /// Else a console would flash up for each run below the desktop's window.
    pub(super) fn apart(command: &mut Command) {
        command.creation_flags(NO_WINDOW);
    }

    /// Ends a process and what is below it; there is no gentle way. The number is its own as long
    /// as its handle is open.
    pub(super) fn signal(pid: u32, _by_force: bool) {
        let mut command = Command::new("taskkill");
        command.args(["/T", "/F", "/PID", &pid.to_string()]);
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        apart(&mut command);
        // It fails where the process ended meanwhile.
        let _ = command.status();
    }

    pub(super) fn wait(child: &mut Child) -> std::io::Result<()> {
        child.wait().map(drop)
    }
}
