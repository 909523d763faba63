//! A step's process and its PTY, on Unix. The only module that handles raw descriptors.

use super::dispatcher::Dispatcher;
use super::gate::{Gate, Sink};
use super::message::Msg;
use crate::report::Foreground;
use crate::spec::StepSpec;
use portable_pty::{MasterPty, PtySize, native_pty_system};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};
use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The bytes of one read: several times what a PTY can hold.
const READ_BYTES: usize = 64 << 10;

/// The quiet time after which output counts as complete, if the program ended but others hold its terminal.
const DRAIN: rustix::time::Timespec = rustix::time::Timespec {
    tv_sec: 0,
    tv_nsec: 50_000_000,
};

/// The longest wait for that quiet: a process that still writes must not keep the session from ending.
const DRAIN_LONGEST: Duration = Duration::from_secs(1);

/// Locked while a process starts, because a start that fails reaps its own child.
pub type SpawnLock = Arc<Mutex<()>>;

/// A running step.
pub struct Pty {
    master: Box<dyn MasterPty + Send>,
    /// The process id of the step.
    pub pid: u32,
    /// The input of the program.
    pub gate: Gate,
    stop: Option<OwnedFd>,
    over: Arc<AtomicBool>,
}

struct Master(OwnedFd);

impl Sink for Master {
    fn write_now(&self, bytes: &[u8]) -> io::Result<usize> {
        match rustix::io::write(&self.0, bytes) {
            Ok(n) => Ok(n),
            Err(rustix::io::Errno::AGAIN | rustix::io::Errno::INTR) => Ok(0),
            Err(e) => Err(e.into()),
        }
    }

    fn wait(&self) -> io::Result<()> {
        let mut fds = [PollFd::new(&self.0, PollFlags::OUT)];
        poll(&mut fds, None)?;
        let gone = PollFlags::ERR | PollFlags::HUP | PollFlags::NVAL;
        if fds[0].revents().intersects(gone) {
            Err(io::ErrorKind::BrokenPipe.into())
        } else {
            Ok(())
        }
    }
}

/// Starts a step on a fresh PTY. `generation` identifies the messages of its threads.
pub fn start(
    step: &StepSpec,
    (cols, rows): (u16, u16),
    generation: u64,
    dispatcher: &Arc<Dispatcher>,
    lock: &SpawnLock,
) -> Result<Pty, String> {
    let size = PtySize {
        rows,
        cols,
        pixel_width: 0,
        pixel_height: 0,
    };
    let pair = native_pty_system().openpty(size).map_err(|e| e.to_string())?;
    let command = super::command(step)?;
    let pid = {
        let _held = lock.lock().unwrap_or_else(PoisonError::into_inner);
        let child = pair.slave.spawn_command(command).map_err(|e| format!("{e:#}"))?;
        child.process_id().unwrap_or(0)
    };
    drop(pair.slave);
    let finish = || -> io::Result<Pty> {
        let master = owned(&*pair.master)?;
        fcntl_setfl(&master, fcntl_getfl(&master)? | OFlags::NONBLOCK)?;
        let reader = master.try_clone()?;
        let gate = Gate::open(Arc::new(Master(master)))?;
        let (stopped, stop) = io::pipe()?;
        let (stopped, stop) = (OwnedFd::from(stopped), OwnedFd::from(stop));
        let dispatcher = dispatcher.clone();
        let over = Arc::new(AtomicBool::new(false));
        let ended = over.clone();
        std::thread::Builder::new()
            .name("pty-read".into())
            .stack_size(super::STACK)
            .spawn(move || {
                read(&reader, (&stopped, &ended), &dispatcher);
                drop(dispatcher.send(Msg::Drained { generation }));
            })?;
        Ok(Pty {
            master: pair.master,
            pid,
            gate,
            stop: Some(stop),
            over,
        })
    };
    finish().map_err(|e| {
        abandon(pid, lock);
        e.to_string()
    })
}

/// Kills a process that cannot be followed; its step counts as not started.
fn abandon(pid: u32, lock: &SpawnLock) {
    let _held = lock.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) {
        let _ = kill_process(pid, Signal::KILL);
        let _ = waitpid(Some(pid), WaitOptions::empty());
    }
}

