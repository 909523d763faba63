//! Cancels the creation of a worktree: its hook may hang, a filter may wait for a network. Git and everything
//! in its process group is asked to exit; what was created so far is resumed or undone, as after a kill.
//! Reading and saving are never cancelled.
//!
//! The current interrupt is a thread-local value, because every step of a creation
//! would have to pass it on otherwise.

use crate::Error;
use std::cell::RefCell;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Output};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The interval for checking whether a git that exited but left its output open was asked to end.
const LOOK: Duration = Duration::from_millis(100);

/// Cancels what runs in [`Interrupt::during`]. Clones share their state.
#[derive(Clone)]
pub struct Interrupt(Arc<Shared>);

struct Shared {
    /// A variable that marks every process that is started, so that they are found
    /// after this process was killed.
    mark: Option<(String, String)>,
    /// Called with the process id of each git that starts.
    started: Box<dyn Fn(u32) + Send + Sync>,
    /// A plain lock: held while a process is started, signalled or reaped, so that no process id is used
    /// after the end of its process.
    now: Mutex<Now>,
}

#[derive(Default)]
struct Now {
    is_asked: bool,
    /// The running process was ended on its own, without cancelling the rest.
    is_cut: bool,
    running: Option<u32>,
}

thread_local! {
    static CURRENT: RefCell<Option<Interrupt>> = const { RefCell::new(None) };
}

/// Returns the interrupt of this thread.
pub(crate) fn current() -> Option<Interrupt> {
    CURRENT.with_borrow(Clone::clone)
}

/// Fails if the work of this thread was cancelled.
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
    /// Creates an interrupt whose processes get the variable `mark`; `started` is called with the id of each.
    pub fn new(mark: (String, String), started: impl Fn(u32) + Send + Sync + 'static) -> Self {
        Self(Arc::new(Shared {
            mark: Some(mark),
            started: Box::new(started),
            now: Mutex::default(),
        }))
    }

    /// Creates an interrupt without a mark, for processes that nobody else looks for.
    pub(crate) fn unmarked() -> Self {
        Self(Arc::new(Shared {
            mark: None,
            started: Box::new(|_| {}),
            now: Mutex::default(),
        }))
    }

    /// Runs `work` on this thread so that it can be cancelled.
    pub fn during<R>(&self, work: impl FnOnce() -> R) -> R {
        let before = CURRENT.replace(Some(self.clone()));
        let done = work();
        CURRENT.set(before);
        done
    }

    /// Asks the running process to exit, and prevents further ones from starting.
    pub fn ask(&self) {
        self.signal(false);
    }

    /// Kills the running process, and prevents further ones from starting.
    pub fn end(&self) {
        self.signal(true);
    }

    /// Kills the running process. Later ones, such as those that undo its work, may start.
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

    /// Whether the process was ended early.
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

    /// Runs git in `place` so that it can be cancelled, feeds it `input`, and collects its output.
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
            // A broken pipe means that git gave up; its exit code reports that.
            std::thread::spawn(move || pipe.write_all(&bytes));
        }
        let output = self.collect(child);
        if self.is_asked() {
            return Err(interrupted(place));
        }
        Ok(output)
    }

    /// Waits for the end of the process and of its output. Processes that it left behind may hold its output
    /// open: these are waited for too, as git's own caller would, unless the process was asked to end.
    fn collect(&self, mut child: Child) -> std::io::Result<Output> {
        let reading = [
            child.stdout.take().map(read_all),
            child.stderr.take().map(read_all),
        ];
        let waited = os::wait(&mut child);
        let status = {
            let mut now = self.now();
            if now.is_asked || now.is_cut {
                // Its descendants were asked to exit with it, and nothing waits for them any more.
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
        // On an error, the bytes before it are all there is to report.
        let _ = pipe.read_to_end(&mut bytes);
        // The receiver is gone if the process was cancelled.
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

    /// Signals a process that has not been reaped, and its group.
    pub(super) fn signal(pid: u32, by_force: bool) {
        let signal = if by_force { Signal::KILL } else { Signal::TERM };
        if let Some(group) = number(pid) {
            // This fails if all of them have exited.
            let _ = kill_process_group(group, signal);
        }
    }

    /// Waits for the end of a child without reaping it, so that its process id is not reused.
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

    /// Prevents a console window from flashing up for each run.
    pub(super) fn apart(command: &mut Command) {
        command.creation_flags(NO_WINDOW);
    }

    /// Kills a process and its descendants; there is no gentle way. The process id is not
    /// reused while the handle is open.
    pub(super) fn signal(pid: u32, _by_force: bool) {
        let mut command = Command::new("taskkill");
        command.args(["/T", "/F", "/PID", &pid.to_string()]);
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        apart(&mut command);
        // This fails if the process has exited.
        let _ = command.status();
    }

    pub(super) fn wait(child: &mut Child) -> std::io::Result<()> {
        child.wait().map(drop)
    }
}