fn owned(master: &(dyn MasterPty + Send)) -> io::Result<OwnedFd> {
    let raw = master.as_raw_fd().ok_or(io::ErrorKind::Unsupported)?;
    #[expect(
        unsafe_code,
        reason = "portable-pty gives only the number; it stays open while `master` is borrowed"
    )]
    let borrowed = unsafe { BorrowedFd::borrow_raw(raw) };
    borrowed.try_clone_to_owned()
}

/// Reads until the terminal closes. Once the program is `over`, reads until the terminal is quiet or
/// [`DRAIN_LONGEST`] has passed; a waiting reader notices because `stopped` closes.
fn read(master: &OwnedFd, (stopped, over): (&OwnedFd, &AtomicBool), dispatcher: &Dispatcher) {
    let mut buffer = vec![0u8; READ_BYTES];
    let mut until = None;
    loop {
        if over.load(Ordering::Acquire) {
            let until = *until.get_or_insert_with(|| Instant::now() + DRAIN_LONGEST);
            if Instant::now() >= until {
                return;
            }
        }
        match rustix::io::read(master, &mut buffer) {
            Ok(0) => return,
            Ok(n) => {
                if dispatcher.output(&buffer[..n]).is_err() {
                    return;
                }
                continue;
            }
            Err(rustix::io::Errno::INTR) => continue,
            Err(rustix::io::Errno::AGAIN) => {}
            Err(_) => return,
        }
        let ready = if until.is_some() {
            poll(&mut [PollFd::new(master, PollFlags::IN)], Some(&DRAIN))
        } else {
            let mut fds = [
                PollFd::new(master, PollFlags::IN),
                PollFd::new(stopped, PollFlags::IN),
            ];
            poll(&mut fds, None)
        };
        if ready == Ok(0) {
            return;
        }
    }
}

impl Pty {
    /// Changes the size; the kernel notifies the program.
    pub fn resize(&self, cols: u16, rows: u16) {
        drop(self.master.resize(PtySize {
            rows,
            cols,
            pixel_width: 0,
            pixel_height: 0,
        }));
    }

    /// Returns the program in the foreground of the terminal.
    pub fn foreground(&self) -> Option<Foreground> {
        let group = u32::try_from(self.master.process_group_leader()?).ok()?;
        Some(Foreground {
            group,
            name: crate::tree::name(group).unwrap_or_default(),
            is_own: group == self.pid,
        })
    }

    /// Reports whether another program than the step's own has the terminal and reads keys one by one, as a
    /// pager or an editor does. Input to a program that reads whole lines, or nothing, waits for the shell.
    pub fn is_lent(&self) -> bool {
        let group = self.master.process_group_leader();
        let group = group.and_then(|group| u32::try_from(group).ok());
        group.is_some_and(|group| group != self.pid)
            && self.master.get_termios().is_some_and(|modes| {
                let canonical = rustix::termios::LocalModes::ICANON.bits();
                modes.local_flags.bits() & canonical == 0
            })
    }

    /// Handles the end of the process: the reader reads the remaining output, then ends.
    pub fn ended(&mut self) {
        self.over.store(true, Ordering::Release);
        self.stop = None;
        self.gate.close();
    }
}

/// Exit code and signal.
type Ended = (Option<i32>, Option<i32>);

/// Reaps every child, including adopted ones, and reports each to the owner.
pub fn reap(dispatcher: &Dispatcher, lock: &SpawnLock, started: &std::sync::mpsc::Receiver<()>) {
    use rustix::process::{WaitId, WaitIdOptions, wait, waitid};
    loop {
        match waitid(WaitId::All, WaitIdOptions::EXITED | WaitIdOptions::NOWAIT) {
            Ok(_) => {}
            Err(rustix::io::Errno::INTR) => continue,
            // No children: wait for the next start.
            Err(_) => match started.recv() {
                Ok(()) => continue,
                Err(_) => return,
            },
        }
        let held = lock.lock().unwrap_or_else(PoisonError::into_inner);
        let reaped = wait(WaitOptions::NOHANG);
        drop(held);
        if let Ok(Some((pid, status))) = reaped {
            let (code, signal): Ended = (status.exit_status(), status.terminating_signal());
            let pid = pid.as_raw_pid().unsigned_abs();
            if dispatcher.send(Msg::Ended { pid, code, signal }).is_err() {
                return;
            }
        }
    }
}
